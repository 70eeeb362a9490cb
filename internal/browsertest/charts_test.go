package browsertest

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"time"
)

// A chart is what a test notebook shows.
type chart struct {
	title string
	// labels are the names of the axes, with their units.
	labels []string
	// says are words that the description has, of what the chart shows.
	says []string
	// colors are those of its schemes.
	colors []color.RGBA
}

// The colours of the schemes, the same in every chart.
var (
	f32       = color.RGBA{0x12, 0x69, 0xdd, 0xff}
	w8a16     = color.RGBA{0xd3, 0x33, 0x49, 0xff}
	skipzeros = color.RGBA{0x92, 0x97, 0x04, 0xff}
	int8      = color.RGBA{0x9d, 0x47, 0xa3, 0xff}
	bf16      = color.RGBA{0x09, 0x9b, 0xca, 0xff}
	w4a16     = color.RGBA{0xc2, 0x85, 0x76, 0xff}
	int4      = color.RGBA{0x90, 0x79, 0xfc, 0xff}
	dense     = color.RGBA{0x76, 0x76, 0x76, 0xff}
)

// kinds are the charts of charts.ipynb.
var kinds = []chart{
	{"Skipping zeros pays below a density of 40%", []string{"density (%)", "time of a product (ms)"},
		[]string{"Line chart", "skipzeros: from 0.4 at 5 to 6.4 at 100"}, []color.RGBA{skipzeros, dense}},
	{"Error against the bits of a weight, measured and predicted", []string{"step size (1/σ)", "relative error"},
		[]string{"Line chart", "int8: from 0.003 (error bar 0.0026 to 0.0036) at 0.01 to 0.28 (error bar 0.25 to 0.325) at 1", "uniform rounding"}, []color.RGBA{int8, int4}},
	{"Speed of the schemes on the shapes of a small model", []string{"shape of the weight", "rate of products (Gop/s)"},
		[]string{"Bar chart", "w4a16: 71 (error bar 68 to 75.5) for 1024×3072, 70"}, []color.RGBA{f32, w8a16, w4a16}},
	{"Bars lie when the names are long", []string{"tensor", "relative error of 4 bits (%)"},
		[]string{"Bar chart", "7.1 for model.embed_tokens.weight"}, []color.RGBA{int4}},
	{"Size against error: the plans that no other plan beats", []string{"size (bits/weight)", "error of the product"},
		[]string{"Scatter chart", "w4a16: 4 points", "0.092 at 5 (group 32)"}, []color.RGBA{w8a16, w4a16, bf16}},
	{"Error of each recipe in each layer", []string{"layer", "recipe", "error of the layer (%)"},
		[]string{"Heat map", "from 0.5 (w8a16, 0) to 14.6 (w4a16, 7)"}, nil},
	{"Weights of a Gaussian matrix", []string{"weight", "number of weights"},
		[]string{"Histogram", "20000 values", "median"}, []color.RGBA{f32}},
	{"What the machine allows, and what the kernels reach", []string{"arithmetic intensity (flop/byte)", "rate (Gflop/s)"},
		[]string{"Roofline", "DRAM: 18 GB/s", "f32: up to 131 Gflop/s at 64 flop/byte (m=128), 93.6% of f32 peak"}, []color.RGBA{f32, w8a16}},
}

// many are the charts of many.ipynb.
var many = func() []chart {
	charts := make([]chart, 20)
	for i := range charts {
		charts[i] = chart{fmt.Sprintf("Chart number %d", i+1), []string{"depth", "growth"},
			[]string{"Line chart of growth against depth"}, []color.RGBA{w8a16}}
	}
	return charts
}()

// seen is a chart as the page has it. Boxes are in pixels of the page.
type seen struct {
	Figures     int // that are described by the title
	Interactive bool
	Visible     bool
	Box         box
	Description string
	Texts       []text // of an interactive chart
}

type box struct{ X, Y, Width, Height float64 }

type text struct {
	Text   string
	Box    box
	Turned bool
	// Contrast is that of the text and the ground of the page, 1 to 21; 0 where it
	// stands on something else.
	Contrast float64
}

// look returns what the page shows of a chart, found by its title.
const look = `(title => {
	const boxOf = e => {
		const r = e.getBoundingClientRect();
		return {X: r.x + scrollX, Y: r.y + scrollY, Width: r.width, Height: r.height};
	};
	const ground = e => {
		for (; e; e = e.parentElement) {
			const c = channels(getComputedStyle(e).backgroundColor);
			if (c[3] > 0) return c;
		}
		return [255, 255, 255, 1];
	};
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
	const channels = css => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = css;
		canvas.fillRect(0, 0, 1, 1);
		return canvas.getImageData(0, 0, 1, 1).data;
	};
	const luminance = c => {
		const [r, g, b] = [...c].slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (a, b) => {
		const [l, m] = [luminance(a), luminance(b)].sort((x, y) => y - x);
		return (l + 0.05) / (m + 0.05);
	};
	const pictures = [...document.images].filter(i => i.alt.startsWith(title + ". "));
	if (pictures.length !== 1) return {Figures: pictures.length};
	const picture = pictures[0];
	const svg = picture.parentElement.querySelector("svg");
	const shown = svg ? svg.closest("[role=img]") : picture;
	const heat = /\. Heat map/.test(picture.alt);
	return {
		Figures: 1,
		Interactive: Boolean(svg),
		Visible: shown.checkVisibility() && (svg ? !picture.checkVisibility() : picture.complete && picture.naturalWidth > 0),
		Box: boxOf(shown),
		Description: svg ? shown.getAttribute("aria-label") : picture.alt,
		Texts: !svg ? [] : [...svg.querySelectorAll("text")].filter(t => t.textContent.trim() && getComputedStyle(t).fill !== "none").map(t => ({
			Text: t.textContent,
			Box: boxOf(t),
			Turned: Math.abs(t.getCTM().b) > 0.01,
			Contrast: heat && !/^bold/.test(t.style.font) && /^-?[0-9.]+$/.test(t.textContent) ? 0 : contrast(channels(getComputedStyle(t).fill), ground(shown)),
		})),
	};
})`

// problems returns what is wrong with the charts that the page shows, and where
// they are.
func (p *page) problems(charts []chart, interactive bool) (problems []string, places []box) {
	titles := make([]string, len(charts))
	for i, c := range charts {
		titles[i] = quoted(c.title)
	}
	found := evaluate[[]seen](p, "["+strings.Join(titles, ", ")+"].map("+look+")")
	for i, c := range charts {
		s := found[i]
		wrong := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("%q: ", c.title)+fmt.Sprintf(format, args...))
		}
		if s.Figures != 1 {
			wrong("the page has %d charts of that title", s.Figures)
			continue
		}
		if s.Interactive != interactive {
			wrong("interactive: %t, want %t", s.Interactive, interactive)
		}
		if !s.Visible || s.Box.Width < 220 || s.Box.Height < 80 {
			wrong("visible: %t, with a size of %.0f x %.0f", s.Visible, s.Box.Width, s.Box.Height)
		}
		for _, want := range append(append([]string{c.title}, c.labels...), c.says...) {
			if !strings.Contains(s.Description, want) {
				wrong("the description %q lacks %q", s.Description, want)
			}
		}
		if s.Interactive {
			problems = append(problems, s.problems(c)...)
		}
		places = append(places, s.Box)
	}
	return problems, places
}

// problems returns what is wrong with the texts of an interactive chart.
func (s seen) problems(c chart) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%q: ", c.title)+fmt.Sprintf(format, args...))
	}
	var words strings.Builder
	for _, t := range s.Texts {
		words.WriteString(t.Text + " ")
	}
	const roomy = 300 // in narrower charts long names are cut
	for _, want := range append([]string{c.title}, c.labels...) {
		if s.Box.Width > roomy && !strings.Contains(strings.Join(strings.Fields(words.String()), " "), want) {
			wrong("the chart lacks the text %q; it has %q", want, words.String())
		}
	}
	for i, t := range s.Texts {
		if t.Contrast > 0 && t.Contrast < 4.5 {
			wrong("the text %q has a contrast of %.1f", t.Text, t.Contrast)
		}
		if out := t.Box.outside(s.Box); out > 1 {
			wrong("the text %q stands %.0f px out of the chart", t.Text, out)
		}
		for _, other := range s.Texts[:i] {
			if t.Text == other.Text && strings.Contains(t.Text, "…") {
				wrong("two texts are cut to %q", t.Text)
			}
			if x, y := t.Box.overlap(other.Box); x > 1 && y > 6 && !t.Turned && !other.Turned {
				wrong("the texts %q and %q overlap by %.0f x %.0f px", t.Text, other.Text, x, y)
			}
		}
	}
	return problems
}

// outside returns by how much b leaves another box.
func (b box) outside(of box) float64 {
	return max(of.X-b.X, of.Y-b.Y, b.X+b.Width-of.X-of.Width, b.Y+b.Height-of.Y-of.Height)
}

// overlap returns the size of what two boxes share.
func (b box) overlap(with box) (width, height float64) {
	return min(b.X+b.Width, with.X+with.Width) - max(b.X, with.X), min(b.Y+b.Height, with.Y+with.Height) - max(b.Y, with.Y)
}

// painted returns what is wrong with the pixels of a chart: it has few colours, or
// lacks those of its schemes.
func (c chart) painted(img image.Image, place box) (problems []string) {
	// A picture that is shown at half its size mixes the colours of thin lines.
	const near, least, colours = 48, 2, 8
	seen := map[color.Color]bool{}
	missing := make([]int, len(c.colors)) // pixels
	for i := range missing {
		missing[i] = least
	}
	area := image.Rect(int(place.X), int(place.Y), int(place.X+place.Width), int(place.Y+place.Height)).Intersect(img.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			at := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			if len(seen) < colours {
				seen[at] = true
			}
			for i, want := range c.colors {
				if missing[i] > 0 && distance(at, want) < near {
					missing[i]--
				}
			}
		}
		if len(seen) == colours && (len(missing) == 0 || slices.Max(missing) == 0) {
			return nil
		}
	}
	if len(seen) < colours {
		problems = append(problems, fmt.Sprintf("%q: is painted with %d colours", c.title, len(seen)))
	}
	for i, n := range missing {
		if n > 0 {
			problems = append(problems, fmt.Sprintf("%q: has %d pixels of the colour %v", c.title, least-n, c.colors[i]))
		}
	}
	return problems
}

func distance(a, b color.RGBA) int {
	d := 0
	for _, pair := range [][2]uint8{{a.R, b.R}, {a.G, b.G}, {a.B, b.B}} {
		d = max(d, int(pair[0])-int(pair[1]), int(pair[1])-int(pair[0]))
	}
	return d
}

// A view is a way of showing a page.
type view struct {
	name        string
	charts      []chart
	interactive bool
	width       int64
	// height is an expression for the height that the whole page needs.
	height string
}

// shows checks that the page shows all the charts, whole and legible, and that
// it is not wider than its window.
func (p *page) shows(v view) {
	p.t.Helper()
	const firstHeight = 900
	p.viewport(v.width, firstHeight)
	var problems []string
	var places []box
	settled := func() bool {
		problems, places = p.problems(v.charts, v.interactive)
		if wide := evaluate[int64](p, "document.documentElement.scrollWidth"); wide > v.width {
			problems = append(problems, fmt.Sprintf("the page is %d px wide: %s", wide, evaluate[string](p, widest)))
		}
		return len(problems) == 0
	}
	for deadline := time.Now().Add(5 * time.Second); !settled() && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	p.viewport(v.width, max(firstHeight, evaluate[int64](p, v.height)))
	img := p.screenshot(v.name)
	again, places := p.problems(v.charts, v.interactive)
	if len(problems) == 0 {
		problems = again
	}
	for i, place := range places {
		problems = append(problems, v.charts[i].painted(img, place)...)
	}
	for _, problem := range problems {
		p.t.Errorf("%s: %s", v.name, problem)
	}
}

// widest names the elements that make a page wider than its window.
const widest = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
	.slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join(" | ")`

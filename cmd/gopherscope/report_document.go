package main

import (
	"fmt"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
)

// A document is docs/quant-kernels.md.
type document struct {
	r       *reportResult
	changes *reportChanges // nil if nothing is compared
}

// schemeWords say in a few words what a scheme is.
var schemeWords = map[string]string{
	kernels.SchemeDense:          "float32, the plain loop",
	kernels.SchemeF32:            "float32, our fastest dense kernel",
	kernels.SchemeBF16:           "float32 cut to 16 bits",
	kernels.SchemeSkipZeros:      "float32, only the nonzeros of x",
	kernels.SchemeLowRank:        "float32, two thin factors of W",
	kernels.SchemeInt8PerChannel: "int8 weights, the plain loop",
	kernels.SchemeW8A16:          "int8 weights, float32 activations",
	kernels.SchemeW8A8:           "int8 weights, activations rounded to int8",
	kernels.SchemeW4A16:          "4-bit weights in groups, float32 activations",
}

// A documentPart is one experiment of a section: what it is about, its Markdown, and its
// figures.
type documentPart struct {
	title, about, markdown string
	figures                []documentFigure
}

// A documentFigure is a picture, and its text for those who do not see it.
type documentFigure struct {
	name, alt string
	make      func() (*charts.Figure, error)
}

// A picture is a file of the document.
type picture struct {
	file string
	png  []byte
}

// parts are in the order of the document. What they are about states no result.
func (d document) parts() []documentPart {
	r := d.r
	parts := []documentPart{
		{
			"What the probes recommend",
			"Each matrix is probed, opscope.Recommend says what to do with it, and the kernel for that is timed. Where nothing is recommended nothing is timed. The plain loop is the dense product as one would write it first; f32 is our fastest dense kernel, which is the baseline that counts.",
			r.Structure.Markdown(),
			[]documentFigure{{"structure", "Bars of the speed over f32 of each recommended kernel", r.Structure.Figure}},
		},
		{
			"Precision and speed of the schemes",
			"The schemes store W in fewer bits: bf16 is float32 cut to 16 bits; w8a16 is int8 with a scale per output channel and float32 activations; w8a8 rounds the activations to int8 as well, and w8a8-q is the same with that done before the call; w4a16 is 4 bits with a scale for each group of 32 inputs, or 128. Errors are relative L2 errors. Theory is the rounding of Gaussian elements, integrated exactly.",
			r.Quantization.Markdown(),
			d.quantizationFigures(),
		},
		{
			"Sparse activations",
			"The product with x of growing density, by a kernel that skips the zeros of x. The places of the zeros are chosen at random.",
			r.Sparse.Markdown(),
			[]documentFigure{{"sparse", "Lines of the time over the density of x, of skipzeros and of the fastest dense kernel", r.Sparse.Figure}},
		},
	}
	for _, one := range r.LowRank {
		parts = append(parts, documentPart{
			"Low-rank weights: " + one.Name,
			"The weight as a product of factors U[k,r] V[r,n]. The stable rank says how evenly the norm is spread over directions; only the truncation error says which rank is enough.",
			one.Markdown(),
			[]documentFigure{
				{"lowrank-error-" + one.Name, "Error of the weight over the rank of its factors, measured and least possible", one.ErrorFigure},
				{"lowrank-speed-" + one.Name, "Speed of the factors over the fastest dense kernel by their rank", one.Figure},
			},
		})
	}
	return append(parts,
		documentPart{
			"The matrix unit",
			"The platform's own libraries reach instructions that ours do not, where there are any (Apple's AMX or SME through Accelerate, Intel's AMX through oneDNN). A row of a library is its call alone; names that end in -whole begin with float32 activations.",
			r.MatrixUnit.Markdown(),
			[]documentFigure{{"matrix-unit", "Rates of our schemes and of the libraries over the number of rows of x, beside the peaks of our instructions", r.MatrixUnit.Figure}},
		},
		documentPart{
			"Cache against DRAM",
			"One row of x is multiplied by all weights of a model that doubles in size. A working set is said to be in DRAM only above 4 times the last-level cache.",
			r.CacheVsDRAM.Markdown(),
			[]documentFigure{
				{"cache-bandwidth", "Bandwidth of each scheme over its working set, beside that of reading as many bytes", r.CacheVsDRAM.Figure},
				{"cache-speed", "Speed of each scheme over f32 by the size of the model", r.CacheVsDRAM.SpeedFigure},
			},
		},
		documentPart{
			"Errors over the layers of a model",
			fmt.Sprintf("A decoder of %d layers of width %d with random weights: how the error of one product grows in the residual stream. Since the weights are random, agreement on the next token says nothing about a trained model.", r.ErrorCompounding.Config.Layers, r.ErrorCompounding.Config.Hidden),
			r.ErrorCompounding.Markdown(),
			d.compoundingFigures(),
		},
	)
}

func (d document) quantizationFigures() []documentFigure {
	q := d.r.Quantization
	figures := []documentFigure{
		{"bits-error", "Error of Gaussian weights over the bits of a code, measured and by theory, by what shares a step", q.Figure},
		{"outliers", "Bars of the error of the other channels when one channel is larger, by what shares a step", func() (*charts.Figure, error) { return q.OutlierFigure(8) }},
	}
	seen := map[int]bool{}
	for _, c := range q.Cases {
		if seen[c.M] {
			continue
		}
		seen[c.M] = true
		m := c.M
		figures = append(figures,
			documentFigure{fmt.Sprintf("speed-m%d", m), fmt.Sprintf("Bars of the speed over f32 of each scheme with %s of x", plural(m, "row")), func() (*charts.Figure, error) { return q.SpeedFigure(m) }},
			documentFigure{fmt.Sprintf("roofline-m%d", m), fmt.Sprintf("Roofline of the schemes with %s of x", plural(m, "row")), func() (*charts.Figure, error) { return q.RooflineFigure(m) }},
			documentFigure{fmt.Sprintf("pareto-m%d", m), fmt.Sprintf("Error over time of the schemes with %s of x", plural(m, "row")), func() (*charts.Figure, error) { return q.ParetoFigure(m) }},
		)
	}
	return figures
}

func (d document) compoundingFigures() []documentFigure {
	c := d.r.ErrorCompounding
	figures := []documentFigure{{"layers", "Error of the residual stream after each layer, by recipe", c.Figure}}
	if c.OutlierChannels > 0 {
		figures = append(figures, documentFigure{"layers-outliers", "Error of the residual stream after each layer with outlier channels, by recipe", c.OutlierFigure})
	}
	return figures
}

// render returns the text and the pictures that it shows.
func (d document) render() (string, []picture, error) {
	var b strings.Builder
	var pictures []picture
	p := d.r.Provenance
	fmt.Fprintf(&b, "# Quantized and structured kernels on %s\n\n", p.CPU)
	b.WriteString("Written by `gopherscope report` from what it measured; do not edit it. Every sentence that states a result is chosen by\nthe figures beside it. A time is that of a call in the fastest of several rounds, in which everything that is compared,\nand the limits of the machine, take turns; a speed is over f32, our fastest dense float32 kernel, and a roof is the peak\nof the arithmetic or what the bandwidth allows, whichever is less. What it all comes to stands at the end:\n[What to do on this machine](#what-to-do-on-this-machine).\n\n")
	b.WriteString("A product is y = x W: x has m rows (one a token) of k inputs, and the weight W has k inputs and n outputs; 32x1024x3072 is\nm = 32, k = 1024, n = 3072. An error is a relative L2 error: the length of the difference over the length of what is right,\nso that 1% is a hundredth of the result. In w8a16 the weight has 8 bits a number and the activations x have 16 or more.\n\n")
	b.WriteString("## Where the figures come from\n\n" + markdownRows([]string{"what", "value"}, p.rows(d.r)))
	b.WriteString("\n## Which kernels there are\n\nA scheme has a portable implementation, ref, and others for tiers of instructions. The one in use is the last that this\nprocessor can run; `" + cpu.EnvMask + "` names a lower tier.\n\n")
	var features [][]string
	for _, f := range d.r.Features {
		features = append(features, []string{f.Scheme, schemeWords[f.Scheme], f.Impl, strings.Join(f.Impls, ", ")})
	}
	b.WriteString(markdownRows([]string{"scheme", "what it is", "in use", "can run here"}, features))
	for _, part := range d.parts() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", part.title, part.about)
		verdict, tables, _ := strings.Cut(demoted(part.markdown), "\n### ")
		b.WriteString(strings.TrimSpace(verdict) + "\n")
		for _, f := range part.figures {
			figure, err := f.make()
			if err != nil {
				return "", nil, fmt.Errorf("the figure %s: %w", f.name, err)
			}
			file := "report-" + f.name + ".png"
			pictures = append(pictures, picture{file, figure.MIMEBundle()["image/png"].([]byte)})
			fmt.Fprintf(&b, "\n![%s](images/%s)\n", f.alt, file)
		}
		if tables != "" {
			b.WriteString("\n### " + strings.TrimSpace(tables) + "\n")
		}
	}
	b.WriteString("\n## Threads\n\n")
	b.WriteString(bullets(threadLines(d.r)))
	b.WriteString("\n## What to do on this machine\n\n")
	var rows [][]string
	for _, g := range guide(d.r) {
		rows = append(rows, []string{g.when, g.do, g.why})
	}
	b.WriteString(markdownRows([]string{"when", "do", "since"}, rows))
	b.WriteString("\n## Caveats\n\n" + bullets(caveats(d.r)))
	if d.changes != nil {
		b.WriteString("\n## What changed\n\n" + d.changes.markdown())
	}
	fmt.Fprintf(&b, "\n## To repeat it\n\n```\n%s --json results.json\n```\n\nOn another machine, or another day, `gopherscope report --compare results.json` says what differs.\n", p.Command)
	return b.String(), pictures, nil
}

// threadLines are what all threads gain.
func threadLines(r *reportResult) []string {
	var lines []string
	for _, g := range threadGuide(r.MatrixUnit) {
		lines = append(lines, fmt.Sprintf("%s: %s, %s.", g.when, g.do, g.why))
	}
	if lines == nil {
		return []string{"There was one number of threads only, so nothing is known of what more would gain."}
	}
	return append(lines, "The table of speeds by threads stands with the matrix unit, since the libraries are measured with as many.")
}

func bullets(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	return b.String()
}

// markdownRows writes a table for GitHub.
func markdownRows(columns []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			fmt.Fprintf(&b, " %s |", strings.ReplaceAll(oneLine(cell), "|", `\|`))
		}
		b.WriteString("\n")
	}
	line(columns)
	b.WriteString("|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// rows are the provenance as a table, with the libraries that were measured.
func (p provenance) rows(r *reportResult) [][]string {
	rows := [][]string{
		{"date", p.Date.Format("2006-01-02 15:04 UTC")},
		{"command", "`" + p.Command + "`"},
		{"took", fmt.Sprintf("%d s", p.Seconds)},
		{"processor", fmt.Sprintf("%s, %s, %s", p.CPU, p.Arch, plural(p.Cores, "core"))},
		{"instructions", "tier " + p.Tier + maskNote(p.Mask)},
		{"threads", fmt.Sprintf("%d for a product, unless it says otherwise", p.Threads)},
		{"memory", knownSize(p.MemoryBytes)},
		{"caches", cacheList(p)},
		{"system", p.OS},
		{"program", fmt.Sprintf("gopherscope %s, %s", p.Version, p.Go)},
	}
	for _, m := range p.Modules {
		rows = append(rows, []string{"module", m.Path + " " + m.Version})
	}
	for _, l := range r.MatrixUnit.Runs[0].Libraries {
		text := l.Version
		if l.Unused != "" {
			text = "not used: " + strings.Join(strings.Fields(l.Unused), " ")
		} else if l.Core != "" {
			text += ", code for " + l.Core
		}
		rows = append(rows, []string{"library " + l.Name, text})
	}
	return rows
}

func maskNote(mask string) string {
	if mask == "" {
		return ""
	}
	return ", masked to " + mask
}

func knownSize(bytes int64) string {
	if bytes == 0 {
		return "not known"
	}
	return bytesize.Binary(bytes)
}

func cacheList(p provenance) string {
	var parts []string
	for _, c := range p.Caches {
		if c.Type != "Instruction" {
			parts = append(parts, fmt.Sprintf("L%d %s", c.Level, bytesize.Binary(int64(c.Bytes))))
		}
	}
	if parts == nil {
		return "not known; " + bytesize.Binary(p.LastLevelCache) + " are assumed for the last one"
	}
	return strings.Join(parts, ", ")
}

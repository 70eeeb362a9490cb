package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/cmplx"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/transformer"
)

// smallModel takes some milliseconds.
func smallModel() ErrorCompoundingOptions {
	return ErrorCompoundingOptions{
		Config: transformer.Config{Layers: 4, Hidden: 96, Heads: 6, KVHeads: 2, HeadDim: 16, FeedForward: 128, Vocabulary: 200, Epsilon: 1e-6, Theta: 1e6},
		Tokens: 9, Seeds: []uint64{3}, OutlierChannels: 2,
	}
}

// A float64Model is a forward pass by other means than package transformer: float64
// throughout, a token at a time, positions as complex numbers.
type float64Model struct {
	config   transformer.Config
	multiply func(x []float64, w kernels.Matrix) []float64
}

func (m float64Model) norm(x []float64, gain []float32) []float64 {
	mean := 0.0
	for _, v := range x {
		mean += v * v / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(gain[i]) * v / math.Sqrt(mean+m.config.Epsilon)
	}
	return y
}

// heads normalizes and turns each head of a token.
func (m float64Model) heads(x []float64, gain []float32, position int) [][]float64 {
	var all [][]float64
	for head := range slices.Chunk(x, m.config.HeadDim) {
		y := m.norm(head, gain)
		half := len(y) / 2
		for i := range half {
			angle := float64(position) / math.Pow(m.config.Theta, float64(i)/float64(half))
			turned := complex(y[i], y[half+i]) * cmplx.Rect(1, angle)
			y[i], y[half+i] = real(turned), imag(turned)
		}
		all = append(all, y)
	}
	return all
}

func (m float64Model) layer(x [][]float64, w transformer.Weights) [][]float64 {
	c := m.config
	var q, k, v [][][]float64
	var next [][]float64
	for t, xt := range x {
		in := m.norm(xt, w.AttentionNorm)
		q = append(q, m.heads(m.multiply(in, w.Query), w.QueryNorm, t))
		k = append(k, m.heads(m.multiply(in, w.Key), w.KeyNorm, t))
		v = append(v, slices.Collect(slices.Chunk(m.multiply(in, w.Value), c.HeadDim)))

		var attended []float64
		for h, query := range q[t] {
			group := h * c.KVHeads / c.Heads
			total, sum := 0.0, make([]float64, c.HeadDim)
			for s := range t + 1 {
				score := 0.0
				for i, value := range query {
					score += value * k[s][group][i]
				}
				weight := math.Exp(score / math.Sqrt(float64(c.HeadDim)))
				total += weight
				for i, value := range v[s][group] {
					sum[i] += weight * value
				}
			}
			for _, value := range sum {
				attended = append(attended, value/total)
			}
		}
		yt := slices.Clone(xt)
		for i, value := range m.multiply(attended, w.Output) {
			yt[i] += value
		}
		in = m.norm(yt, w.FeedForwardNorm)
		up := m.multiply(in, w.Up)
		for i, g := range m.multiply(in, w.Gate) {
			up[i] *= g / (1 + math.Exp(-g))
		}
		for i, value := range m.multiply(up, w.Down) {
			yt[i] += value
		}
		next = append(next, yt)
	}
	return next
}

func exactly(x []float64, w kernels.Matrix) []float64 {
	y := make([]float64, w.Cols)
	for p, v := range x {
		for j := range y {
			y[j] += v * float64(w.Data[p*w.Stride+j])
		}
	}
	return y
}

// round8 returns v rounded to 127 steps a side of zero.
func round8(v []float64) []float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	rounded := make([]float64, len(v))
	for i, x := range v {
		rounded[i] = math.Round(x/largest*127) * largest / 127
	}
	return rounded
}

// roundedWeights multiplies by the weight with each column rounded.
func roundedWeights(x []float64, w kernels.Matrix) []float64 {
	y := make([]float64, w.Cols)
	column := make([]float64, w.Rows)
	for j := range y {
		for p := range column {
			column[p] = float64(w.Data[p*w.Stride+j])
		}
		for p, v := range round8(column) {
			y[j] += x[p] * v
		}
	}
	return y
}

func roundedBoth(x []float64, w kernels.Matrix) []float64 { return roundedWeights(round8(x), w) }

func relErr64(got, want [][]float64) float64 {
	var diff, size float64
	for t := range want {
		for i, v := range want[t] {
			diff += (got[t][i] - v) * (got[t][i] - v)
			size += v * v
		}
	}
	return math.Sqrt(diff / size)
}

func TestAgainstFloat64(t *testing.T) {
	o := smallModel()
	r, err := ErrorCompounding(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	var x [][]float64
	tokens := transformer.RandomTokens(o.Config, 3, o.Tokens)
	for token := range o.Tokens {
		var values []float64
		for _, v := range tokens.Data[token*tokens.Stride:][:tokens.Cols] {
			values = append(values, float64(v))
		}
		x = append(x, values)
	}
	for _, c := range []struct {
		recipe   string
		outliers bool
		multiply func(x []float64, w kernels.Matrix) []float64
	}{
		{"w8a16", false, roundedWeights}, {"w8a8", false, roundedBoth},
		{"w8a16", true, roundedWeights}, {"w8a8", true, roundedBoth},
	} {
		t.Run(c.recipe, func(t *testing.T) {
			run := r.runs(c.recipe, c.outliers)[0]
			exact, rounded := float64Model{o.Config, exactly}, float64Model{o.Config, c.multiply}
			reference, stream := x, x
			for layer := range o.Config.Layers {
				w := transformer.RandomWeights(o.Config, 3, layer)
				if c.outliers {
					// The channels in the middle of each half.
					for _, channel := range []int{24, 72} {
						w.AttentionNorm[channel], w.FeedForwardNorm[channel] = 32, 32
						for _, m := range []kernels.Matrix{w.Query, w.Key, w.Value, w.Gate, w.Up} {
							for j := range m.Cols {
								m.Data[channel*m.Stride+j] /= 32
							}
						}
					}
				}
				next := exact.layer(reference, w)
				added := relErr64(rounded.layer(reference, w), next)
				stream = rounded.layer(stream, w)
				reference = next
				// A value at the middle of a step may go either way in float32.
				near("what the layer adds", run.Added[layer], added, 0.02)
				near("the error of the stream", run.Stream[layer], relErr64(stream, reference), 0.02)
				size := 0.0
				for _, xt := range reference {
					for _, v := range xt {
						size += v * v
					}
				}
				near("the size of the stream", r.StreamRMS[0][layer+1], math.Sqrt(size/float64(o.Tokens*o.Config.Hidden)), 1e-5)
			}
			head := transformer.RandomHead(o.Config, 3)
			gain := slices.Repeat([]float32{1}, o.Config.Hidden)
			var kl, cosine, same float64
			for token := range x {
				p := exactly(exact.norm(reference[token], gain), head)
				q := exactly(exact.norm(stream[token], gain), head)
				var pq, pp, qq, sumP, sumQ float64
				for i := range p {
					pq, pp, qq = pq+p[i]*q[i], pp+p[i]*p[i], qq+q[i]*q[i]
					sumP, sumQ = sumP+math.Exp(p[i]), sumQ+math.Exp(q[i])
				}
				for i := range p {
					kl += math.Exp(p[i]) / sumP * (p[i] - q[i] - math.Log(sumP) + math.Log(sumQ))
				}
				cosine += pq / math.Sqrt(pp*qq)
				if slices.Index(p, slices.Max(p)) == slices.Index(q, slices.Max(q)) {
					same++
				}
			}
			n := float64(o.Tokens)
			near("KL", run.KL, kl/n, 0.05)
			near("1 - cosine", 1-run.Cosine, 1-cosine/n, 0.05)
			near("the same next token", run.Top1, same/n, 0)
		})
	}
	// bfloat16 does not see a power of two.
	plain, outliers := r.runs("bf16", false)[0], r.runs("bf16", true)[0]
	if !slices.Equal(plain.Stream, outliers.Stream) || plain.KL != outliers.KL {
		t.Error("outliers change bf16")
	}
}

// The error of one product of normal weights and activations is known.
func TestProductErrors(t *testing.T) {
	o := ErrorCompoundingOptions{
		Config: transformer.Config{Layers: 1, Hidden: 1024, Heads: 8, KVHeads: 8, HeadDim: 128, FeedForward: 1024, Vocabulary: 2, Epsilon: 1e-6, Theta: 1e6},
		Tokens: 8, OutlierChannels: -1,
	}
	r, err := ErrorCompounding(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// With k = 1024 the step of a column's 8 bits, and of 4 bits in groups of 32, gives
	// these errors of the weight, by quadrature over the largest of k normal variates.
	for recipe, want := range map[string]float64{"w8a16": 0.007856, "w4a16": 0.0970} {
		if got := r.runs(recipe, false)[0].Product[0]; math.Abs(got-want) > 0.03*want {
			t.Errorf("%s: %v, want %v", recipe, got, want)
		}
	}
	if len(r.Runs) != 4 || r.OutlierChannels != 0 {
		t.Errorf("%d runs, %d outlier channels", len(r.Runs), r.OutlierChannels)
	}
	if _, err := r.OutlierFigure(); err == nil {
		t.Error("a figure of outliers that there are not")
	}
}

func TestOwnRecipes(t *testing.T) {
	o := smallModel()
	o.Recipes = []Recipe{
		{"plain loops", func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewDense(w) }},
		{"nothing", func(w kernels.Matrix) (kernels.Multiplier, error) {
			return kernels.NewDense(kernels.New(w.Rows, w.Cols))
		}},
		{"same", func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewF32(w) }},
	}
	o.Seeds = []uint64{1, 2, 9}
	var steps []int
	o.Progress = func(done, of int) { steps = append(steps, done, of) }
	r, err := ErrorCompounding(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 24 || steps[0] != 0 || steps[22] != 11 || steps[23] != 12 {
		t.Errorf("progress %v", steps)
	}
	if len(r.Runs) != 18 {
		t.Errorf("%d runs", len(r.Runs))
	}
	for _, run := range r.Runs {
		switch run.Recipe {
		case "nothing":
			// Weights of zero leave the stream as it began.
			if run.Product[0] != 1 || run.Stream[3] < 0.5 {
				t.Errorf("%+v", run)
			}
		case "same":
			if run.Stream[3] != 0 || run.KL != 0 || run.Top1 != 1 {
				t.Errorf("%+v", run)
			}
		default:
			if run.Stream[3] > 1e-5 {
				t.Errorf("%+v", run)
			}
		}
		if want := int64(4 * (2*96*96 + 2*96*32 + 3*96*128) * 4); run.WeightBytes != want && run.Recipe == "plain loops" {
			t.Errorf("%d bytes, want %d", run.WeightBytes, want)
		}
	}
	figure, err := r.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if text := figure.String(); !strings.Contains(text, "nothing") || strings.Contains(text, "same") {
		t.Errorf("an exact recipe has no place on a logarithmic axis:\n%s", text)
	}
	if verdict := r.Verdict(); !strings.Contains(verdict, "plain loops: exact but for the order of sums") {
		t.Error(verdict)
	}
	if table := r.Table().String(); !strings.Contains(table, "± over 3 seeds") || !strings.Contains(table, "says nothing about a trained model") {
		t.Error(table)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again ErrorCompoundingResult
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("not the same after JSON: %v", err)
	}
	if !strings.Contains(r.Markdown(), "| recipe | outliers |") {
		t.Error(r.Markdown())
	}
}

func TestErrorCompoundingErrors(t *testing.T) {
	refused := errors.New("refused")
	own := func(prepare func(w kernels.Matrix) (kernels.Multiplier, error)) func(o *ErrorCompoundingOptions) {
		return func(o *ErrorCompoundingOptions) { o.Recipes = []Recipe{{"own", prepare}} }
	}
	for want, change := range map[string]func(o *ErrorCompoundingOptions){
		"heads is 6, want a multiple of kv_heads, 4": func(o *ErrorCompoundingOptions) { o.Config.KVHeads = 4 },
		"-1 tokens":                           func(o *ErrorCompoundingOptions) { o.Tokens = -1 },
		"no recipes":                          func(o *ErrorCompoundingOptions) { o.Recipes = []Recipe{} },
		"or no seeds":                         func(o *ErrorCompoundingOptions) { o.Seeds = []uint64{} },
		"the seed 4 is given twice":           func(o *ErrorCompoundingOptions) { o.Seeds = []uint64{4, 5, 4} },
		`two recipes are named "bf16"`:        func(o *ErrorCompoundingOptions) { o.Recipes = append(Recipes(), Recipes()...) },
		`the recipe "own" lacks`:              own(nil),
		"-2 outlier channels of 96":           func(o *ErrorCompoundingOptions) { o.OutlierChannels = -2 },
		"97 outlier channels of 96":           func(o *ErrorCompoundingOptions) { o.OutlierChannels = 97 },
		"an outlier factor of 3":              func(o *ErrorCompoundingOptions) { o.OutlierFactor = 3 },
		"an outlier factor of NaN":            func(o *ErrorCompoundingOptions) { o.OutlierFactor = float32(math.NaN()) },
		"an outlier factor of 0.5":            func(o *ErrorCompoundingOptions) { o.OutlierFactor = 0.5 },
		"layer 0 of seed 3: recipe own: tran": own(func(kernels.Matrix) (kernels.Multiplier, error) { return nil, refused }),
		"layer 0 of seed 3: recipe own: a result is not finite": own(func(w kernels.Matrix) (kernels.Multiplier, error) {
			w.Data = slices.Clone(w.Data)
			w.Data[0] = float32(math.Inf(1))
			return kernels.NewDense(w)
		}),
	} {
		o := smallModel()
		change(&o)
		if _, err := ErrorCompounding(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := smallModel()
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(done, _ int) {
		if done == 2 {
			cancel()
		}
		if done > 2 {
			t.Error("the experiment goes on")
		}
	}
	if _, err := ErrorCompounding(ctx, o); err != context.Canceled {
		t.Errorf("a context that is cancelled: %v", err)
	}
}

// invented makes a result of two recipes, with these errors at layers 1, 2 and 4, of
// which each layer adds 1%.
func invented(streams map[string][3]float64, kl, withOutliers map[string]float64) ErrorCompoundingResult {
	r := ErrorCompoundingResult{Config: transformer.Config{Layers: 4, Hidden: 64}, Tokens: 8, Seeds: []uint64{1}, OutlierChannels: 2, OutlierFactor: 32}
	for _, recipe := range []string{"bf16", "w8a8"} {
		s := streams[recipe]
		run := CompoundingRun{
			Recipe: recipe, Product: []float64{s[0], s[0], s[0], s[0]}, Added: []float64{0.01, 0.01, 0.01, 0.01},
			Stream: []float64{s[0], s[1], s[1], s[2]}, Cosine: 0.99, KL: kl[recipe], Top1: 0.75,
		}
		r.Runs = append(r.Runs, run)
		if after, ok := withOutliers[recipe]; ok {
			run.Outliers, run.KL, run.Stream = true, after, []float64{s[0], s[1], s[1], s[2] * after / kl[recipe]}
			r.Runs = append(r.Runs, run)
		}
	}
	return r
}

func TestErrorCompoundingVerdict(t *testing.T) {
	for _, c := range []struct {
		name     string
		result   ErrorCompoundingResult
		has, not []string
	}{
		{"nothing", ErrorCompoundingResult{}, []string{"Nothing was computed."}, nil},
		{
			"independent, slow",
			invented(map[string][3]float64{"bf16": {0.01, 0.018, 0.02}, "w8a8": {0.012, 0.018, 0.021}}, map[string]float64{"bf16": 1, "w8a8": 2}, nil),
			[]string{
				"bf16: 1% in a product, 2% in the residual stream after 4 layers, 2.0 times that", "With bf16, w8a8, the errors that the layers add behave like independent ones: the error of the stream is 1.00 to 1.05 times",
				"1.11 to 1.17 times, more slowly than the square root", "best first: bf16, w8a8; the error of a single product gives the same order",
				"the same at bf16 75%, w8a8 75% of the positions", "no statement about a trained model",
			},
			[]string{"amplify", "damp", "Outliers"},
		},
		{
			"amplified, fast, another order",
			invented(map[string][3]float64{"bf16": {0.01, 0.02, 0.2}, "w8a8": {0.02, 0.02, 0.3}}, map[string]float64{"bf16": 2, "w8a8": 1}, map[string]float64{"bf16": 2, "w8a8": 8}),
			[]string{
				"With bf16, w8a8, later layers amplify the errors of earlier ones: the error of the stream is 10.0 to 15.0 times", "10.0 to 15.0 times, faster than in proportion",
				"best first: w8a8, bf16; the error of a single product gives another order: bf16, w8a8",
				"Outliers (2 of 64 channels 32 times as large, the function unchanged) raise the error of the stream of w8a8 (30% to 240%, 8.00 times).",
				"leave the error of the stream of bf16 (20% to 20%, 1.00 times) as it was.",
				"With outliers the order by the KL of the logits becomes bf16, w8a8.",
			},
			[]string{"independent ones:", "damp", "lower"},
		},
		{
			"damped, mixed growth",
			invented(map[string][3]float64{"bf16": {0.01, 0.002, 0.01}, "w8a8": {0.01, 0.01, 0.01}}, map[string]float64{"bf16": 2, "w8a8": 4}, map[string]float64{"bf16": 1, "w8a8": 1}),
			[]string{"later layers damp the errors of earlier ones: the error of the stream is 0.50 times", "1.00 to 5.00 times, differently from recipe to recipe", "lower the error of the stream of bf16 (1% to 0.5%, 0.50 times), w8a8"},
			[]string{"amplify", "raise", "as it was"},
		},
		{
			"between",
			invented(map[string][3]float64{"bf16": {0.01, 0.0133, 0.02}, "w8a8": {0.01, 0.01, 0.02}}, map[string]float64{"bf16": 2, "w8a8": 4}, nil),
			[]string{"1.50 to 2.00 times, between the square root of the depth and in proportion to it"},
			nil,
		},
	} {
		verdict := c.result.Verdict()
		for _, want := range c.has {
			if !strings.Contains(verdict, want) {
				t.Errorf("%s: the verdict lacks %q:\n%s", c.name, want, verdict)
			}
		}
		for _, no := range c.not {
			if strings.Contains(verdict, no) {
				t.Errorf("%s: the verdict has %q:\n%s", c.name, no, verdict)
			}
		}
	}
}

func TestErrorCompoundingFigureOfOneLayer(t *testing.T) {
	o := smallModel()
	o.Config.Layers = 1
	r, err := ErrorCompounding(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Figure(); err != nil {
		t.Error(err)
	}
}

// A layer whose error differs much between the seeds is shown too, though mean less
// deviation has no place on the logarithmic axis: of 1e-4 and 0.01 it is negative.
func TestErrorCompoundingFigureShowsScatteredLayers(t *testing.T) {
	r := ErrorCompoundingResult{Config: smallModel().Config, Tokens: 1, Seeds: []uint64{1, 2}}
	r.Config.Layers = 2
	for i, first := range []float64{1e-4, 0.01} {
		r.Runs = append(r.Runs, CompoundingRun{Recipe: "w8a16", Seed: uint64(i + 1),
			Product: []float64{0.01, 0.01}, Stream: []float64{first, 0.02}, Added: []float64{first, 0.01}})
	}
	figure, err := r.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if text := figure.String(); !strings.Contains(text, "0.00505") || !strings.Contains(text, "-0.00195") {
		t.Errorf("the first layer is missing:\n%s", text)
	}
}

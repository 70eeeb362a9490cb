package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/transformer"
)

// A Recipe is a way of storing the weights of a model: a named function from a weight
// W[k,n] to what activations are multiplied by. Prepare is called for several weights
// at a time.
type Recipe struct {
	Name    string
	Prepare func(w kernels.Matrix) (kernels.Multiplier, error)
}

// Recipes returns those that ErrorCompounding compares when it is given none: bf16,
// w8a16, w8a8 and w4a16 in groups of 32, each under the name of its scheme.
func Recipes() []Recipe {
	return []Recipe{
		{kernels.SchemeBF16, construct(kernels.NewBF16)},
		{kernels.SchemeW8A16, construct(kernels.NewW8A16)},
		{kernels.SchemeW8A8, construct(kernels.NewW8A8)},
		{kernels.SchemeW4A16, construct(kernels.NewW4A16)},
	}
}

// ErrorCompoundingOptions changes what ErrorCompounding computes. The zero value is for
// the shape of Qwen3-0.6B and takes some 20 seconds.
type ErrorCompoundingOptions struct {
	// Config is the shape of the model; the zero value for that of Qwen3-0.6B with a
	// vocabulary cut to 4096.
	Config transformer.Config
	// Tokens is the length of the sequence; 0 for 16.
	Tokens int
	// Seeds are those of the models, one of random weights for each; nil for the one
	// seed 1.
	Seeds []uint64
	// Recipes are what is compared with float32; nil for those that Recipes returns.
	Recipes []Recipe
	// OutlierChannels is how many channels of the normalized activations are
	// OutlierFactor times as large in the second variant of each model; 0 for 6, -1 for
	// no second variant. It is at most Config.Hidden.
	OutlierChannels int
	// OutlierFactor is a power of two, so that the model stays the same function to the
	// last bit; 0 for 32.
	OutlierFactor float32
	// Progress, if not nil, is called when a layer begins: how many were done in all
	// models, and of how many.
	Progress func(done, of int)
}

// QuickErrorCompounding returns options for a smaller model, which take about a second.
func QuickErrorCompounding() ErrorCompoundingOptions {
	c := transformer.Qwen3Shape()
	c.Layers, c.Hidden, c.Heads, c.KVHeads, c.HeadDim, c.FeedForward, c.Vocabulary = 8, 256, 4, 2, 64, 768, 1024
	return ErrorCompoundingOptions{Config: c, Tokens: 8}
}

func (o *ErrorCompoundingOptions) setDefaults() {
	if o.Config == (transformer.Config{}) {
		o.Config = transformer.Qwen3Shape()
		o.Config.Vocabulary = 4096
	}
	if o.Tokens == 0 {
		o.Tokens = 16
	}
	if o.Seeds == nil {
		o.Seeds = []uint64{1}
	}
	if o.Recipes == nil {
		o.Recipes = Recipes()
	}
	if o.OutlierChannels == 0 {
		o.OutlierChannels = min(6, o.Config.Hidden)
	}
	if o.OutlierFactor == 0 {
		o.OutlierFactor = 32
	}
}

func (o *ErrorCompoundingOptions) check() error {
	if err := o.Config.Check(); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	names := map[string]bool{}
	for _, recipe := range o.Recipes {
		switch {
		case recipe.Name == "" || recipe.Prepare == nil:
			return fmt.Errorf("experiment: the recipe %q lacks a name or a function", recipe.Name)
		case names[recipe.Name]:
			return fmt.Errorf("experiment: two recipes are named %q", recipe.Name)
		}
		names[recipe.Name] = true
	}
	seeds := map[uint64]bool{}
	for _, seed := range o.Seeds {
		if seeds[seed] {
			return fmt.Errorf("experiment: the seed %d is given twice", seed)
		}
		seeds[seed] = true
	}
	fraction, _ := math.Frexp(float64(o.OutlierFactor))
	switch {
	case len(o.Recipes) == 0 || len(o.Seeds) == 0:
		return errors.New("experiment: no recipes, or no seeds")
	case o.Tokens < 1:
		return fmt.Errorf("experiment: %d tokens, want at least 1", o.Tokens)
	case o.OutlierChannels < -1 || o.OutlierChannels > o.Config.Hidden:
		return fmt.Errorf("experiment: %d outlier channels of %d", o.OutlierChannels, o.Config.Hidden)
	case fraction != 0.5 || !(o.OutlierFactor <= 1<<16) || !(o.OutlierFactor >= 1):
		return fmt.Errorf("experiment: an outlier factor of %v, want a power of two from 1 to 65536", o.OutlierFactor)
	}
	return nil
}

// ErrorCompounding follows the error of recipes for storing weights through the layers
// of a transformer with random weights: how large it is in one product, what a layer
// adds to it, how it stands in the residual stream after each layer, and what is left
// of it in the logits. The reference is the same forward pass in float32.
//
// The layers are those of package transformer; normalization, attention, the gated
// activation and the product that gives the logits are in float32 with every recipe.
// With outliers, some channels of the normalized activations are larger and the rows of
// the weights that they meet smaller in proportion, which leaves the function the same:
// see transformer.Weights.WithOutlierChannels.
//
// The layers are made one at a time, so that memory is needed for one of them, some 250
// MB in the default shape. It returns an error when a recipe refuses a weight or a
// result is not finite, and that of ctx as soon as a layer ends after it.
func ErrorCompounding(ctx context.Context, o ErrorCompoundingOptions) (ErrorCompoundingResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return ErrorCompoundingResult{}, err
	}
	r := ErrorCompoundingResult{
		Config: o.Config, Tokens: o.Tokens, Seeds: o.Seeds,
		OutlierChannels: max(0, o.OutlierChannels), OutlierFactor: float64(o.OutlierFactor),
	}
	for i, seed := range o.Seeds {
		m := newCompoundingModel(o, seed)
		for layer := range o.Config.Layers {
			if err := ctx.Err(); err != nil {
				return ErrorCompoundingResult{}, err
			}
			if o.Progress != nil {
				o.Progress(i*o.Config.Layers+layer, len(o.Seeds)*o.Config.Layers)
			}
			if err := m.advance(layer); err != nil {
				return ErrorCompoundingResult{}, fmt.Errorf("experiment: layer %d of seed %d: %w", layer, seed, err)
			}
		}
		if err := m.finish(); err != nil {
			return ErrorCompoundingResult{}, fmt.Errorf("experiment: the logits of seed %d: %w", seed, err)
		}
		r.Runs = append(r.Runs, m.runs...)
		r.StreamRMS = append(r.StreamRMS, m.rms)
	}
	return r, nil
}

// A compoundingModel takes the residual streams of a model through its layers, that of
// the reference and that of each run.
type compoundingModel struct {
	options   ErrorCompoundingOptions
	seed      uint64
	outliers  []int // channels
	reference kernels.Matrix
	rms       []float64        // of reference, before the first layer and after each
	runs      []CompoundingRun // of each recipe, and then of each with outliers
	streams   []kernels.Matrix // of each run
}

func newCompoundingModel(o ErrorCompoundingOptions, seed uint64) *compoundingModel {
	m := &compoundingModel{options: o, seed: seed, reference: transformer.RandomTokens(o.Config, seed, o.Tokens)}
	m.rms = []float64{rms(m.reference)}
	for i := range o.OutlierChannels {
		m.outliers = append(m.outliers, (2*i+1)*o.Config.Hidden/(2*o.OutlierChannels))
	}
	for _, outliers := range []bool{false, true} {
		if outliers && m.outliers == nil {
			continue
		}
		for _, recipe := range o.Recipes {
			m.runs = append(m.runs, CompoundingRun{Recipe: recipe.Name, Outliers: outliers, Seed: seed})
			m.streams = append(m.streams, m.reference)
		}
	}
	return m
}

// A product is the input and the output of a projection.
type product struct {
	projection transformer.Projection
	in, out    kernels.Matrix
}

// advance takes all streams through a layer.
func (m *compoundingModel) advance(layer int) error {
	c := m.options.Config
	weights := transformer.RandomWeights(c, m.seed, layer)
	withOutliers := weights.WithOutlierChannels(m.outliers, m.options.OutlierFactor)
	f32, err := transformer.NewLayer(c, weights, func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewF32(w) })
	if err != nil {
		return err
	}
	var products []product
	next := f32.ForwardObserved(m.reference, func(p transformer.Projection, in, out kernels.Matrix) {
		products = append(products, product{p, in, out})
	})
	for i, recipe := range m.options.Recipes {
		l, err := transformer.NewLayer(c, weights, recipe.Prepare)
		if err == nil {
			err = m.follow(i, l, products, next)
		}
		if err == nil && m.outliers != nil {
			l, err = transformer.NewLayer(c, withOutliers, sharing(l, weights, recipe.Prepare))
			if err == nil {
				err = m.follow(len(m.options.Recipes)+i, l, products, next)
			}
		}
		if err != nil {
			return fmt.Errorf("recipe %s: %w", recipe.Name, err)
		}
	}
	m.reference = next
	m.rms = append(m.rms, rms(next))
	return nil
}

// sharing returns prepare, but for weights that l was made of: those it takes from l.
func sharing(l *transformer.Layer, of transformer.Weights, prepare func(kernels.Matrix) (kernels.Multiplier, error)) func(kernels.Matrix) (kernels.Multiplier, error) {
	return func(w kernels.Matrix) (kernels.Multiplier, error) {
		for p := transformer.Query; p <= transformer.Down; p++ {
			if &of.Projection(p).Data[0] == &w.Data[0] {
				return l.Projection(p), nil
			}
		}
		return prepare(w)
	}
}

// follow takes the stream of a run through the layer l, whose products and result in the
// reference are these.
func (m *compoundingModel) follow(i int, l *transformer.Layer, products []product, next kernels.Matrix) error {
	run := &m.runs[i]
	run.Impl = l.Projection(transformer.Query).Info().Impl
	run.WeightBytes += l.WeightBytes()
	var squares float64
	for _, p := range products {
		in := p.in
		if run.Outliers {
			in = m.withOutliers(p)
		}
		e := kernels.RelErr(kernels.Mul(l.Projection(p.projection), in), p.out)
		squares += e * e
	}
	m.streams[i] = l.Forward(m.streams[i])
	errs := []float64{math.Sqrt(squares / float64(len(products))), kernels.RelErr(l.Forward(m.reference), next), kernels.RelErr(m.streams[i], next)}
	if !finite(errs...) {
		return errors.New("a result is not finite")
	}
	run.Product, run.Added, run.Stream = append(run.Product, errs[0]), append(run.Added, errs[1]), append(run.Stream, errs[2])
	return nil
}

// withOutliers returns what the input of a product of the reference is with outliers.
func (m *compoundingModel) withOutliers(p product) kernels.Matrix {
	if p.projection == transformer.Output || p.projection == transformer.Down {
		return p.in
	}
	in := p.in
	in.Data = slices.Clone(in.Data)
	for t := range in.Rows {
		for _, channel := range m.outliers {
			in.Data[t*in.Stride+channel] *= m.options.OutlierFactor
		}
	}
	return in
}

// finish compares the logits.
func (m *compoundingModel) finish() error {
	c := m.options.Config
	head, err := kernels.NewF32(transformer.RandomHead(c, m.seed))
	if err != nil {
		return err
	}
	gain := slices.Repeat([]float32{1}, c.Hidden)
	logits := func(stream kernels.Matrix) kernels.Matrix {
		return kernels.Mul(head, transformer.RMSNorm(stream, gain, c.Epsilon))
	}
	want := logits(m.reference)
	for i := range m.runs {
		got, run := logits(m.streams[i]), &m.runs[i]
		run.Cosine, run.KL, run.Top1 = transformer.Cosine(got, want), transformer.KL(got, want), transformer.Top1(got, want)
		if !finite(run.Cosine, run.KL) {
			return fmt.Errorf("recipe %s: a result is not finite", run.Recipe)
		}
	}
	return nil
}

// rms returns the root mean square of a matrix without gaps.
func rms(a kernels.Matrix) float64 {
	var sum float64
	for _, v := range a.Data {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(a.Data)))
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

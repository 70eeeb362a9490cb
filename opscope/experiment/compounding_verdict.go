package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	// addedAlone is how far the error of the stream may be from that of independent
	// errors, as a factor, to be called that.
	addedAlone = 1.25
	// unaffected is up to which factor outliers leave an error what it was.
	unaffected = 1.1
	// rounding is the error up to which a recipe is called exact: that of sums in
	// float32 in another order.
	rounding = 1e-5
)

// Verdict says what the figures mean, a line for each answer: what became of the error
// of a product, whether the errors of the layers add like independent ones, how they
// grow with depth, which recipe keeps the logits best, and what outliers change.
func (r ErrorCompoundingResult) Verdict() string {
	if len(r.Runs) == 0 {
		return "Nothing was computed."
	}
	var plain, outliers []summary
	for _, recipe := range r.recipes() {
		if s := r.summary(recipe, false); s.runs > 0 {
			plain = append(plain, s)
		}
		if s := r.summary(recipe, true); s.runs > 0 {
			outliers = append(outliers, s)
		}
	}
	lines := []string{fmt.Sprintf("Against the same forward pass in float32; %s, models: %d. Nothing was trained, so this says how errors spread, not what a trained model loses.", r.model(), len(r.Seeds))}
	lines = append(lines, r.spread(plain)...)
	lines = append(lines, accumulation(plain)...)
	lines = append(lines, growth(plain)...)
	lines = append(lines, ranking(plain)...)
	lines = append(lines, r.outlierSentences(plain, outliers)...)
	lines = append(lines, r.agreement(plain)...)
	return strings.Join(lines, "\n")
}

// inexact leaves out the recipes that round nothing but sums.
func inexact(all []summary) []summary {
	return slices.DeleteFunc(slices.Clone(all), func(s summary) bool { return s.stream <= rounding })
}

// spread gives the error in a product, in the stream and in the logits.
func (r ErrorCompoundingResult) spread(all []summary) []string {
	var lines []string
	for _, s := range all {
		if s.stream <= rounding {
			lines = append(lines, fmt.Sprintf("%s: exact but for the order of sums, %s after %d layers.", s.recipe, percent(s.stream), r.Config.Layers))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s in a product, %s in the residual stream after %d layers, %.1f times that; logits: cosine %.5f, KL %.1e nats.",
			s.recipe, percent(s.product), percent(s.stream), r.Config.Layers, s.stream/s.product, s.cosine, s.kl))
	}
	return lines
}

// accumulation compares with independent errors.
func accumulation(all []summary) []string {
	type class struct {
		low, high float64
		recipes   []string
	}
	var same, more, less class
	for _, s := range inexact(all) {
		if s.independent == 0 {
			continue
		}
		ratio := s.stream / s.independent
		c := &same
		if ratio > addedAlone {
			c = &more
		} else if ratio < 1/addedAlone {
			c = &less
		}
		if c.recipes == nil {
			c.low = math.Inf(1)
		}
		c.low, c.high = min(c.low, ratio), max(c.high, ratio)
		c.recipes = append(c.recipes, s.recipe)
	}
	var lines []string
	for _, c := range []struct {
		class
		meaning string
	}{
		{same, "the errors that the layers add behave like independent ones"},
		{more, "later layers amplify the errors of earlier ones"},
		{less, "later layers damp the errors of earlier ones"},
	} {
		if c.recipes != nil {
			lines = append(lines, fmt.Sprintf("With %s, %s: the error of the stream is %s times the root of the sum of the squares of what each layer adds.",
				strings.Join(c.recipes, ", "), c.meaning, between(c.low, c.high)))
		}
	}
	return lines
}

// growth says how the error grows in the second half of the layers.
func growth(all []summary) []string {
	low, high := math.Inf(1), 0.0
	for _, s := range inexact(all) {
		if s.middle > 0 {
			low, high = min(low, s.stream/s.middle), max(high, s.stream/s.middle)
		}
	}
	if high == 0 {
		return nil
	}
	var meaning string
	switch {
	case high < math.Sqrt2:
		meaning = "more slowly than the square root of the depth"
	case low > 2:
		meaning = "faster than in proportion to the depth"
	case low >= math.Sqrt2 && high <= 2:
		meaning = "between the square root of the depth and in proportion to it"
	default:
		meaning = "differently from recipe to recipe"
	}
	return []string{fmt.Sprintf("Over the second half of the layers the error grows %s times, %s (1.41 would be the square root, 2 in proportion).", between(low, high), meaning)}
}

// ranking orders the recipes by their logits and says whether one product would have
// told.
func ranking(all []summary) []string {
	if len(all) < 2 {
		return nil
	}
	byLogits, byProduct := order(all, func(s summary) float64 { return s.kl }), order(all, func(s summary) float64 { return s.product })
	text := fmt.Sprintf("By the KL of the logits, best first: %s; ", strings.Join(byLogits, ", "))
	if slices.Equal(byLogits, byProduct) {
		return []string{text + "the error of a single product gives the same order."}
	}
	return []string{text + fmt.Sprintf("the error of a single product gives another order: %s.", strings.Join(byProduct, ", "))}
}

func order(all []summary, by func(summary) float64) []string {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b summary) int {
		switch {
		case by(a) < by(b):
			return -1
		case by(a) > by(b):
			return 1
		}
		return 0
	})
	var names []string
	for _, s := range sorted {
		names = append(names, s.recipe)
	}
	return names
}

// outlierSentences says what outliers do to each recipe.
func (r ErrorCompoundingResult) outlierSentences(plain, outliers []summary) []string {
	if len(outliers) == 0 {
		return nil
	}
	var worse, unchanged, better []string
	for _, before := range inexact(plain) {
		for _, after := range outliers {
			if after.recipe != before.recipe {
				continue
			}
			text := fmt.Sprintf("%s (%s to %s, %s times)", before.recipe, percent(before.stream), percent(after.stream), between(after.stream/before.stream, after.stream/before.stream))
			switch ratio := after.stream / before.stream; {
			case ratio > unaffected:
				worse = append(worse, text)
			case ratio < 1/unaffected:
				better = append(better, text)
			default:
				unchanged = append(unchanged, text)
			}
		}
	}
	channels := fmt.Sprintf("%d of %d channels %v times as large", r.OutlierChannels, r.Config.Hidden, r.OutlierFactor)
	var lines []string
	for _, c := range []struct {
		recipes []string
		meaning string
	}{
		{worse, "raise the error of the stream of"}, {unchanged, "leave the error of the stream of"}, {better, "lower the error of the stream of"},
	} {
		if c.recipes == nil {
			continue
		}
		text := fmt.Sprintf("Outliers (%s, the function unchanged) %s %s", channels, c.meaning, strings.Join(c.recipes, ", "))
		if c.meaning == "leave the error of the stream of" {
			text += " as it was"
		}
		lines = append(lines, text+".")
	}
	if before, after := order(plain, func(s summary) float64 { return s.kl }), order(outliers, func(s summary) float64 { return s.kl }); !slices.Equal(before, after) && len(before) == len(after) {
		lines = append(lines, fmt.Sprintf("With outliers the order by the KL of the logits becomes %s.", strings.Join(after, ", ")))
	}
	return lines
}

// agreement gives the share of tokens with the same likeliest next one, and says what
// it does not mean.
func (r ErrorCompoundingResult) agreement(all []summary) []string {
	var parts []string
	for _, s := range all {
		parts = append(parts, fmt.Sprintf("%s %.0f%%", s.recipe, 100*s.top1))
	}
	if parts == nil {
		return nil
	}
	return []string{fmt.Sprintf("The likeliest next token stays the same at %s of the positions. The logits of random weights lie close together, so that this is no statement about a trained model.", strings.Join(parts, ", "))}
}

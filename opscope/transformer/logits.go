package transformer

import "math"

// Cosine returns the mean over the tokens of the cosine of the angle between a row of
// got and that of want: 1 when they point the same way, whatever their lengths. Both
// are [tokens, n] with at least one token. A row of zeros has no angle and gives NaN.
func Cosine(got, want Matrix) float64 {
	return meanOverTokens("Cosine", got, want, func(g, w []float32) float64 {
		return dot(g, w) / math.Sqrt(dot(g, g)*dot(w, w))
	})
}

// KL returns the mean over the tokens of the Kullback-Leibler divergence of the next
// token's distribution that the logits got give from the one that the logits want give,
//
//	sum over i of p[i] ln(p[i] / q[i]),  p = softmax(want), q = softmax(got)
//
// in nats: 0 when both distributions are the same. Both are [tokens, vocabulary] with
// at least one token.
func KL(got, want Matrix) float64 {
	return meanOverTokens("KL", got, want, func(g, w []float32) float64 {
		logQ, logP := logSoftmax(g), logSoftmax(w)
		var sum float64
		for i, lp := range logP {
			sum += math.Exp(lp) * (lp - logQ[i])
		}
		return max(0, sum) // rounding may leave -1e-17
	})
}

// Top1 returns the fraction of tokens at which the largest logit of got and of want is
// that of the same next token, the first of equal ones. Both are [tokens, vocabulary]
// with at least one of each.
func Top1(got, want Matrix) float64 {
	return meanOverTokens("Top1", got, want, func(g, w []float32) float64 {
		if largest(g) == largest(w) {
			return 1
		}
		return 0
	})
}

func meanOverTokens(function string, got, want Matrix, of func(got, want []float32) float64) float64 {
	check(function, "want", want, want.Rows, want.Cols)
	check(function, "got", got, want.Rows, want.Cols)
	var sum float64
	for t := range want.Rows {
		sum += of(row(got, t), row(want, t))
	}
	return sum / float64(want.Rows)
}

func largest(v []float32) int {
	at := 0
	for i, x := range v {
		if x > v[at] {
			at = i
		}
	}
	return at
}

// logSoftmax returns v less the logarithm of the sum of exp(v).
func logSoftmax(v []float32) []float64 {
	highest := math.Inf(-1)
	for _, x := range v {
		highest = max(highest, float64(x))
	}
	var sum float64
	for _, x := range v {
		sum += math.Exp(float64(x) - highest)
	}
	logs := make([]float64, len(v))
	for i, x := range v {
		logs[i] = float64(x) - highest - math.Log(sum)
	}
	return logs
}

package transformer

import (
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// Attention returns, for each head of the queries q[tokens, heads*headDim], the mean of
// the values of the tokens up to and including its own, weighted by
//
//	softmax over s <= t of q[t] k[s] / sqrt(headDim)
//
// (Vaswani et al., "Attention Is All You Need", 2017). The keys and the values,
// [tokens, groups*headDim] each, have a head for each group of heads/groups
// neighbouring heads of the queries (Ainslie et al., "GQA", 2023). The result has the
// shape of q. The work grows with the square of the tokens.
func Attention(q, k, v Matrix, headDim int) Matrix {
	heads := checkHeads("Attention", "q", q, headDim)
	groups := checkHeads("Attention", "k", k, headDim)
	check("Attention", "k", k, q.Rows, k.Cols)
	check("Attention", "v", v, q.Rows, k.Cols)
	if heads > 0 && (groups == 0 || heads%groups != 0) {
		panic(fmt.Errorf("transformer: Attention: %d heads of queries, want a multiple of the %d of keys", heads, groups))
	}
	y := kernels.New(q.Rows, q.Cols)
	weights := make([]float64, q.Rows)
	mean := make([]float64, headDim)
	for h := range heads {
		group := h / (heads / groups)
		for t := range q.Rows {
			query := row(q, t)[h*headDim:][:headDim]
			for s := range t + 1 {
				weights[s] = dot(query, row(k, s)[group*headDim:][:headDim]) / math.Sqrt(float64(headDim))
			}
			softmax(weights[:t+1])
			clear(mean)
			for s, weight := range weights[:t+1] {
				for i, value := range row(v, s)[group*headDim:][:headDim] {
					mean[i] += weight * float64(value)
				}
			}
			for i, value := range mean {
				y.Data[t*y.Stride+h*headDim+i] = float32(value)
			}
		}
	}
	return y
}

func dot(a, b []float32) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

// softmax replaces the elements of v by exp(v) over their sum.
func softmax(v []float64) {
	highest := math.Inf(-1)
	for _, x := range v {
		highest = max(highest, x)
	}
	var sum float64
	for i, x := range v {
		v[i] = math.Exp(x - highest)
		sum += v[i]
	}
	for i := range v {
		v[i] /= sum
	}
}

package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/rlx-go/gopherscope/opscope"
)

// probeFigures are the figures of a weight that reports show, NaN where there are none.
type probeFigures struct {
	int8, int4, sparse, zeros float64
	// rank is that for an error of 10% over the break-even rank; rankAtLeast says that
	// it is more.
	rank        float64
	rankAtLeast bool
	outliers    string // input + output channels
}

func figuresOf(p *opscope.Profile) probeFigures {
	f := probeFigures{int8: p.QuantError(8, opscope.PerColumn), int4: p.GroupQuantError(4, 32), sparse: p.NMError(2, 4), zeros: 1 - p.Density, rank: math.NaN()}
	if s := p.Spectral; s != nil {
		if even := opscope.BreakEvenRank(p.Rows, p.Cols); even > 0 {
			f.rank, f.rankAtLeast = float64(s.Rank10.Rank)/float64(even), s.Rank10.AtLeast
		}
	}
	f.outliers = "-"
	if len(p.Outliers) == 2 && p.NonFinite.Count == 0 {
		f.outliers = fmt.Sprintf("%d+%d", p.Outliers[0].Count, p.Outliers[1].Count)
	}
	return f
}

func (f probeFigures) rankText() string {
	if math.IsNaN(f.rank) {
		return "-"
	}
	text := fmt.Sprintf("%.0f%%", 100*f.rank)
	if f.rankAtLeast {
		return "> " + text
	}
	return text
}

var digits = regexp.MustCompile(`[0-9]+`)

// kindOf is a name with its numbers replaced: what the layers of a model have in common.
// The names of few have numbers that mean something else, as "conv2d" or "fc1"; only
// a number between dots, slashes, underscores or brackets is replaced.
func kindOf(name string) string {
	kind, _, _ := splitLayer(name)
	return kind
}

// What the number of a name counts.
const (
	layerNumber  = "layer"
	expertNumber = "expert"
)

// splitLayer returns the kind of a name, a number that was replaced, and what it counts:
// the first number that is not an expert's is that of a layer. Where experts alone are
// numbered it is the expert's. Without a number counts is empty.
func splitLayer(name string) (kind string, number int, counts string) {
	const separators = "./_[]-"
	last := 0
	var b strings.Builder
	for _, at := range digits.FindAllStringIndex(name, -1) {
		before := at[0] == 0 || strings.ContainsRune(separators, rune(name[at[0]-1]))
		after := at[1] == len(name) || strings.ContainsRune(separators, rune(name[at[1]]))
		n, err := strconv.Atoi(name[at[0]:at[1]])
		if !before || !after || err != nil {
			continue
		}
		switch is := numberCounts(name[:at[0]]); {
		case counts == "", counts == expertNumber && is == layerNumber:
			number, counts = n, is
		}
		b.WriteString(name[last:at[0]] + "*")
		last = at[1]
	}
	return b.String() + name[last:], number, counts
}

// numberCounts tells what a number after that beginning of a name counts. One in brackets
// is the place in a stack.
func numberCounts(before string) string {
	if strings.HasSuffix(before, "[") || strings.HasSuffix(strings.TrimRight(before, "./_-"), "experts") {
		return expertNumber
	}
	return layerNumber
}

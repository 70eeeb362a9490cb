package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// shard is part index of count.
type shard struct{ index, count int }

// maxShards keeps a slip of the finger from making a million empty parts.
const maxShards = 10000

// parseShard reads "i/n"; "" is the whole.
func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{0, 1}, nil
	}
	i, n, found := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(i)
	total, err2 := strconv.Atoi(n)
	switch {
	case !found || err1 != nil || err2 != nil || total < 1 || total > maxShards:
		return shard{}, fmt.Errorf("--shard: %q is not I/N, such as 0/32 for the first of 32 parts", text)
	case index < 0 || index >= total:
		return shard{}, fmt.Errorf("--shard %s: the parts are 0/%d to %d/%d", text, total, total-1, total)
	}
	return shard{index, total}, nil
}

// of returns the items of the part, in their order. The largest items are dealt
// first, each to the part with the least work, so that the parts take about as long;
// every run on the same files deals alike.
func (s shard) of(items []probeItem) []probeItem {
	if s.count == 1 {
		return items
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	cost := func(it probeItem) int64 {
		if it.line.Status != statusProbed {
			return 0
		}
		return it.line.Elements
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cost(items[b]), cost(items[a])) })
	work := make([]int64, s.count)
	var mine []int
	for _, i := range order {
		least := slices.Index(work, slices.Min(work))
		work[least] += cost(items[i])
		if least == s.index {
			mine = append(mine, i)
		}
	}
	slices.Sort(mine)
	var part []probeItem
	for _, i := range mine {
		part = append(part, items[i])
	}
	return part
}

package charts

import "fmt"

func (b *bins) table() Table {
	t := Table{Columns: []string{b.x.title() + " from", "to", b.y.title()}}
	for i, n := range b.counts {
		t.Rows = append(t.Rows, []any{b.edges[i], b.edges[i+1], n})
	}
	return t
}

// notes says in words where the values lie, for the alternative text.
func (b *bins) notes() []string {
	most := 0
	for i, n := range b.counts {
		if n > b.counts[most] {
			most = i
		}
	}
	q := b.quartiles
	return []string{
		fmt.Sprintf("%d values from %s to %s, half of them from %s to %s, median %s", b.total,
			formatNumber(q[0]), formatNumber(q[4]), formatNumber(q[1]), formatNumber(q[3]), formatNumber(q[2])),
		fmt.Sprintf("the fullest of %d bins, from %s to %s, holds %d", len(b.counts),
			formatNumber(b.edges[most]), formatNumber(b.edges[most+1]), b.counts[most]),
	}
}

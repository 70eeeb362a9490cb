package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/charts"
	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// A CacheVsDRAMResult holds what CacheVsDRAM measured.
type CacheVsDRAMResult struct {
	// Machine holds the peaks that were measured with the largest model, and the highest
	// bandwidth of each size that was measured with any.
	Machine bench.Machine `json:"machine"`
	// Caches are those of data of the first processor, as far as they are known, and
	// LastLevelCache is the size of the last one, in bytes.
	Caches         []CacheLevel `json:"caches"`
	LastLevelCache int64        `json:"last_level_cache"`
	// Stopped says why the sweep ended before the largest model, "" if it did not.
	Stopped string `json:"stopped"`
	// Rows are in ascending order of Weights.
	Rows []CacheRow `json:"rows"`
}

// A CacheLevel is a cache of data.
type CacheLevel struct {
	Level int   `json:"level"`
	Bytes int64 `json:"bytes"`
}

// A CacheRow is the time of multiplying one row of x by all weights of a model.
type CacheRow struct {
	Scheme  string `json:"scheme"`
	Impl    string `json:"impl"`
	Weights int64  `json:"weights"` // their number
	// The model has so many matrices W[k,n].
	Copies   int     `json:"copies"`
	K        int     `json:"k"`
	N        int     `json:"n"`
	Bytes    int64   `json:"bytes"`     // of the model: the working set
	NS       int64   `json:"ns"`        // a call, in the fastest round
	MedianNS int64   `json:"median_ns"` // of the median round
	GBps     float64 `json:"gbps"`
	ReadGBps float64 `json:"read_gbps"` // of reading as many bytes, in the same rounds
}

// dramFactor is how many times the last-level cache a working set must exceed to come
// from memory.
const dramFactor = 4

// Place is where a working set is kept between two calls: "L1", "L2" and so on for the
// first cache that it fits into, "DRAM" beyond 4 times the last-level cache, and
// "cache or DRAM" between.
func (r CacheVsDRAMResult) Place(bytes int64) string {
	for _, c := range r.Caches {
		if bytes <= c.Bytes {
			return fmt.Sprintf("L%d", c.Level)
		}
	}
	switch {
	case bytes <= r.LastLevelCache:
		return "cache"
	case bytes > dramFactor*r.LastLevelCache:
		return "DRAM"
	}
	return "cache or DRAM"
}

// schemes are those measured, f32 first.
func (r CacheVsDRAMResult) schemes() []string {
	return distinct(r.Rows, func(row CacheRow) string { return row.Scheme })
}

// of returns the rows of a scheme.
func (r CacheVsDRAMResult) of(scheme string) []CacheRow {
	var rows []CacheRow
	for _, row := range r.Rows {
		if row.Scheme == scheme {
			rows = append(rows, row)
		}
	}
	return rows
}

// f32 returns the row of the same model in float32.
func (r CacheVsDRAMResult) f32(row CacheRow) *CacheRow {
	for i := range r.Rows {
		if r.Rows[i].Scheme == "f32" && r.Rows[i].Weights == row.Weights {
			return &r.Rows[i]
		}
	}
	return nil
}

// Speed is how many times faster a row is than the same model in float32; 0 if that was
// not measured.
func (r CacheVsDRAMResult) Speed(row CacheRow) float64 {
	f32 := r.f32(row)
	if f32 == nil || row.NS == 0 {
		return 0
	}
	return float64(f32.NS) / float64(row.NS)
}

// Paid is the share of the bytes saved that is speed: the speed over float32 as a
// fraction of how many times fewer bytes there are. 1 is all of it.
func (r CacheVsDRAMResult) Paid(row CacheRow) float64 {
	f32 := r.f32(row)
	if f32 == nil || row.NS == 0 {
		return 0
	}
	return r.Speed(row) * float64(row.Bytes) / float64(f32.Bytes)
}

// A BytesPay says from where on a scheme is faster than float32.
type BytesPay struct {
	Scheme string
	// Faster is the number of weights from which on it is faster for every larger model;
	// 0 if it is not for the largest.
	Faster int64
	// Full is the number of weights from which on its speed is at least 80% of what its
	// bytes promise; 0 if it is not for the largest.
	Full int64
}

// fullPay is the share of the bytes that counts as all of them.
const fullPay = 0.8

// BytesPay says for each scheme but float32 from which size of a model its fewer bytes
// are more speed.
func (r CacheVsDRAMResult) BytesPay() []BytesPay {
	var all []BytesPay
	for _, scheme := range r.schemes() {
		if scheme == "f32" {
			continue
		}
		b := BytesPay{Scheme: scheme}
		rows := r.of(scheme)
		b.Faster = fromWhere(rows, func(row CacheRow) bool { return r.Speed(row) > 1 })
		b.Full = fromWhere(rows, func(row CacheRow) bool { return r.Paid(row) >= fullPay })
		all = append(all, b)
	}
	return all
}

// fromWhere returns the weights of the first of the last rows that all satisfy ok.
func fromWhere(rows []CacheRow, ok func(CacheRow) bool) int64 {
	from := int64(0)
	for _, row := range slices.Backward(rows) {
		if !ok(row) {
			break
		}
		from = row.Weights
	}
	return from
}

// Verdict says what the figures mean, a line for each answer: how far f32 is from the
// bandwidth, in a cache and from memory, and from where on fewer bytes are more speed.
func (r CacheVsDRAMResult) Verdict() string {
	if len(r.Rows) == 0 {
		return "Nothing was measured."
	}
	last := r.Rows[len(r.Rows)-1]
	lines := []string{on(r.Machine, fmt.Sprintf("one row of x, models of %s to %s weights; last-level cache %s%s.",
		shortWeights(r.Rows[0].Weights), shortWeights(last.Weights), bytesize.Binary(r.LastLevelCache), r.assumed()))}
	for _, scheme := range r.schemes() {
		lines = append(lines, r.bandwidthSentence(scheme))
	}
	for _, b := range r.BytesPay() {
		lines = append(lines, r.paySentence(b))
	}
	if r.Stopped != "" {
		lines = append(lines, "The sweep ended early: "+r.Stopped+".")
	}
	if f32 := r.of("f32"); len(f32) > 0 {
		row := f32[len(f32)-1]
		lines = append(lines, disturbedBy(&Product{Scheme: row.Scheme, NS: row.NS, MedianNS: row.MedianNS})...)
	}
	return strings.Join(lines, "\n")
}

// assumed says so if the system did not tell the size of its caches.
func (r CacheVsDRAMResult) assumed() string {
	if len(r.Caches) > 0 {
		return ""
	}
	return ", which is assumed, since the system does not say"
}

// nearBandwidth is the share of the bandwidth at which it is what limits a product.
const nearBandwidth = 0.7

func (r CacheVsDRAMResult) bandwidthSentence(scheme string) string {
	rows := r.of(scheme)
	row := rows[len(rows)-1]
	share := row.GBps / row.ReadGBps
	text := fmt.Sprintf("%s: the largest model is %s (%s) and is read at %.3g GB/s, %s of the bandwidth measured in the same rounds: ",
		scheme, bytesize.Binary(row.Bytes), r.Place(row.Bytes), row.GBps, shortPercent(share))
	if share >= nearBandwidth {
		return text + "the bandwidth is its limit."
	}
	return text + "something else than the bandwidth is its limit."
}

func (r CacheVsDRAMResult) paySentence(b BytesPay) string {
	rows := r.of(b.Scheme)
	last := rows[len(rows)-1]
	first := rows[0]
	fewer := float64(r.f32(last).Bytes) / float64(last.Bytes)
	text := fmt.Sprintf("%s has %.3g times fewer bytes than f32 and %.3g times its speed at %s weights, %.3g times at %s", b.Scheme, fewer, r.Speed(last), shortWeights(last.Weights), r.Speed(first), shortWeights(first.Weights))
	f32Bytes := func(weights int64) string { return bytesize.Binary(4 * weights) }
	switch {
	case b.Faster == 0:
		text += ": at the largest model it is not faster, its bytes save memory alone"
	case b.Faster == first.Weights:
		text += ": it is faster at every size"
	default:
		text += fmt.Sprintf(": it is faster from %s weights on (%s in float32)", shortWeights(b.Faster), f32Bytes(b.Faster))
	}
	switch {
	case b.Full == 0:
		text += fmt.Sprintf(", and never has %s of the speed that its bytes promise to the end", shortPercent(fullPay))
	case b.Full == first.Weights:
		text += fmt.Sprintf(", with at least %s of what its bytes promise everywhere", shortPercent(fullPay))
	default:
		text += fmt.Sprintf(", with at least %s of what its bytes promise from %s weights on (%s in float32: %s)", shortPercent(fullPay), shortWeights(b.Full), f32Bytes(b.Full), r.Place(4*b.Full))
	}
	return text + "."
}

// shortWeights writes a count with three figures.
func shortWeights(n int64) string {
	switch v := float64(n); {
	case n < 1e6:
		return fmt.Sprintf("%.3gK", v/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.3gM", v/1e6)
	default:
		return fmt.Sprintf("%.3gG", v/1e9)
	}
}

// Table returns a row for each model and scheme.
func (r CacheVsDRAMResult) Table() charts.Table {
	t := charts.Table{
		Caption: "One row of x by a model that grows: time, speed over f32, and bandwidth beside that of reading as many bytes",
		Columns: []string{"weights", "matrices", "k", "n", "scheme", "working set", "place", "µs", "over f32", "of what the bytes promise", "GB/s", "of bandwidth"},
	}
	for _, row := range r.Rows {
		t.Add(shortWeights(row.Weights), row.Copies, row.K, row.N, row.Scheme, bytesize.Binary(row.Bytes), r.Place(row.Bytes),
			significant(float64(row.NS)/1000), times(r.Speed(row)), shortPercent(r.Paid(row)), significant(row.GBps), shortPercent(row.GBps/row.ReadGBps))
	}
	return t
}

// Figure shows the bandwidth of each scheme over its working set, and that of reading.
func (r CacheVsDRAMResult) Figure() (*charts.Figure, error) {
	line := charts.Line{
		Title: fmt.Sprintf("Bandwidth of weights by working set, one row of x, threads: %d", r.Machine.Threads),
		X:     charts.Axis{Label: "working set", Unit: "MiB", Log: true},
		Y:     charts.Axis{Label: "bytes of weights over time", Unit: "GB/s", Log: true},
	}
	for _, scheme := range r.schemes() {
		series := charts.Series{Name: scheme}
		for _, row := range r.of(scheme) {
			series.X, series.Y = append(series.X, float64(row.Bytes)/(1<<20)), append(series.Y, row.GBps)
		}
		line.Series = append(line.Series, series)
	}
	read := charts.Series{Name: "reading (the limit)", Scheme: "dense", Dashed: true}
	for _, b := range r.Machine.Read {
		read.X, read.Y = append(read.X, float64(b.Bytes)/(1<<20)), append(read.Y, b.GBps)
	}
	line.Series = append(line.Series, read)
	return line.Figure()
}

// SpeedFigure shows the speed over f32 of each scheme by the size of the model.
func (r CacheVsDRAMResult) SpeedFigure() (*charts.Figure, error) {
	line := charts.Line{
		Title: fmt.Sprintf("Speed over f32 by the size of the model, one row of x, threads: %d", r.Machine.Threads),
		X:     charts.Axis{Label: "model in float32", Unit: "MiB", Log: true},
		Y:     charts.Axis{Label: "speed over f32", Unit: "×"},
	}
	for _, scheme := range r.schemes() {
		series := charts.Series{Name: scheme}
		for _, row := range r.of(scheme) {
			series.X, series.Y = append(series.X, float64(row.Weights)/(1<<18)), append(series.Y, r.Speed(row))
		}
		series.Dashed = scheme == "f32"
		line.Series = append(line.Series, series)
	}
	return line.Figure()
}

// Markdown returns the verdict and the table.
func (r CacheVsDRAMResult) Markdown() string {
	return asMarkdown("Cache against DRAM", r.Verdict(), r.Table())
}

// MIMEBundle shows the result in a notebook: Markdown as "text/markdown", the verdict as
// "text/plain".
func (r CacheVsDRAMResult) MIMEBundle() map[string]any {
	return map[string]any{"text/markdown": r.Markdown(), "text/plain": r.Verdict()}
}

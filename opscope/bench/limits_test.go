package bench

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestReadAt(t *testing.T) {
	m := Machine{Read: []Bandwidth{{1 << 10, 100}, {1 << 14, 60}, {1 << 15, 10}}}
	for _, c := range []struct {
		bytes int64
		want  float64
	}{
		{1 << 10, 100}, {1 << 14, 60}, {1 << 15, 10}, // the points
		{1 << 11, 90}, {1 << 12, 80}, {1 << 13, 70}, // a quarter, half, three quarters of the way
		{1, 100}, {0, 100}, {1 << 40, 10}, // outside
	} {
		if got := m.ReadAt(c.bytes); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("ReadAt(%d) = %v, want %v", c.bytes, got, c.want)
		}
	}
	// Halfway in bytes is above halfway in their logarithm.
	if got, want := m.ReadAt(24<<10), 60-50*math.Log2(1.5); math.Abs(got-want) > 1e-9 {
		t.Errorf("ReadAt(24 KiB) = %v, want %v", got, want)
	}
	if got := (Machine{}).ReadAt(1); got != 0 {
		t.Errorf("without bandwidths ReadAt = %v, want 0", got)
	}
}

func TestRoof(t *testing.T) {
	m := Machine{Read: []Bandwidth{{1 << 10, 50}}}
	// One row of float32: two operations for each weight of four bytes.
	if got := m.Roof(200, 2<<20, 4<<20); got != 25 {
		t.Errorf("memory-bound roof %v, want 25", got)
	}
	if got := m.Roof(200, 64<<20, 4<<20); got != 200 {
		t.Errorf("compute-bound roof %v, want the peak of 200", got)
	}
}

func TestSetsAround(t *testing.T) {
	const ki, mi = 1 << 10, 1 << 20
	for _, c := range []struct{ bytes, want []int64 }{
		{[]int64{4 * mi}, []int64{4 * mi}},
		{[]int64{mi + 4*ki}, []int64{mi, 2 * mi}},
		{[]int64{3 * mi, 5 * mi}, []int64{2 * mi, 4 * mi, 8 * mi}},
		{[]int64{1}, []int64{16 * ki}},
		{[]int64{576 * mi}, []int64{512 * mi}},
		{nil, nil},
	} {
		if got := setsAround(c.bytes); !slices.Equal(got, c.want) {
			t.Errorf("setsAround(%v) = %v, want %v", c.bytes, got, c.want)
		}
	}
}

func TestRoofsAmongFunctions(t *testing.T) {
	roofs := NewRoofs(2, 100<<10)
	funcs := append([]Func{{"mine", func() {}}}, roofs.Funcs()...)
	c, err := Plan{Rounds: 2, RoundTime: time.Millisecond}.Compare(t.Context(), funcs...)
	if err != nil {
		t.Fatal(err)
	}
	m := roofs.Machine(c[1:])
	if m.F32Peak <= 0 || m.Int8Peak <= 0 || m.BF16Peak <= 0 || m.CPU == "" || m.Tier == "" || m.Threads != 2 {
		t.Errorf("got %+v", m)
	}
	if len(m.Read) != 2 || m.Read[0].Bytes != 64<<10 || m.Read[1].Bytes != 128<<10 || m.Read[0].GBps <= 0 || m.Read[1].GBps <= 0 {
		t.Errorf("bandwidths %v, want those of 64 and 128 KiB", m.Read)
	}
	defer func() {
		if recover() == nil {
			t.Error("timings of other functions were taken for those of the roofs")
		}
	}()
	roofs.Machine(c)
}

func TestColdRoofs(t *testing.T) {
	roofs := NewColdRoofs(2, 1, 1<<20, 3<<20-5, 3<<20)
	calls := 0
	c, err := Plan{Rounds: 2, Before: func() { calls++ }}.Compare(t.Context(), roofs.Funcs()...)
	if err != nil {
		t.Fatal(err)
	}
	m := roofs.Machine(c)
	if m.F32Peak != 0 || len(m.Read) != 2 || m.Read[0].Bytes != 1<<20 || m.Read[1].Bytes != 3<<20 || m.Read[0].GBps <= 0 {
		t.Errorf("got %+v, want the bandwidths of 1 and 3 MiB", m)
	}
	if calls != 4 || c[0].Calls != 2 {
		t.Errorf("%d evictions for %d calls of each of 2 functions", calls, c[0].Calls)
	}
}

// The work of a limit is known exactly, so with times that are known its rate is.
func TestRates(t *testing.T) {
	roofs := newRoofs(1, []int64{16 << 10})
	roofs.peaks[0].work, roofs.peaks[1].work, roofs.peaks[2].work, roofs.reads[0].work = 1e6, 4e6, 2e6, 5e5
	c := make(Comparison, 4)
	for i := range c {
		c[i].Rounds = []time.Duration{12 * time.Microsecond, 10 * time.Microsecond, 11 * time.Microsecond}
	}
	m := roofs.Machine(c)
	if m.F32Peak != 100 || m.Int8Peak != 400 || m.BF16Peak != 200 || m.Read[0] != (Bandwidth{16 << 10, 50}) {
		t.Errorf("got %+v, want the work over the fastest round", m)
	}
}

func TestLimits(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	m, err := Limits(t.Context(), LimitOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !m.complete() {
		t.Errorf("a figure is missing: %+v", m)
	}
	again, err := Limits(t.Context(), LimitOptions{Threads: 1})
	if err != nil || again.String() != m.String() {
		t.Errorf("the second call gave %v, %v, want what the first kept, %v", again, err, m)
	}
	t.Log(m)
}

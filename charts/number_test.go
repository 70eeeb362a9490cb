package charts

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestFormatNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-7, "-7"}, {1234567, "1234567"},
		{0.5, "0.5"}, {0.00786123, "0.007861"}, {258.1234, "258.1"}, {12345.678, "12346"},
		{-0.33333, "-0.3333"}, {0.00012345, "0.0001234"}, {0.000012345, "1.234e-5"}, {1.5e-7, "1.5e-7"},
		{1e15, "1e15"}, {1.23456e300, "1.235e300"},
		{math.NaN(), "NaN"}, {math.Inf(1), "+Inf"}, {math.Inf(-1), "-Inf"},
	} {
		if got := formatNumber(c.v); got != c.want {
			t.Errorf("%g: %s, want %s", c.v, got, c.want)
		}
	}
}

func TestFormatTogether(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   []string
	}{
		{[]float64{0.12, 0.1108, 0.091683}, []string{"0.12000", "0.11080", "0.09168"}},
		{[]float64{258.0973, 12.3456, 4}, []string{"258.10", "12.35", "4.00"}},
		{[]float64{1, 20, 300}, []string{"1", "20", "300"}},
		{[]float64{5000.25, 0.001}, []string{"5000", "0.001"}}, // too far apart
		{[]float64{0, 1e-7}, []string{"0", "1e-7"}},
		{[]float64{math.NaN(), 0.5}, []string{"NaN", "0.5"}},
		{nil, []string{}},
	} {
		if got := formatTogether(c.values, 4); !slices.Equal(got, c.want) {
			t.Errorf("%g: %q, want %q", c.values, got, c.want)
		}
	}
}

func TestGroupDigits(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "-1000": "-1,000", "-100": "-100", "1234567.125": "1,234,567.125",
	} {
		if got := groupDigits(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestFormatBeside(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0.6961, 32.787, 2.4438, 5.8}, "0.696 32.8 2.44 5.80"},
		{[]float64{4.1, 4, 4.02}, "4.10 4.00 4.02"},
		{[]float64{-0.25, -12.5, 250.5}, "-0.25 -12.5 250"}, // half to even
		{[]float64{3, 20, 1000}, "3 20 1000"},
		{[]float64{0.0075, 0.08, 0.12, 0}, "0.0075 0.0800 0.120 0"},
		{[]float64{0.5, 12345.6}, "0.5 12346"},
		{[]float64{1e-7, 2.5}, "1e-7 2.5"},
	} {
		if got := strings.Join(formatBeside(c.values, 3), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

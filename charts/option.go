package charts

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// chart is what the chart types of go-echarts have in common.
type chart interface {
	Validate()
	JSON() map[string]any
}

// optionOf returns the ECharts option, which holds no functions.
func optionOf(c chart) (json.RawMessage, error) {
	c.Validate() // puts the categories on their axis
	return json.Marshal(c.JSON())
}

// options is what every chart sets the same way. The colours of texts and lines
// are left to ECharts' light and dark themes.
func (f frame) options() []charts.GlobalOpts {
	left, bottom := pad, pad
	if f.x != "" {
		bottom += nameHeight
	}
	if f.y != "" {
		left += nameHeight
	}
	var colors opts.Colors
	for _, e := range f.entries {
		colors = append(colors, css(e.style.Color))
	}
	legend := []legendItem{}
	for _, row := range f.legend {
		for _, e := range row {
			legend = append(legend, e.legendItem())
		}
	}
	return []charts.GlobalOpts{
		charts.WithInitializationOpts(opts.Initialization{BackgroundColor: "transparent"}),
		charts.WithAnimation(false),
		charts.WithColorsOpts(colors),
		charts.WithTitleOpts(opts.Title{
			Title:      strings.Join(f.title, "\n"),
			Left:       strconv.Itoa(pad - 5), // ECharts adds a padding of 5
			Top:        strconv.Itoa(pad - 5),
			TitleStyle: &opts.TextStyle{FontSize: titleSize, LineHeight: titleLead},
		}),
		charts.WithLegendOpts(opts.Legend{
			Show: opts.Bool(len(legend) > 0),
			Data: legend,
			Left: strconv.Itoa(pad - 5),
			Top:  strconv.Itoa(f.legendTop() - 1),
		}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithGridOpts(opts.Grid{
			Left:         strconv.Itoa(left),
			Right:        strconv.Itoa(int(f.right) + 4),
			Top:          strconv.Itoa(f.top()),
			Bottom:       strconv.Itoa(bottom),
			ContainLabel: opts.Bool(true),
		}),
	}
}

// A legendItem names a series in ECharts' legend, with an icon of its own where
// ECharts would show a marker that the line does not have.
type legendItem struct {
	Name string `json:"name"`
	Icon string `json:"icon,omitempty"`
}

func (e entry) legendItem() legendItem {
	switch {
	case e.bar || e.points || e.marked:
		return legendItem{Name: e.name}
	case e.dashed:
		return legendItem{e.name, "path://M0,0h6v2h-6zM10,0h6v2h-6zM20,0h6v2h-6z"}
	}
	return legendItem{e.name, "path://M0,0h26v2h-26z"}
}

// xOption and yOption give a numeric axis the range and the ticks of s.
func xOption(a Axis, s scale) opts.XAxis {
	return opts.XAxis{
		Type: s.kind(), Name: a.title(), NameLocation: "middle", NameGap: 26,
		Min: s.min, Max: s.max, MinInterval: s.step, MaxInterval: s.step,
		AxisLabel: &opts.AxisLabel{HideOverlap: opts.Bool(true)},
		AxisLine:  &opts.AxisLine{OnZero: opts.Bool(false)},
	}
}

func yOption(a Axis, s scale) opts.YAxis {
	return opts.YAxis{
		Type: s.kind(), Name: a.title(), NameLocation: "middle", // the script sets its gap
		Min: s.min, Max: s.max, MinInterval: s.step, MaxInterval: s.step,
		AxisLabel: &opts.AxisLabel{HideOverlap: opts.Bool(true)},
		AxisLine:  &opts.AxisLine{OnZero: opts.Bool(false)},
	}
}

func (s scale) kind() string {
	if s.log {
		return "log"
	}
	return "value"
}

func (s scale) labelWidth() float64 {
	width := 0.0
	for _, t := range s.ticks {
		width = max(width, textWidth(t.label, textSize))
	}
	return width
}

// labels lists the ticks as the script takes them: [[value, label], ...].
func (s scale) labels() [][2]any {
	list := make([][2]any, len(s.ticks))
	for i, t := range s.ticks {
		list[i] = [2]any{t.value, t.label}
	}
	return list
}

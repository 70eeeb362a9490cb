package charts

import (
	"encoding/json"
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

func (c *bars) option(f frame) (json.RawMessage, error) {
	chart := charts.NewBar()
	chart.SetXAxis(c.categories)
	position := "top"
	if c.lying {
		position = "right"
		chart.XYReversal()
		chart.SetGlobalOptions(f.options()...)
		chart.SetGlobalOptions(
			charts.WithXAxisOpts(xOption(c.y, c.values)),
			charts.WithYAxisOpts(opts.YAxis{
				Type: "category", Inverse: opts.Bool(true),
				Name: c.x.title(), NameLocation: "middle", // the script sets its gap
			}),
		)
	} else {
		chart.SetGlobalOptions(f.options()...)
		chart.SetGlobalOptions(
			charts.WithXAxisOpts(opts.XAxis{Type: "category", Name: c.x.title(), NameLocation: "middle", NameGap: 26}),
			charts.WithYAxisOpts(yOption(c.y, c.values)),
		)
	}
	chart.SetGlobalOptions(charts.WithTooltipOpts(opts.Tooltip{
		Show: opts.Bool(true), Trigger: "axis", AxisPointer: &opts.AxisPointer{Type: "shadow"},
	}))
	for i, s := range c.series {
		data := make([]opts.BarData, len(s.Y))
		for j, v := range s.Y {
			data[j].Value = v
			if c.texts != nil {
				data[j].Label = &opts.Label{Show: opts.Bool(true), Position: position, Formatter: c.texts[i][j]}
			}
		}
		chart.AddSeries(seriesName(s, c.y), data,
			charts.WithBarChartOpts(opts.BarChart{
				BarGap:         fmt.Sprintf("%.0f%%", 100*barGap),
				BarCategoryGap: fmt.Sprintf("%.0f%%", 100*(1-groupShare)),
			}),
			func(s *charts.SingleSeries) { s.BarMaxWidth = fmt.Sprint(maxBarWidth) },
			charts.WithItemStyleOpts(opts.ItemStyle{Color: css(c.entries[i].style.Color)}),
			charts.WithEmphasisOpts(opts.Emphasis{Focus: "series"}),
		)
	}
	for i, s := range c.series {
		at := make([]float64, len(s.Y))
		for j := range at {
			at[j] = float64(j)
		}
		addWhiskers(&chart.RectChart, seriesName(s, c.y), s, at, c.lying, i)
	}
	return optionOf(chart)
}

// categoryLabels lists what the script writes for each category.
func (c *bars) categoryLabels() [][2]any {
	list := make([][2]any, len(c.names))
	for i, name := range c.names {
		list[i] = [2]any{c.categories[i], name}
	}
	return list
}

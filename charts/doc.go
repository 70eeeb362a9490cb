// Package charts makes figures and tables that show everywhere: in a notebook,
// on GitHub, in a terminal and in a file.
//
// A chart is a small struct of series. Its Figure method checks it and returns a
// [Figure], which holds the same series three times: as a picture (PNG), as an
// interactive chart (ECharts, which takes the picture's place where scripts run)
// and as text.
//
//	fig, err := charts.Line{
//		Title: "Skipping zeros pays below a density of 40%",
//		X:     charts.Axis{Label: "density", Unit: "%"},
//		Y:     charts.Axis{Label: "time", Unit: "ms"},
//		Series: []charts.Series{
//			{Name: "skipzeros", X: density, Y: skipTime},
//			{Name: "dense", X: density, Y: denseTime},
//		},
//	}.Figure()
//
// [Line], [Scatter], [Bar], [Histogram], [Heatmap] and [Roofline] are the charts;
// Figure.Save writes one to a .png, .svg or .html file.
//
// A picture that would be wrong is an error and never a picture: series of
// different lengths, values that are not finite, a log axis with values that are
// not positive, an axis that is not labelled, series that look the same.
//
// A character that the font of pictures lacks is drawn as □.
//
// There are no missing values. A point that was not measured is left out of its
// series; a category that was not measured is left out of a bar chart, because
// no bar reads as zero. A [Table] shows what is missing as an empty cell.
//
// A scheme ("f32", "w8a16", ...) has one colour and one marker in every chart:
// see [StyleOf].
package charts

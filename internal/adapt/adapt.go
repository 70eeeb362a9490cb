// Package adapt gives values of other libraries, and of package charts before
// they are figures, the methods by which a value shows itself in a notebook.
package adapt

import (
	"fmt"
	"reflect"

	"github.com/go-echarts/go-echarts/v2/components"
	"gonum.org/v1/plot"

	"github.com/rlx-go/gopherscope/charts"
)

// Of returns what shows a value: something with MIMEBundle, and MIMEPrelude where
// it needs that. It returns nil for what is none of the values that it knows, and
// an error for one that cannot be drawn.
func Of(v any) (any, error) {
	switch v := v.(type) {
	case interface {
		Figure() (*charts.Figure, error)
	}:
		figure, err := v.Figure()
		if err != nil {
			return nil, fmt.Errorf("%T cannot be drawn: %w", v, err)
		}
		return figure, nil
	case *plot.Plot:
		if v != nil {
			return picture(v)
		}
	case *components.Page:
		if v != nil {
			return pageOf(v)
		}
	case chart:
		if rv := reflect.ValueOf(v); rv.Kind() != reflect.Pointer || !rv.IsNil() {
			shown, err := interactiveOf(v)
			return shown.asShown(), err
		}
	}
	return nil, nil
}

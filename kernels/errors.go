package kernels

import "fmt"

// A ShapeError says which operand of which operation does not fit. Constructors
// return it; operations that compute panic with it.
type ShapeError struct {
	Op      string // the operation that refused, such as "F32.MulTo"
	Operand string // the operand, such as "x"
	Got     string // what the operand is
	Want    string // what the operation needs
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("kernels: %s: %s: got %s, want %s", e.Op, e.Operand, e.Got, e.Want)
}

// A NonFiniteError reports the first NaN or infinity, in row order, of a matrix
// that must be finite.
type NonFiniteError struct {
	Op       string // the operation that refused, such as "NewW8A8"
	Operand  string // the operand, such as "w"
	Row, Col int    // where the value stands
	Value    float32
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("kernels: %s: %s[%d,%d] is %v, want a finite value", e.Op, e.Operand, e.Row, e.Col, e.Value)
}

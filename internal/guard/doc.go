// Package guard has memory for tests of functions that could read or write beside their
// operands, as assembly can.
package guard

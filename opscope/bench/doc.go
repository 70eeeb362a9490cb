// Package bench times a call so that the figure can be repeated: after a warm-up,
// in rounds of back-to-back calls of at least 20 ms each, and with several functions
// interleaved round by round, so that a change of clock or load during the
// measurement meets all of them alike.
package bench

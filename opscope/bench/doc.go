// Package bench times a call so that the figure can be repeated, and says what the
// machine allows.
//
// [Measure] and [Compare] call a function, after a warm-up, in rounds of
// back-to-back calls of at least 20 ms each, and several functions interleaved
// round by round, so that a change of clock or load during the measurement meets
// all of them alike. A [Plan] changes that, for example to calls that find the
// caches empty.
//
// [Limits] measures the peaks of the processor's arithmetic and the bandwidth of
// reading memory, with loops of its own in assembly, and keeps them. [Roofs]
// measures them among other functions, for a fraction of the limit that means
// something.
package bench

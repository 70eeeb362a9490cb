package interp

import "testing"

const dtypes = `import ("fmt"; "github.com/rlx-go/gopherscope/opscope"; "github.com/rlx-go/gopherscope/opscope/weights")
_, _, _ = fmt.Sprint(), opscope.Activation, weights.F16
x, other := weights.F32, weights.BF16
`

// Constants that become values of a compiled named string type.
var stringConstants = []snippet{
	one("comparison", `[]any{x == "F32", "F32" == x, x != "F32", x == "F16", other == "F32", x < "F4", x >= "F32"}`, "[true true false false false true true]"),
	one("comparison with constants", `const u = "F32"; []any{x == u, x == "F"+"32", x == u+"" && u != "F", weights.F32 == "F32", weights.F32 == weights.F16}`, "[true true true true false]"),
	one("in a condition", `s := ""; if x == "F32" { s = "yes" }; for x != "F32" { s = "no" }; s`, "yes"),
	one("in a function", `func is(d weights.DType) bool { return d == "F32" }; []any{is("F32"), is("F16"), is(x)}`, "[true false true]"),
	one("in a function literal", `f := func(d weights.DType) bool { e := weights.DType("F32"); return func() bool { return d == "F32" && e == d }() }; []any{f("F32"), f("x")}`, "[true false]"),
	one("comparison as any", `var a any = x; []any{a == weights.DType("F32"), a == any("F32")}`, "[true false]"),
	one("switch", `s := ""; switch x { case "F16", "BF16": s = "half"; case "F32": s = "single"; default: s = "?" }; s`, "single"),
	one("switch without a case", `s := ""; switch other { case "F16": s = "F16"; case "F32": s = "F32"; default: s = "?" }; s`, "?"),
	one("switch with many cases", `f := func(d weights.DType) int { switch d { case "a": return 1; case "b": return 2; case "c": return 3; case "d": return 4; case "e": return 5; case weights.F32: return 6; case "BF16": return 7 }; return 0 }
[]any{f("a"), f("e"), f(x), f(other), f("z")}`, "[1 5 6 7 0]"),
	one("switch on a constant", `s := 0; switch weights.DType("F32") { case x: s = 1 }; s`, "1"),
	one("variable", `var d weights.DType = "F32"; []any{d == x, d == "F32", string(d), fmt.Sprintf("%T", d)}`, "[true true F32 weights.DType]"),
	one("variable in a function", `func f() weights.DType { var d weights.DType = "F16"; d = "F32"; return d }; f() == x`, "true"),
	one("assignment", `d := x; d = "F16"; d, e := "F8", weights.DType("a"); d = "b"; e = "c"; []any{d, e}`, "[b c]"),
	one("conversion", `d := weights.DType("F32"); s := "F32"; []any{d == x, weights.DType(s) == x, weights.DType("F"+"32") == x, string(x) == "F32", weights.DType("F32").Bits()}`, "[true true true true 32]"),
	one("conversion of a typed constant", `const s string = "F32"; []any{weights.DType(s) == x, weights.DType(65)}`, "[true A]"),
	one("field", `t := weights.Tensor{DType: "F32", Name: "w"}; p := &weights.Tensor{Name: "v"}; p.DType = "F32"; []any{t.DType == x, t.DType, p.DType == t.DType, t.Name}`, "[true F32 true w]"),
	one("options", `o := opscope.Options{Role: "activation"}; []any{o.Role == opscope.Activation, o.Role == "activation", o.Role == "weight", opscope.Options{}.Role == ""}`, "[true true false true]"),
	one("argument", `f := func(d weights.DType, more ...weights.DType) []any { return []any{d == x, d, more} }; f("F32", "a", "b")`, "[true F32 [a b]]"),
	one("map key and value", `m := map[weights.DType]weights.DType{"F32": "a", weights.F16: "b"}; m["c"] = "F32"; _, ok := m["F32"]; []any{m[x], m["F32"], m["F16"], m["c"] == x, ok, len(m)}`, "[a a b true true 3]"),
	one("slice and array", `s := []weights.DType{"F32", 2: "F16"}; a := [...]weights.DType{"F32"}; s = append(s, "x"); []any{s, s[0] == x, a[0] == x, s[3] == "x", s[1] == ""}`, "[[F32  F16 x] true true true true]"),
	one("struct of a cell", `type job struct { d weights.DType; n int }; j := job{"F32", 1}; k := []job{{d: "F32"}, {"F16", 2}}; []any{j.d == x, k[0].d == j.d, k[1].d == "F16", j == job{"F32", 1}}`, "[true true true true]"),
	one("return", `func pick(half bool) (weights.DType, bool) { if half { return "F16", true }; return "F32", false }; d, _ := pick(false); h, ok := pick(true); []any{d == x, h == weights.F16, ok}`, "[true true true]"),
	one("named result", `func pick() (d weights.DType) { defer func() { d += "!" }(); d = "F32"; return }; pick()`, "F32!"),
	one("channel", `c := make(chan weights.DType, 2); c <- "F32"; c <- x; a := <-c; a == <-c`, "true"),
	one("concatenation", `y := x + "a"; z := "a" + x; y += "b"; []any{y, z, y == "F32ab", fmt.Sprintf("%T", y)}`, "[F32ab aF32 true weights.DType]"),
	one("pointer", `p := &x; *p = "F16"; *p == "F16"`, "true"),
	one("zero", `var d weights.DType; []any{d == "", len("F32"+x)}`, "[true 6]"),
	one("escapes", "[]weights.DType{\"a\\tb\", `c\\n`, \"é\\xff\"}[2] == \"é\\xff\"", "true"),
	one("goroutine and defer", `c := make(chan weights.DType, 1); go func(d weights.DType) { c <- d }("F32"); <-c == "F32"`, "true"),
	one("constant", `const c weights.DType = "F32"; const ( d = weights.DType("F" + "32"); e weights.DType = d + "x" ); []any{c == x, d == x, c == "F32", e, fmt.Sprintf("%T %T", c, d)}`, "[true true true F32x weights.DType weights.DType]"),
	one("constant in a function", `func f() bool { const c weights.DType = "F32"; const d = weights.DType("F32"); return c == x && d == "F32" }; f()`, "true"),
	one("constant of a constant", `const u = "F32"
const v weights.DType = u
v == x`, "true"),
	one("constants of a constant", `const u = "F" + "32"
const v weights.DType = u
[]any{v == x, v == "F32", v + "x"}`, "[true true F32x]"),
	one("alias", `type D = weights.DType; var d D = "F32"; []any{d == x, D("F32") == x, d == "F32"}`, "[true true true]"),
	one("constant of an alias", `type D = weights.DType; const c D = "F32"; c == x`, "true"),
	one("type made of it", `type D weights.DType; var d D = "F32"; []any{d == "F32", weights.DType(d) == x, D("F32") == d, d + "a"}`, "[true true true F32a]"),
	one("in an interface of a cell", `type bitter interface { Bits() int }; var b bitter = weights.DType("F32"); b = weights.F16; var c bitter = x; []any{b.Bits(), c.Bits(), []bitter{weights.BF16, weights.DType("F64")}[0].Bits(), bitter(weights.F32).Bits()}`, "[16 32 16 32]"),
	one("named bytes", `import "encoding/json"; m := json.RawMessage("{}"); []any{string(m), len(json.RawMessage("abc"))}`, "[{} 3]"),
	one("library options", `import "github.com/go-echarts/go-echarts/v2/opts"; a := opts.Label{Position: "top"}; a.Position == "top"`, "true"),

	// Of types that cells declare.
	one("type of a cell", `type S string
const ( A S = "a"; B = S("b") )
const u = "a"
func (s S) Up() string { return "<" + string(s) + ">" }
var s S = "a"
m := map[S]int{"a": 1, B: 2}
c := make(chan S, 1)
c <- "z"
r := ""
switch s { case "b": r = "no"; case "a": r = "yes" }
[]any{s == "a", s == A, s == u, s == B, m["a"], m["b"], <-c == "z", r, s + "x", S("q").Up(), []S{"a"}[0] == s, struct{ s S }{"a"}.s == s}`,
		"[true true true false 1 2 true yes ax <q> true true]"),
	one("local type made of it", `func f() bool { type S weights.DType; var s S = "a"; return s == "a" && S("F32") == S(x) && weights.DType(S("F32")) == x }; f()`, "true"),
	one("local type", `func f() bool { type S string; var s S = "a"; return s == "a" && S("b") != s }; f()`, "true"),
}

func TestStringConstants(t *testing.T) {
	s := open(t)
	for _, test := range stringConstants {
		t.Run(test.name, func(t *testing.T) {
			if got := run(t, s, dtypes+test.cells[0]).result(); got != test.result {
				t.Errorf("result %q, want %q", got, test.result)
			}
		})
	}
}

func TestStringConstantsOfPackagesNotImported(t *testing.T) {
	s := open(t)
	run(t, s, "import \"github.com/rlx-go/gopherscope/opscope/weights\"\nx := weights.F32\ntensors := []weights.Tensor{{DType: \"F16\"}}")
	if got := run(t, s, "weights := 3\n[]any{x == \"F32\", tensors[0].DType == \"F16\", tensors[0].DType == \"F32\", weights}").result(); got != "[true true false 3]" {
		t.Errorf("got %s", got)
	}
	run(t, s, "func is() bool { return x == \"F32\" }")
	if got := run(t, s, "is()").result(); got != "true" {
		t.Errorf("a function of an earlier cell gave %s", got)
	}
	e := runCell(s, "cell", "var n int = \"F32\"\nx == 3").failure(t)
	if want := "cannot use \"F32\" (untyped string constant) as int value in variable declaration"; e.Value != want {
		t.Errorf("error %q, want %q", e.Value, want)
	}
}

package interp

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// A cell is Go without the package clause, and with statements between the
// declarations. go/parser reads neither mix, so parseCell cuts the source
// where a declaration begins or ends and has each piece parsed by itself, in a
// frame that makes it a file. The frame is placed in front of the piece, so
// that every position is the one in the cell.

// minBase leaves room for a frame in front of a cell's first byte.
const minBase = 64

// parsed is a cell's syntax. Positions are base + the offset in the source.
type parsed struct {
	items []ast.Node // ast.Decl and ast.Stmt, in the order of the source
	// silent says that the source ends with a semicolon: its value is not shown.
	silent bool
	// shown is how many of the last items are expressions that the source lists as
	// its last statement, and whose values are shown together.
	shown int
	// open says that more input could complete the source.
	open bool
	// depth is the number of brackets open at the end.
	depth int
}

// syntaxError is one error, at an offset in the source.
type syntaxError struct {
	offset int
	msg    string
}

// lexeme is one token of the cell.
type lexeme struct {
	offset int
	tok    token.Token
	lit    string
}

// parseCell parses a cell whose first byte has position base, at least minBase.
// A cell with errors has no items.
func parseCell(src string, base int) (parsed, []syntaxError) {
	toks, unterminated, errs := scan(src)
	p := parsed{silent: endsSilent(toks), open: unterminated}
	stack, bracketErrs := brackets(toks)
	p.depth = len(stack)
	errs = append(errs, bracketErrs...)
	if len(errs) == 0 && len(stack) > 0 {
		last := stack[len(stack)-1]
		errs = append(errs, syntaxError{last.offset, fmt.Sprintf("%s is not closed", last.tok)})
	}
	p.open = p.open || len(bracketErrs) == 0 && len(stack) > 0
	if len(errs) > 0 {
		return p, sorted(errs)
	}
	for _, piece := range pieces(toks, len(src)) {
		items, pieceErrs := piece.parse(src, base)
		if len(pieceErrs) == 1 && pieceErrs[0].msg == "expected 1 expression" {
			if listed, n := piece.parseList(toks, src, base, pieceErrs[0].offset); n > 0 {
				items, pieceErrs, p.shown = listed, nil, n
			}
		}
		for _, item := range items {
			if pos := tooDeep(item); pos.IsValid() {
				pieceErrs = append(pieceErrs, syntaxError{int(pos) - base, fmt.Sprintf("nested more than %d deep", maxNesting)})
				break
			}
		}
		p.items = append(p.items, items...)
		errs = append(errs, pieceErrs...)
	}
	if len(errs) > 0 {
		p.items = nil
		p.open = errs[len(errs)-1].offset >= len(strings.TrimRight(src, " \t\r\n"))
	}
	return p, sorted(errs)
}

// maxNesting is how deep the syntax of a cell may be nested, each operator and each
// selector of an expression counted. What works through it is recursive, and some
// of it takes the square of the depth.
const maxNesting = 1000

// tooDeep returns the place in an item that is nested too deep, if there is one.
func tooDeep(item ast.Node) (at token.Pos) {
	depth := 0
	ast.Inspect(item, func(n ast.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if depth == maxNesting && !at.IsValid() {
			at = n.Pos()
		}
		if at.IsValid() {
			return false
		}
		depth++
		return true
	})
	return at
}

func sorted(errs []syntaxError) []syntaxError {
	slices.SortStableFunc(errs, func(a, b syntaxError) int { return a.offset - b.offset })
	return errs
}

// scan returns the tokens up to and without EOF. unterminated says that the
// source ends inside a comment or a raw string.
func scan(src string) (toks []lexeme, unterminated bool, errs []syntaxError) {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(pos token.Position, msg string) {
		if pos.Offset < len(src) && src[pos.Offset] == '?' { // as in a cell of IPython
			msg += ": %doc NAME shows the documentation"
		}
		errs = append(errs, syntaxError{pos.Offset, msg})
		unterminated = unterminated || msg == "comment not terminated" || msg == "raw string literal not terminated"
	}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return toks, unterminated, errs
		}
		toks = append(toks, lexeme{file.Offset(pos), tok, lit})
	}
}

// endsSilent reports whether the last token is a semicolon that was typed.
func endsSilent(toks []lexeme) bool {
	return len(toks) > 0 && toks[len(toks)-1].tok == token.SEMICOLON && toks[len(toks)-1].lit == ";"
}

var closers = map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}

// brackets returns the brackets that are left open, and errors for those that
// close nothing or the wrong one.
func brackets(toks []lexeme) (open []lexeme, errs []syntaxError) {
	for _, t := range toks {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, t)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 {
				return open, []syntaxError{{t.offset, fmt.Sprintf("unexpected %s", t.tok)}}
			}
			last := open[len(open)-1]
			if last.tok != closers[t.tok] {
				return open, []syntaxError{{t.offset, fmt.Sprintf("unexpected %s, %s is not closed", t.tok, last.tok)}}
			}
			open = open[:len(open)-1]
		}
	}
	return open, nil
}

// piece is one declaration, or a run of statements.
type piece struct {
	from, to int
	decl     bool
}

// pieces finds the declarations at bracket depth 0 and the statements between
// them. A package clause is left out: cells that were files may have one.
func pieces(toks []lexeme, size int) (list []piece) {
	depth, begins := 0, true
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if depth == 0 && begins && (t.tok == token.PACKAGE || isDecl(toks[i:])) {
			end := size
			for ; i < len(toks); i++ {
				depth += depthChange(toks[i].tok)
				if depth == 0 && toks[i].tok == token.SEMICOLON {
					end = toks[i].offset
					break
				}
			}
			if t.tok != token.PACKAGE {
				list = append(list, piece{t.offset, end, true})
			}
			continue
		}
		if len(list) == 0 || list[len(list)-1].decl {
			list = append(list, piece{from: t.offset})
		}
		depth += depthChange(t.tok)
		begins = depth == 0 && t.tok == token.SEMICOLON
		next := size
		if i+1 < len(toks) {
			next = toks[i+1].offset
		}
		list[len(list)-1].to = next
	}
	return list
}

func depthChange(tok token.Token) int {
	switch tok {
	case token.LPAREN, token.LBRACK, token.LBRACE:
		return 1
	case token.RPAREN, token.RBRACK, token.RBRACE:
		return -1
	}
	return 0
}

// isDecl reports whether the tokens begin a declaration. A func does when a
// name follows, at once or after a receiver; else it is a function literal.
func isDecl(toks []lexeme) bool {
	switch toks[0].tok {
	case token.IMPORT, token.CONST, token.TYPE, token.VAR:
		return true
	case token.FUNC:
	default:
		return false
	}
	is := func(i int, toks []lexeme, tok ...token.Token) bool {
		return i < len(toks) && slices.Contains(tok, toks[i].tok)
	}
	if is(1, toks, token.IDENT) {
		return true
	}
	depth := 0
	for i, t := range toks[1:] {
		if depth += depthChange(t.tok); depth == 0 {
			rest := toks[i+2:]
			return is(0, rest, token.IDENT) && is(1, rest, token.LPAREN, token.LBRACK)
		}
	}
	return false
}

// parse parses a piece in its frame.
func (p piece) parse(src string, base int) ([]ast.Node, []syntaxError) {
	before, after := "package p;", ""
	if !p.decl {
		before, after = "package p;func _(){", "\n}"
	}
	return p.parseIn(before, after, src, base)
}

// parseIn parses a piece in the frame of before and after.
func (p piece) parseIn(before, after, src string, base int) ([]ast.Node, []syntaxError) {
	fset := token.NewFileSet()
	start := base + p.from - len(before)
	fset.AddFile("", 1, start-2) // the next file begins at start
	text := before + src[p.from:p.to] + after
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, p.errors(err, len(before))
	}
	if !p.decl {
		var items []ast.Node
		for _, stmt := range file.Decls[0].(*ast.FuncDecl).Body.List {
			items = append(items, stmt)
		}
		return items, nil
	}
	decl := file.Decls[0]
	if f, ok := decl.(*ast.FuncDecl); ok && f.Body == nil {
		return nil, []syntaxError{{p.to, "a function has its body on the same line: missing {"}}
	}
	return []ast.Node{decl}, nil
}

// parseList parses a piece that ends the source with a list of expressions at an
// offset, and returns how many they are. It returns 0 for other pieces.
func (p piece) parseList(toks []lexeme, src string, base, offset int) (items []ast.Node, n int) {
	for len(toks) > 0 && toks[len(toks)-1].tok == token.SEMICOLON {
		toks = toks[:len(toks)-1]
	}
	i := slices.IndexFunc(toks, func(t lexeme) bool { return t.offset == offset })
	if i < 0 {
		return nil, 0
	}
	depth := 0
	for _, t := range toks[i:] {
		if depth += depthChange(t.tok); depth == 0 && t.tok == token.SEMICOLON {
			return nil, 0
		}
	}
	last := toks[len(toks)-1]
	list := piece{offset, last.offset + len(cmp.Or(last.lit, last.tok.String())), true}
	parsed, errs := list.parseIn("package p;var _=f(", ")", src, base)
	if len(errs) > 0 {
		return nil, 0
	}
	call, ok := parsed[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() {
		return nil, 0
	}
	if before := (piece{p.from, offset, false}); offset > p.from {
		if items, errs = before.parse(src, base); len(errs) > 0 {
			return nil, 0
		}
	}
	for _, x := range call.Args {
		items = append(items, &ast.ExprStmt{X: x})
	}
	return items, len(call.Args)
}

// errors maps the parser's errors to the cell.
func (p piece) errors(err error, frame int) []syntaxError {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []syntaxError{{p.from, err.Error()}}
	}
	var errs []syntaxError
	for i, e := range list {
		offset := p.from + e.Pos.Offset - frame
		msg := e.Msg
		if offset >= p.to { // in the frame's end, which no source has
			if i > 0 {
				break
			}
			msg = strings.Replace(msg, "found '}'", "found the end of the cell", 1)
		}
		errs = append(errs, syntaxError{min(max(offset, p.from), p.to), msg})
	}
	return errs
}

// IsComplete reports "complete", "incomplete" or "invalid" for a cell being
// typed, and the indent of the next line when it is incomplete.
func (s *Session) IsComplete(source string) (status, indent string) { return isComplete(source) }

func isComplete(source string) (status, indent string) {
	_, code, _ := splitCommands(source)
	p, errs := parseCell(code, minBase)
	switch {
	case len(errs) == 0:
		return "complete", ""
	case p.open:
		return "incomplete", strings.Repeat("\t", p.depth)
	}
	return "invalid", ""
}

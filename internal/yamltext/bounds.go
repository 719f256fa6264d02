package yamltext

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// indicators are the characters that begin a token or end one.
var indicators = func() (set [utf8.RuneSelf]bool) {
	for _, char := range "[]{},:-?#&*!|>%@`\"'" {
		set[char] = true
	}
	return set
}()

// scan bounds the bytes of a text in one step   # workflow only, before the YAML library sees them.
func scan(source []byte, name string) *Problem {
	if len(source) > MaxBytes {
		return tooLarge(0, fmt.Sprintf("%s has at most %d bytes", name, MaxBytes))
	}
	found, blank, number := 0, 0, 0
	for line := range bytes.Lines(source) {
		number++
		if len(bytes.TrimRight(line, "\r\n")) > MaxLine {
			return tooLarge(number, fmt.Sprintf("a line has at most %d bytes", MaxLine))
		}
		blank++
		if len(bytes.TrimSpace(line)) > 0 {
			blank = 0
		}
		if blank > maxBlank {
			return tooLarge(number, fmt.Sprintf("at most %d blank lines follow each other",
				maxBlank))
		}
		if problem := checkCharacters(line, number, &found); problem != nil {
			return problem
		}
	}
	return nil
}

// checkCharacters refuses what is no text and counts the indicators of a line.
func checkCharacters(line []byte, number int, found *int) *Problem {
	column := 0
	for at := 0; at < len(line); column++ {
		char, size := utf8.DecodeRune(line[at:])
		switch {
		case char == utf8.RuneError && size == 1:
			return &Problem{Line: number, Column: column + 1, Message: "the text is not UTF-8"}
		case char == '\r' && at+1 < len(line) && line[at+1] == '\n', char == '\t', char == '\n':
		case unicode.IsControl(char), char == '\u2028', char == '\u2029':
			return &Problem{Line: number, Column: column + 1,
				Message: fmt.Sprintf("the character U+%04X is not supported", char)}
		case char < utf8.RuneSelf && indicators[char]:
			*found++
		}
		at += size
	}
	if *found > maxIndicators {
		return tooLarge(number, "the text has too many parts")
	}
	return nil
}

// checkTokens bounds what the parser will nest and compare, and refuses the parts of YAML that no
// text of ours needs and that hostile texts multiply.
func checkTokens(tokens token.Tokens, name string) *Problem {
	if len(tokens) > maxTokens {
		return tooLarge(0, "the text has too many parts")
	}
	nest := nesting{}
	line, onLine, documents := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, onLine = t.Position.Line, 0
		}
		if onLine++; onLine > maxOnLine {
			return tooLarge(line, "a line has too many parts")
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType,
			token.DirectiveType:
			return &Problem{Line: line,
				Message: "anchors, aliases, merge keys, tags and directives are not supported"}
		case token.DocumentHeaderType, token.DocumentEndType:
			if documents++; documents > 2 {
				return oneDocument(line, name)
			}
			nest = nesting{}
			continue
		}
		if problem := nest.add(t); problem != nil {
			return problem
		}
	}
	return nil
}

func tooLarge(line int, message string) *Problem {
	return &Problem{Line: line, TooLarge: true, Message: message}
}

func oneDocument(line int, name string) *Problem {
	return &Problem{Line: line, Message: name + " is exactly one YAML document"}
}

// nesting follows how deeply tokens are nested and how many entries each level has: by brackets,
// and outside of them by the columns at which tokens begin.
type nesting struct{ levels []level }

type level struct {
	flow   bool // of a bracket, which has no column
	column int
	items  int // of a list, or commas within a bracket
	keys   int
}

func (n *nesting) add(t *token.Token) *Problem {
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.begin(t)
		n.levels = append(n.levels, level{flow: true})
	case token.SequenceEndType, token.MappingEndType:
		if n.inFlow() {
			n.levels = n.levels[:len(n.levels)-1]
		}
	case token.CommentType:
	default:
		n.begin(t)
	}
	if len(n.levels) > MaxDepth {
		return tooLarge(t.Position.Line, "the text is nested too deeply")
	}
	if len(n.levels) == 0 {
		return nil
	}
	switch last := n.levels[len(n.levels)-1]; {
	case last.items > maxEntries:
		return tooLarge(t.Position.Line, fmt.Sprintf("a list has at most %d entries", maxEntries))
	case last.keys > maxKeys:
		return tooLarge(t.Position.Line, fmt.Sprintf("a mapping has at most %d keys", maxKeys))
	}
	return nil
}

func (n *nesting) inFlow() bool { return len(n.levels) > 0 && n.levels[len(n.levels)-1].flow }

// begin counts the token on its level, opening or closing levels of indentation.
func (n *nesting) begin(t *token.Token) {
	if n.inFlow() {
		last := &n.levels[len(n.levels)-1]
		switch t.Type {
		case token.CollectEntryType:
			last.items++
		case token.MappingValueType:
			last.keys++
		}
		return
	}
	if t.Type == token.MappingValueType || isValue(t) {
		return
	}
	for len(n.levels) > 0 && n.levels[len(n.levels)-1].column > t.Position.Column {
		n.levels = n.levels[:len(n.levels)-1]
	}
	if len(n.levels) == 0 || n.levels[len(n.levels)-1].column < t.Position.Column {
		n.levels = append(n.levels, level{column: t.Position.Column})
	}
	last := &n.levels[len(n.levels)-1]
	if t.Type == token.SequenceEntryType {
		last.items++
	} else {
		last.keys++
	}
}

// isValue reports whether the token is a value on the line of its key, or the text of a block
// scalar: it begins no level.
func isValue(t *token.Token) bool {
	before := t.Prev
	for before != nil && before.Type == token.CommentType {
		before = before.Prev
	}
	switch {
	case before == nil:
		return false
	case before.Type == token.LiteralType, before.Type == token.FoldedType:
		return true
	}
	return before.Type == token.MappingValueType && before.Position.Line == t.Position.Line
}

// Package yamltext reads YAML that a person sends, within bounds: it is the only reader of YAML in
// this program.
//
// The YAML library needs memory and time in the square of a text's depth, of the entries of one
// mapping and of the blank lines of a block scalar: 64 kB could cost gigabytes. So a text is
// bounded twice before it is parsed: by a scan of its bytes before the library sees it at all, and
// by its tokens before the parser nests them.
//
// What may enter: bounds on texts, places of errors. What never happens here: the meaning of a
// text, I/O.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of one text. Published rule sets and processes stay below a fifth of each.
const (
	MaxBytes   = 64 << 10
	MaxLine    = 2000   // bytes of one line
	MaxDepth   = 32     // mappings and lists inside each other
	maxTokens  = 12_000 // of the whole text
	maxOnLine  = 500    // tokens that begin on one line
	maxEntries = 600    // of one list
	maxKeys    = 250    // of one mapping
	maxBlank   = 50     // blank lines in a row
	maxMessage = 200    // characters of the library's own message, which may quote the text
	// maxIndicators bounds the characters that can begin a token, quoted or not: a cheap bound on
	// what the lexer makes.
	maxIndicators = 16_000
)

// Problem says why a text cannot be read, and where: Line and Column count from 1, 0 is no place.
type Problem struct {
	Line, Column int
	TooLarge     bool // beyond a bound, not malformed
	Message      string
}

// Error returns the message with its place.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}

// Document is one YAML document without anchors, aliases, merge keys and tags.
type Document struct{ body ast.Node }

// Parse reads a text that is exactly one document. Name says what the text is, for messages: "a
// rule set".
func Parse(source []byte, name string) (document *Document, problem *Problem) {
	defer recovered(&problem)
	if problem := scan(source, name); problem != nil {
		return nil, problem
	}
	tokens := lexer.Tokenize(string(source))
	if problem := checkTokens(tokens, name); problem != nil {
		return nil, problem
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		if line := tabbedLine(source); line > 0 {
			return nil, &Problem{Line: line, Column: 1, Message: "the line is indented with a tab; use spaces"}
		}
		return nil, syntax(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, oneDocument(0, name)
	}
	return &Document{file.Docs[0].Body}, nil
}

// tabbedLine returns the first line with a tab in its indentation, 0 if there is none. YAML allows tabs there
// only inside texts of several lines, so it explains a text that cannot be parsed.
func tabbedLine(source []byte) int {
	number := 0
	for line := range bytes.Lines(source) {
		number++
		indentation := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.ContainsRune(indentation, '\t') {
			return number
		}
	}
	return 0
}

// Decode fills the target; unknown and repeated keys are refused.
func (d *Document) Decode(target any) (problem *Problem) {
	defer recovered(&problem)
	if err := yaml.NodeToValue(d.body, target, yaml.Strict()); err != nil {
		return syntax(err)
	}
	return nil
}

// EntryLines returns the line of each entry of the list under a key of the document.
func (d *Document) EntryLines(key string) []int {
	mapping, ok := d.body.(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, entry := range mapping.Values {
		list, ok := entry.Value.(*ast.SequenceNode)
		if !ok || entry.Key.String() != key {
			continue
		}
		lines := make([]int, len(list.Values))
		for i, value := range list.Values {
			if node, ok := value.(*ast.MappingNode); ok && len(node.Values) > 0 {
				value = node.Values[0].Key
			}
			lines[i], _ = place(value)
		}
		return lines
	}
	return nil
}

// recovered turns a fault of the YAML library into a problem: the text comes from outside and must
// not end the process.
func recovered(problem **Problem) {
	if fault := recover(); fault != nil {
		*problem = &Problem{Message: "the text is not readable as YAML"}
	}
}

func place(node ast.Node) (line, column int) {
	if token := node.GetToken(); token != nil && token.Position != nil {
		return token.Position.Line, token.Position.Column
	}
	return 0, 0
}

// syntax turns the library's error into a problem. Its own text is not used where it has parts: it
// draws the source.
func syntax(err error) *Problem {
	problem := &Problem{}
	var placed yaml.Error
	if errors.As(err, &placed) {
		problem.Message = placed.GetMessage()
		if token := placed.GetToken(); token != nil && token.Position != nil {
			problem.Line, problem.Column = token.Position.Line, token.Position.Column
		}
	} else {
		problem.Message = err.Error()
	}
	problem.Message, _, _ = strings.Cut(problem.Message, "\n")
	problem.Message = sentenceOf(problem.Message)
	if runes := []rune(problem.Message); len(runes) > maxMessage {
		problem.Message = string(runes[:maxMessage-1]) + "…"
	}
	return problem
}

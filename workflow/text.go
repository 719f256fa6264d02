package workflow

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	// The YAML library takes time in the square of a line's or list's tokens, so the text is kept small: none of the hostile texts
	// we tried takes more than 300 ms at these bounds (27 s without).
	maxText    = 64 << 10 // bytes of one definition
	maxLine    = 2000     // bytes of one line
	maxNesting = 32       // brackets or indentation steps
	maxNodes   = 500
)

// definitionText is the YAML as written; see definition.schema.json.
type definitionText struct {
	Key           string            `yaml:"key"`
	Version       int               `yaml:"version"`
	Title         map[string]string `yaml:"title"`
	DocumentTypes []string          `yaml:"document_types"`
	HasAmount     *bool             `yaml:"has_amount"`
	KeyFacts      []string          `yaml:"key_facts"`
	ReEnter       string            `yaml:"re_enter"`
	OnReplace     string            `yaml:"on_replace"`
	OnEnter       string            `yaml:"on_enter"`
	OnAbandon     string            `yaml:"on_abandon"`
	Reopen        []string          `yaml:"reopen"`
	Nodes         []nodeText        `yaml:"nodes"`
}

type nodeText struct {
	ID            string                `yaml:"id"`
	Kind          string                `yaml:"kind"`
	Title         map[string]string     `yaml:"title"`
	Behaviour     string                `yaml:"behaviour"`
	Queue         string                `yaml:"queue"`
	QueueFor      map[string]string     `yaml:"queue_for"`
	Attempts      *int                  `yaml:"attempts"`
	Backoff       string                `yaml:"backoff"`
	Status        string                `yaml:"status"`
	Outcome       string                `yaml:"outcome"`
	Next          string                `yaml:"next"`
	On            map[string]targetText `yaml:"on"`
	Level         *int                  `yaml:"level"`
	Duty          string                `yaml:"duty"`
	Seats         *int                  `yaml:"seats"`
	Quorum        *int                  `yaml:"quorum"`
	ClaimWithin   string                `yaml:"claim_within"`
	DecideWithin  string                `yaml:"decide_within"`
	Overdue       string                `yaml:"overdue"`
	EscalateTo    *string               `yaml:"escalate_to"`
	Skills        []string              `yaml:"skills"`
	Undo          string                `yaml:"undo"`
	Bulk          *envelopeText         `yaml:"bulk"`
	EscalateLevel *int                  `yaml:"escalate_level"`
	Branches      []branchText          `yaml:"branches"`
	Default       string                `yaml:"default"`
	To            []string              `yaml:"to"`
	Topic         string                `yaml:"topic"`
	Lease         string                `yaml:"lease"`
	After         string                `yaml:"after"`
	Timeout       *timeoutText          `yaml:"timeout"`
	Errors        []errorText           `yaml:"errors"`
	Steps         []stepText            `yaml:"steps"`
}

// timeoutText is a boundary timer.
type timeoutText struct {
	After  string     `yaml:"after"`
	To     string     `yaml:"to"`
	Cancel cancelText `yaml:"cancel"`
}

// errorText is a boundary error; no codes: every failure.
type errorText struct {
	Codes  []string   `yaml:"codes"`
	To     string     `yaml:"to"`
	Cancel cancelText `yaml:"cancel"`
}

// stepText is one call of a saga.
type stepText struct {
	ID   string `yaml:"id"`
	Call string `yaml:"call"`
	Undo string `yaml:"undo"`
}

type branchText struct {
	When string `yaml:"when"`
	To   string `yaml:"to"`
}

// targetText is the name of a node, or {to: node, cancel: all or a list of nodes}.
type targetText struct {
	To     string
	Cancel cancelText
}

// UnmarshalYAML accepts both forms.
func (t *targetText) UnmarshalYAML(decode func(any) error) error {
	if decode(&t.To) == nil {
		return nil
	}
	var long struct {
		To     string     `yaml:"to"`
		Cancel cancelText `yaml:"cancel"`
	}
	if err := decode(&long); err != nil {
		return fmt.Errorf("a target is a node's name or {to, cancel}: %w", err)
	}
	t.To, t.Cancel = long.To, long.Cancel
	return nil
}

// cancelText is what an edge withdraws: a word, which can only be all, or the nodes of a region.
type cancelText struct {
	word  string
	nodes []string
}

// UnmarshalYAML accepts both forms.
func (c *cancelText) UnmarshalYAML(decode func(any) error) error {
	if decode(&c.nodes) == nil {
		return nil
	}
	c.nodes = nil
	if err := decode(&c.word); err != nil {
		return fmt.Errorf("cancel is all or a list of nodes: %w", err)
	}
	return nil
}

// readText parses the YAML strictly: unknown and repeated keys, anchors, aliases, tags and more than one document are
// refused, each with its line. lines holds the line of every node.
func readText(source []byte) (text definitionText, lines []int, problem *Problem) {
	defer func() {
		// The YAML library is not ours and its input comes from outside: a fault in it must not take the process down.
		if fault := recover(); fault != nil {
			problem = &Problem{Rule: "syntax", Message: "the text is not readable as YAML"}
		}
	}()
	if problem := bounds(source); problem != nil {
		return text, nil, problem
	}
	file, err := parser.ParseBytes(source, 0)
	if err != nil {
		return text, nil, syntax(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return text, nil, &Problem{Rule: "syntax", Message: "a definition is exactly one YAML document"}
	}
	body := file.Docs[0].Body
	var plain plainOnly
	if ast.Walk(&plain, body); plain.found != nil {
		return text, nil, plain.found
	}
	if err := yaml.NodeToValue(body, &text, yaml.Strict()); err != nil {
		return text, nil, syntax(err)
	}
	return text, nodeLines(body), nil
}

// bounds refuses a text that is too long or nested too deeply before any parser recurses into it.
func bounds(source []byte) *Problem {
	if len(source) > maxText {
		return &Problem{Rule: "size", Message: fmt.Sprintf("a definition has at most %d bytes", maxText)}
	}
	line, begin, depth, dashes, indented := 1, 0, 0, 0, true
	for at, char := range source {
		if at-begin > maxLine {
			return &Problem{Line: line, Rule: "size", Message: fmt.Sprintf("a line has at most %d bytes", maxLine)}
		}
		switch char {
		case '\n':
			line, begin, dashes, indented = line+1, at+1, 0, true
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '-', '?':
			if indented {
				dashes++
			}
		case ' ', '\t':
			continue
		}
		if char != '-' && char != '?' {
			indented = false
		}
		if depth > maxNesting || dashes > maxNesting {
			return &Problem{Line: line, Rule: "size", Message: "the text is nested too deeply"}
		}
	}
	return nil
}

// plainOnly looks for the parts of YAML that a definition has no use for and that hostile texts multiply.
type plainOnly struct{ found *Problem }

// Visit notes the first anchor, alias, merge key or tag.
func (v *plainOnly) Visit(node ast.Node) ast.Visitor {
	if v.found != nil {
		return nil
	}
	switch node.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
		v.found = &Problem{Line: lineOf(node), Rule: "syntax", Message: "anchors, aliases, merge keys and tags are not used in definitions"}
		return nil
	}
	return v
}

func lineOf(node ast.Node) int {
	if token := node.GetToken(); token != nil && token.Position != nil {
		return token.Position.Line
	}
	return 0
}

// nodeLines returns the line of each entry of the list "nodes".
func nodeLines(body ast.Node) []int {
	mapping, ok := body.(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, entry := range mapping.Values {
		list, ok := entry.Value.(*ast.SequenceNode)
		if !ok || entry.Key.String() != "nodes" {
			continue
		}
		lines := make([]int, len(list.Values))
		for i, value := range list.Values {
			lines[i] = lineOf(value)
			if node, ok := value.(*ast.MappingNode); ok && len(node.Values) > 0 {
				lines[i] = lineOf(node.Values[0].Key)
			}
		}
		return lines
	}
	return nil
}

// syntax turns the library's error into a problem: its first line, with the place where it knows one.
func syntax(err error) *Problem {
	problem := &Problem{Rule: "syntax", Message: err.Error()}
	var placed yaml.Error
	if errors.As(err, &placed) {
		problem.Message = placed.GetMessage()
		if token := placed.GetToken(); token != nil && token.Position != nil {
			problem.Line, problem.Column = token.Position.Line, token.Position.Column
		}
	}
	problem.Message, _, _ = strings.Cut(problem.Message, "\n")
	return problem
}

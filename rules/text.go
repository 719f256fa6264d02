package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The YAML library takes time in the square of a line's tokens, so texts are kept small, as in package workflow.
const (
	maxText    = 64 << 10 // bytes of one set
	maxLine    = 2000     // bytes of one line
	maxNesting = 16       // brackets or indentation steps
	maxRules   = 200
	maxValues  = 20
)

// setText is the YAML as written.
type setText struct {
	Key           string            `yaml:"key"`
	Version       int               `yaml:"version"`
	Title         map[string]string `yaml:"title"`
	DocumentTypes []string          `yaml:"document_types"`
	Rules         []ruleText        `yaml:"rules"`
}

type ruleText struct {
	ID       string                                  `yaml:"id"`
	Phase    string                                  `yaml:"phase"`
	Severity string                                  `yaml:"severity"`
	Score    int                                     `yaml:"score"`
	Asks     map[string]string                       `yaml:"asks"`
	When     string                                  `yaml:"when"`
	Fields   string                                  `yaml:"fields"`
	Values   map[string]string                       `yaml:"values"`
	Words    map[string]map[string]map[string]string `yaml:"words"`
	Message  map[string]string                       `yaml:"message"`
}

// readSet parses the YAML strictly; lines holds the line of every rule.
func readSet(source []byte) (text setText, lines []int, problem *Problem) {
	defer func() {
		// The YAML library is not ours and its input comes from outside: a fault in it must not take the process down.
		if fault := recover(); fault != nil {
			problem = &Problem{Check: "syntax", Message: "the text is not readable as YAML"}
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
		return text, nil, &Problem{Check: "syntax", Message: "a rule set is exactly one YAML document"}
	}
	body := file.Docs[0].Body
	var plain plainOnly
	if ast.Walk(&plain, body); plain.found != nil {
		return text, nil, plain.found
	}
	if err := yaml.NodeToValue(body, &text, yaml.Strict()); err != nil {
		return text, nil, syntax(err)
	}
	return text, ruleLines(body), nil
}

// bounds refuses a text that is too long or nested too deeply before any parser recurses into it.
func bounds(source []byte) *Problem {
	if len(source) > maxText {
		return &Problem{Check: "size", Message: fmt.Sprintf("a rule set has at most %d bytes", maxText)}
	}
	for number, line := range strings.Split(string(source), "\n") {
		if len(line) > maxLine {
			return &Problem{Line: number + 1, Check: "size", Message: fmt.Sprintf("a line has at most %d bytes", maxLine)}
		}
		opened := strings.Count(line, "[") + strings.Count(line, "{")
		begun := len(line) - len(strings.TrimLeft(line, " \t-?"))
		if opened > maxNesting || strings.Count(line[:begun], "-")+strings.Count(line[:begun], "?") > maxNesting || begun > 8*maxNesting {
			return &Problem{Line: number + 1, Check: "size", Message: "the text is nested too deeply"}
		}
	}
	return nil
}

// plainOnly looks for the parts of YAML that a set has no use for and that hostile texts multiply.
type plainOnly struct{ found *Problem }

// Visit notes the first anchor, alias, merge key or tag.
func (v *plainOnly) Visit(node ast.Node) ast.Visitor {
	if v.found != nil {
		return nil
	}
	switch node.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
		v.found = &Problem{Check: "syntax", Message: "anchors, aliases, merge keys and tags are not used in rule sets"}
		if token := node.GetToken(); token != nil && token.Position != nil {
			v.found.Line = token.Position.Line
		}
		return nil
	}
	return v
}

// ruleLines returns the line of each entry of the list "rules".
func ruleLines(body ast.Node) []int {
	mapping, ok := body.(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, entry := range mapping.Values {
		list, ok := entry.Value.(*ast.SequenceNode)
		if !ok || entry.Key.String() != "rules" {
			continue
		}
		lines := make([]int, len(list.Values))
		for i, value := range list.Values {
			token := value.GetToken()
			if node, ok := value.(*ast.MappingNode); ok && len(node.Values) > 0 {
				token = node.Values[0].Key.GetToken()
			}
			if token != nil && token.Position != nil {
				lines[i] = token.Position.Line
			}
		}
		return lines
	}
	return nil
}

// syntax turns the library's error into a problem: its first line, with the place where it knows one.
func syntax(err error) *Problem {
	problem := &Problem{Check: "syntax", Message: err.Error()}
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

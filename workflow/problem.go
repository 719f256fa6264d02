package workflow

import (
	"fmt"
	"strings"

	"countersign/domain"
)

// Problem is one fault of a definition, for the person who edits it.
type Problem struct {
	Line    int      // in the YAML, from 1; 0 for the whole definition
	Column  int      // from 1; 0 if unknown
	Node    string   // "" for the whole definition
	Rule    string   // stable name of the check: syntax, unknown_target, no_default …
	Message string   // a sentence
	Path    []string // the events of a counter-example, if the check found one
	// Values are the values in the message, for translations; nil if there are none.
	Values map[string]string `json:",omitempty"`
}

// String formats the problem with its position.
func (p Problem) String() string {
	text := p.Message
	if p.Node != "" {
		text = p.Node + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d: %s", p.Line, text)
	}
	if len(p.Path) > 0 {
		text += " (after: " + strings.Join(p.Path, ", ") + ")"
	}
	return text
}

// problemsError returns one error for a list of problems, nil if there are none.
func problemsError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	err := domain.Errorf(domain.UnsoundDefinition, "The definition is not valid: %s", problems[0])
	if more := len(problems) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Op = "workflow.Parse"
	err.Remedy = "Correct the definition and check it again."
	if problems[0].Node != "" {
		err = err.WithDetail("node", problems[0].Node)
	}
	if problems[0].Line > 0 {
		err = err.WithDetail("line", fmt.Sprint(problems[0].Line))
	}
	return err
}

package authz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// Problem is a fault of one rule, or of the whole policy if Rule is "". Check is a stable name and
// Values are the values in the message, for translations.
type Problem struct {
	Rule    string
	Message string
	Check   string
	Values  map[string]string
}

// problemOf converts an error of a rule. Its check is policy_… for the rule itself and condition_…
// for its condition.
func problemOf(rule string, err error) Problem {
	var failure *domain.Error
	if !errors.As(err, &failure) {
		return Problem{Rule: rule, Message: err.Error(), Check: "policy"}
	}
	prefix := "policy_"
	if failure.Code == domain.InvalidExpression {
		prefix = "condition_"
	}
	return Problem{Rule: rule, Message: failure.Message, Check: prefix + failure.Detail["reason"],
		Values: failure.Detail}
}

// Document is the text form of a policy: a JSON object with its version and rules. A proposed text can
// also change limits, which take effect when it is published and are not part of the version.
type Document struct {
	Version int64         `json:"version"`
	Rules   []Rule        `json:"rules"`
	Limits  []LimitChange `json:"limits,omitempty"`
}

// Policy returns the version of the rules.
func (d Document) Policy() Policy { return Policy{Version: d.Version, Rules: d.Rules} }

// ParseDocument parses the text of a policy. It rejects unknown fields, so that a misspelled one is
// not ignored.
func ParseDocument(text []byte) (Document, []Problem) {
	var document Document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return document, []Problem{textProblem(err.Error())}
	}
	operators := 0
	for _, rule := range document.Rules {
		operators += expr.Operators(rule.Condition)
	}
	if len(document.Rules) > maxRules || operators > expr.MaxOperatorsInAll {
		return document,
			[]Problem{textProblem(
				fmt.Sprintf("it has more than %d rules, or more than %d operators in their conditions",
					maxRules, expr.MaxOperatorsInAll))}
	}
	if len(document.Limits) > maxLimitChanges {
		return document,
			[]Problem{textProblem(fmt.Sprintf("it changes more than %d limits", maxLimitChanges))}
	}
	return document, nil
}

func textProblem(reason string) Problem {
	return Problem{Message: "The text is not a valid policy: " + reason + ".", Check: "policy_text",
		Values: map[string]string{"said": reason}}
}

// maxRules limits the rules of a policy.
const maxRules = 500

// Text formats the document for editing.
func (d Document) Text() (string, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	return string(text) + "\n", err
}

// Check reports every fault of the rules: duplicate names, rules without effect, and conditions
// that cannot be translated to SQL.
func Check(rules []Rule) []Problem {
	var problems []Problem
	names := map[string]bool{}
	for _, rule := range rules {
		if names[rule.Name] {
			problems = append(problems,
				Problem{Rule: rule.Name, Message: "Two rules have this name.",
					Check: "policy_same_name"})
		}
		names[rule.Name] = true
		if _, err := rule.compile(); err != nil {
			problems = append(problems, problemOf(rule.Name, err))
		}
	}
	return problems
}

// ObjectsOf returns the objects on which the action can be allowed.
func ObjectsOf(action domain.Action) []Object { return slices.Clone(objects[action]) }

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

// Problem is what stands against one rule of a policy; Rule is "" where the whole policy is meant. Check is a stable name and
// Values are what the message names, for sentences in another language.
type Problem struct {
	Rule    string
	Message string
	Check   string
	Values  map[string]string
}

// problemOf tells an error of a rule: policy_… for its parts, condition_… for its condition.
func problemOf(rule string, err error) Problem {
	var ours *domain.Error
	if !errors.As(err, &ours) {
		return Problem{Rule: rule, Message: err.Error(), Check: "policy"}
	}
	kind := "policy_"
	if ours.Code == domain.InvalidExpression {
		kind = "condition_"
	}
	return Problem{Rule: rule, Message: ours.Message, Check: kind + ours.Detail["reason"], Values: ours.Detail}
}

// Document is a policy as it is written, proposed and kept: a JSON object with its version and rules.
type Document struct {
	Version int64  `json:"version"`
	Rules   []Rule `json:"rules"`
}

// ParseDocument reads a policy as written. What it does not know is refused, so that no slip passes for a rule.
func ParseDocument(text []byte) (Document, []Problem) {
	var document Document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return document, []Problem{{Message: "The text is no policy: " + err.Error() + ".", Check: "policy_text", Values: map[string]string{"said": err.Error()}}}
	}
	operators := 0
	for _, rule := range document.Rules {
		operators += expr.Operators(rule.Condition)
	}
	if len(document.Rules) > maxRules || operators > expr.MaxOperatorsInAll {
		said := fmt.Sprintf("it has more than %d rules, or more than %d operators in their conditions", maxRules, expr.MaxOperatorsInAll)
		return document, []Problem{{Message: "The text is no policy: " + said + ".", Check: "policy_text", Values: map[string]string{"said": said}}}
	}
	return document, nil
}

// maxRules bounds a policy.
const maxRules = 500

// Text writes the document for people to read and edit.
func (d Document) Text() (string, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	return string(text) + "\n", err
}

// Check names everything that stands against the rules: each one that means nothing, or whose condition cannot become SQL
// with its reason.
func Check(rules []Rule) []Problem {
	var problems []Problem
	names := map[string]bool{}
	for _, rule := range rules {
		if names[rule.Name] {
			problems = append(problems, Problem{Rule: rule.Name, Message: "Two rules have this name.", Check: "policy_same_name"})
		}
		names[rule.Name] = true
		if _, err := rule.compile(); err != nil {
			problems = append(problems, problemOf(rule.Name, err))
		}
	}
	return problems
}

// ObjectsOf returns on what the action can be allowed.
func ObjectsOf(action domain.Action) []Object { return slices.Clone(objects[action]) }

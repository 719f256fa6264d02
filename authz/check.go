package authz

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"countersign/domain"
)

// Fault is what stands against one rule of a policy; Rule is "" where the whole policy is meant. Check is a stable name and
// Values are what the message names, for sentences in another language.
type Fault struct {
	Rule    string
	Message string
	Check   string
	Values  map[string]string
}

// faultOf tells an error of a rule: policy_… for its parts, condition_… for its condition.
func faultOf(rule string, err error) Fault {
	var ours *domain.Error
	if !errors.As(err, &ours) {
		return Fault{Rule: rule, Message: err.Error(), Check: "policy"}
	}
	kind := "policy_"
	if ours.Code == domain.InvalidExpression {
		kind = "condition_"
	}
	return Fault{Rule: rule, Message: ours.Message, Check: kind + ours.Detail["reason"], Values: ours.Detail}
}

// Document is a policy as it is written, proposed and kept: a JSON object with its version and rules.
type Document struct {
	Version int64  `json:"version"`
	Rules   []Rule `json:"rules"`
}

// ParseDocument reads a policy as written. What it does not know is refused, so that no slip passes for a rule.
func ParseDocument(text []byte) (Document, []Fault) {
	var document Document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return document, []Fault{{Message: "The text is no policy: " + err.Error() + ".", Check: "policy_text", Values: map[string]string{"said": err.Error()}}}
	}
	return document, nil
}

// Text writes the document for people to read and edit.
func (d Document) Text() (string, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	return string(text) + "\n", err
}

// Check names everything that stands against the rules: each one that means nothing, or whose condition cannot become SQL
// with its reason.
func Check(rules []Rule) []Fault {
	var faults []Fault
	names := map[string]bool{}
	for _, rule := range rules {
		if names[rule.Name] {
			faults = append(faults, Fault{Rule: rule.Name, Message: "Two rules have this name.", Check: "policy_same_name"})
		}
		names[rule.Name] = true
		if _, err := rule.compile(); err != nil {
			faults = append(faults, faultOf(rule.Name, err))
		}
	}
	return faults
}

// ObjectsOf returns on what the action can be allowed.
func ObjectsOf(action domain.Action) []Object { return slices.Clone(objects[action]) }

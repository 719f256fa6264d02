package workflow

import (
	"strings"
	"testing"
)

// withAttributes returns a small process with these declarations and this guard.
func withAttributes(attributes, guard string) string {
	return `
key: expense
on_abandon: seal_gone
attributes: [` + attributes + `]
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: '` + guard + `', to: ask}], default: seal_no}
  - {id: ask, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}
` + definitionTail
}

const department = `{name: department, type: choice, required: true, choices: [sales, it]}`

func TestAttributeDeclarationsAreChecked(t *testing.T) {
	t.Parallel()
	for declared, part := range map[string]string{
		`{name: Department, type: text}`:                                        "not valid",
		`{name: in, type: text}`:                                                "reserved",
		department + `, {name: department, type: text}`:                         "declared twice",
		`{name: a, type: number}`:                                               "the type must be",
		`{name: a, type: choice}`:                                               "needs 1 to 50",
		`{name: a, type: choice, choices: [x, x]}`:                              "listed twice",
		`{name: a, type: choice, choices: ["X Y"]}`:                             "not valid",
		`{name: a, type: text, choices: [x]}`:                                   "only a choice",
		`{name: a, type: date, max_length: 3}`:                                  "only a text",
		`{name: a, type: text, max_length: 501}`:                                "between 1 and 500",
		`{name: a, type: text, pattern: "("}`:                                   "regular expression",
		`{name: a, type: money}`:                                                "currency",
		`{name: a, type: money, currency: EURO}`:                                "currency",
		`{name: a, type: integer, currency: EUR}`:                               "currency",
		`{name: a, type: text, secret: true}`:                                   "secret",
		strings.Repeat(`{name: a, type: text}, `, 20) + `{name: b, type: text}`: "at most 20",
	} {
		_, problems := Check([]byte(withAttributes(declared, "risk > 1")))
		if len(problems) == 0 || !strings.Contains(problems[0].Message, part) {
			t.Errorf("%s: %v", declared, problems)
		}
	}
}

// A guard about an attribute that the process does not declare is refused at its node, as is a choice that
// the attribute does not have.
func TestGuardsUseDeclaredAttributes(t *testing.T) {
	t.Parallel()
	for guard, rule := range map[string]string{
		`attributes.department == "it"`:        "",
		`attributes.salary > 3`:                "undeclared_attribute",
		`attributes.department == "IT"`:        "guard",
		`attributes.department > 3`:            "guard",
		`department == "it"`:                   "guard",
		`fields.department == "it" && risk>=0`: "", // a field of the document, not what was stated
	} {
		_, problems := Check([]byte(withAttributes(department, guard)))
		if rule == "" && len(problems) > 0 || rule != "" && (len(problems) != 1 ||
			problems[0].Rule != rule || problems[0].Node != "route" || problems[0].Line == 0) {
			t.Errorf("%s: %+v", guard, problems)
		}
	}
}

// The choices are a closed list: a default that no choice leaves is reported, as is an impossible guard.
func TestWarningsEnumerateChoices(t *testing.T) {
	t.Parallel()
	for guard, warned := range map[string]bool{
		`attributes.department in ["it", "sales"]`:                          true,
		`attributes.department == "it"`:                                     false,
		`attributes.department == "it" && attributes.department == "sales"`: true,
	} {
		def := mustParse(t, withAttributes(department, guard))
		if found := Warnings(def); (len(found) > 0) != warned {
			t.Errorf("%s: %v", guard, found)
		}
	}
}

// Cases move to another version only if they can have the attributes that it requires, of the same type.
func TestMigrationNeedsTheAttributes(t *testing.T) {
	t.Parallel()
	guard := "risk > 1"
	for name, test := range map[string]struct {
		from, to string
		refused  bool
	}{
		"the same": {department, department, false}, "removed": {department, "", false},
		"new and required": {"", department, true},
		"new and optional": {"", `{name: note, type: text}`, false},
		"another type":     {department, `{name: department, type: text}`, true},
		"another currency": {`{name: b, type: money, currency: EUR}`,
			`{name: b, type: money, currency: USD}`, true},
	} {
		from, to := mustParse(t, withAttributes(test.from, guard)),
			mustParse(t, "version: 2"+withAttributes(test.to, guard))
		problems := CheckPlan(from, to, NewMigrationPlan(from, to, nil))
		refused := len(problems) > 0 && problems[0].Rule == "migration_attribute"
		if refused != test.refused || !test.refused && len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

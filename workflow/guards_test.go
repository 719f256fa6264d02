package workflow

import (
	"strings"
	"testing"
)

func TestWarningsOfGuards(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ branches, want string }{
		"cascade": {
			"{when: base_minor > 100, to: x}, {when: base_minor > 10, to: y}", ""},
		"disjoint": {
			"{when: risk < 30, to: x}, {when: risk >= 30 && risk < 60, to: y}", ""},
		"contradiction":     {"{when: risk > 50 && risk < 20, to: x}", "dead_guard"},
		"outside the range": {"{when: risk > 100, to: x}", "dead_guard"},
		"covered": {"{when: risk > 20, to: x}, {when: risk > 50, to: y}",
			"dead_guard"},
		"covered by two": {
			"{when: risk > 50, to: x}, {when: risk <= 50 && risk > 10, to: y}, {when: risk > 20, to: seal}", "dead_guard"},
		"dead default": {"{when: risk > 50, to: x}, {when: risk <= 50, to: y}",
			"dead_guard"},
		"partial overlap": {
			"{when: risk > 20 && risk < 60, to: x}, {when: risk > 40 && risk < 80, to: y}",
			"overlapping_guard"},
		"overlap, same target": {
			"{when: risk > 20 && risk < 60, to: x}, {when: risk > 40 && risk < 80, to: x}, {when: risk == 100, to: y}", ""},
		"different names": {"{when: risk > 20, to: x}, {when: base_minor > 40, to: y}", ""},
		"more than numbers": {
			"{when: 'risk > 20 && country == \"DE\"', to: x}, {when: risk > 50, to: y}", ""},
		"alternatives": {"{when: risk < 10 || risk > 90, to: x}, {when: risk > 95, to: y}",
			"dead_guard"},
		"negated": {"{when: '!(20 < risk)', to: x}, {when: risk <= 20, to: y}",
			"dead_guard"},
		"boolean": {
			"{when: amount_known, to: x}, {when: amount_known && risk > 1, to: y}", "dead_guard"},
		"negated boolean": {
			"{when: '!amount_known', to: x}, {when: amount_known == true && risk > 1, to: y}", ""},
		"never": {"{when: 'false', to: x}, {when: risk > 1, to: y}", "dead_guard"},
		// the default
		"not equal": {"{when: blocking != 0, to: x}, {when: blocking == 0, to: y}", "dead_guard"},
	} {
		def := mustParse(t,
			definitionOf(
				"  - {id: a, kind: exclusive, branches: ["+test.branches+"], default: z}\n"+
					"  - {id: x, kind: stage, next: seal}\n  - {id: y, kind: stage, next: seal_no}\n  - {id: z, kind: stage, on: {done: seal, x: x, y: y}}\n"))
		result := Verify(def)
		if !result.Sound() {
			t.Errorf("%s: a warning must not make the definition unsound: %v", name,
				result.Problems)
		}
		var rules []string
		for _, warning := range Warnings(def) {
			rules = append(rules, warning.Rule)
			if warning.Node != "a" || warning.Line == 0 {
				t.Errorf("%s: the warning has no position: %+v", name, warning)
			}
		}
		if got := strings.Join(rules, " "); got != test.want {
			t.Errorf("%s: %v, want %q", name, Warnings(def), test.want)
		}
	}
}

func TestBuiltinDefinitionsHaveNoWarnings(t *testing.T) {
	t.Parallel()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if warnings := Warnings(mustParse(t, string(source.YAML))); len(warnings) > 0 {
			t.Errorf("%s: %v", source.Key, warnings)
		}
	}
}

package expr

import (
	"slices"
	"testing"
)

func TestFindingRulesOfAConditionAreListed(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`risk > 5`:                          nil,
		`findings.exists(f, f.rule == "a")`: {"a"},
		`!findings.exists(f, f.rule == "a" && f.severity == "blocking")`: {
			"a"},
		`findings.exists(f, f.rule in ["b", "a"]) || findings.exists(f, "c" == f.rule)`: {
			"a", "b", "c"},
		`findings.exists_one(f, f["rule"] == "a")`: {
			"a"},
		`findings.filter(f, f.rule == "a").exists(f, f.score > 5)`: {
			"a"},
		`findings.filter(f, f.rule == "a").size() > 0`: {
			"a"},
		`findings.all(f, f.rule != "a")`: {
			"a"},
		`findings.all(f, !(f.rule == "a"))`: {
			"a"},
		`blocking == 0 && findings.all(f, f.severity == "info" || f.rule in ["a", "b"])`: nil,
		`findings.exists(f, f.rule != "a")`:                                              nil,
		`findings.exists(f, !(f.rule in ["a", "b"]))`:                                    nil,
		`findings.size() > 0 && findings[0].rule == "a"`: {
			"a"},
		`"rule" in fields && fields.rule == "a" && fields["rule"] == "b"`:                       nil,
		`findings.exists(f, f.severity == "warning" && ["a", "b"].exists(r, f.message == "c"))`: nil,
	} {
		condition, err := Compile(source, ProcessFacts())
		if err != nil {
			t.Fatal(err)
		}
		if got := condition.Findings(); !slices.Equal(got, want) {
			t.Errorf("%s refers to %q, want %q", source, got, want)
		}
	}
}

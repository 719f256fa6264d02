package main

import (
	"strings"
	"testing"
)

// rehearsalFixture returns the sums of a rehearsal.
func rehearsalFixture(complete bool) object {
	sums := object{"complete": complete, "missingFacts": []any{
		object{"node": "route", "message": "The process needs facts that the case lacks: country.", "cases": 3}}}
	for i, name := range []string{"cases", "closed", "open", "hidden", "erased", "simplified", "hiddenVotes",
		"same", "moreReviews", "fewerReviews", "straightToPerson", "personToStraight", "otherEnd",
		"tooFewBefore", "tooFewAfter", "stopped", "otherFindings", "undetermined", "refused", "impossible",
		"comparedWithRecord", "unlikeRecord", "otherReviews", "unassignedBefore", "unassignedAfter"} {
		sums[name] = 100 + i
	}
	return object{"rehearse": sums}
}

// The sums are printed, with the facts that are missing and a note if the time was over.
func TestRehearsePrintsSums(t *testing.T) {
	t.Parallel()
	code, out, messages := newFakeAPI(t, rehearsalFixture(false)).run("rehearse", "main.go")
	for _, line := range []string{"rehearsed", "would meet a person", "110", "unlike the record", "121",
		"other reviews or reviewers", "122", "assigned to no one before", "123", "assigned to no one after", "124",
		"route: The process needs facts that the case lacks: country. (3 cases)"} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is missing in %s", line, out)
		}
	}
	if code != 0 || !strings.Contains(messages, "The time was over") {
		t.Errorf("exit code %d, messages %q", code, messages)
	}
	for _, kind := range []string{"process", "rules", "policy"} {
		code, out, messages = newFakeAPI(t, rehearsalFixture(true)).run("--json", "rehearse", "--kind", kind,
			"--no-open", "--closed", "5", "main.go")
		if code != 0 || messages != "" || !strings.HasPrefix(out, `{"cases":100,"closed":101,"open":102,`) {
			t.Errorf("%s: exit code %d, output %s, messages %q", kind, code, out, messages)
		}
	}
	if code, _, _ = newFakeAPI(t, rehearsalFixture(true)).run("rehearse", "--kind", "limit", "main.go"); code == 0 {
		t.Error("an unknown kind of text is accepted")
	}
}

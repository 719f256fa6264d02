package main

import (
	"strings"
	"testing"
)

func TestSplitAndMergeCommands(t *testing.T) {
	t.Parallel()
	part := func(reference string, first, last int) object {
		return object{"reference": reference, "merged": false,
			"pages": object{"first": first, "last": last}}
	}
	answers := jsonAnswers()
	answers["splitCase"] = object{"userErrors": []any{},
		"parts": []any{part("CS-2026-000002", 1, 1), part("CS-2026-000003", 2, 4)}}
	answers["mergeParts"] = object{"userErrors": []any{}, "reference": "CS-2026-000004"}
	code, out, messages := newFakeAPI(t, answers).run("case", "split", "review-1", "--pages", "1, 2-4")
	if code != 0 || !strings.Contains(out, "CS-2026-000003  2-4") {
		t.Errorf("%d: %s %s", code, out, messages)
	}
	for _, pages := range []string{"1-", "a", "1-2-3"} {
		code, _, messages = newFakeAPI(t, answers).run("case", "split", "review-1", "--pages="+pages)
		if code == 0 || !strings.Contains(messages, "is not a range of pages") {
			t.Errorf("%q: %d %s", pages, code, messages)
		}
	}
	code, out, messages = newFakeAPI(t, answers).run("case", "merge", "review-1", "--reason", "one")
	if code != 0 || !strings.Contains(out, "merged into CS-2026-000004") {
		t.Errorf("%d: %s %s", code, out, messages)
	}
}

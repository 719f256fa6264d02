package main

import (
	"strings"
	"testing"
)

func TestCountVitest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ report, line, says string }{
		"passed and failed": {`{"testResults":[{"name":"a.test.ts","status":"failed","assertionResults":[{"fullName":"one","status":"passed"},
			{"fullName":"two","status":"failed","failureMessages":["expected 1"]}]}]}`, "1 passed, 1 failed", "expected 1"},
		"a file that does not load": {`{"testResults":[{"name":"b.test.ts","status":"failed","message":"no such module","assertionResults":[]}]}`,
			"0 passed, 1 failed", "no such module"},
		"left out": {`{"testResults":[{"name":"c.test.ts","status":"passed","assertionResults":[{"fullName":"later","status":"pending"}]}]}`,
			"0 passed, 0 failed, 1 skipped", "SKIP c.test.ts later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said strings.Builder
			total, err := countVitest([]byte(tc.report), &said)
			if err != nil {
				t.Fatal(err)
			}
			if total.String() != tc.line || !strings.Contains(said.String(), tc.says) {
				t.Errorf("%s, want %s; said %q, want %q", total, tc.line, said.String(), tc.says)
			}
		})
	}
	if _, err := countVitest([]byte("no report"), &strings.Builder{}); err == nil {
		t.Error("nonsense was counted")
	}
}

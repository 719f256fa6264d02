package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/callcost"
	"countersign/internal/racedetector"
	"countersign/internal/yamltext"
)

// Checking the largest and most expensive rule sets stays within bounds of memory and time.
func TestNoRuleSetCostsMuch(t *testing.T) {
	t.Parallel()
	full := func(prefix, part string) string {
		return prefix + strings.Repeat(part, (yamltext.MaxBytes-len(prefix))/len(part))
	}
	conditions := func(when string) string {
		text := "key: mine\nversion: 1\ntitle: {en: Mine, zh: 我的}\ndocument_types: [invoice]\nrules:\n"
		for i := 0; ; i++ {
			rule := fmt.Sprintf(
				"  - id: r%d\n    phase: risk\n    severity: info\n    score: 1\n    title: {en: a, zh: b}\n    asks: {en: a, zh: b}\n    when: '%s'\n    message: {en: a, zh: b}\n",
				i, when,
			)
			if len(text)+len(rule) > yamltext.MaxBytes || i == maxRules {
				return text
			}
			text += rule
		}
	}
	for name, text := range map[string]string{
		"brackets over lines": "rules: " + strings.Repeat("[\n", 16000) + strings.Repeat("]\n",
			16000), "blank lines": full("key: |\n", "\n"),
		"rules": full("rules:\n", "- {id: a}\n"), "short conditions": conditions("true"),
		"ors":           conditions("true" + strings.Repeat("||true", 270)),
		"lists":         conditions("1 in [" + strings.Repeat("1,", 500) + "1]"),
		"brackets":      conditions(strings.Repeat("(", 50) + "true" + strings.Repeat(")", 50)),
		"few operators": conditions("country == \"DE\" && base_minor > 5 || amount_known"),
		"unknown names": conditions(strings.Repeat("abc+", 100) + "a"),
	} {
		var problems []Problem
		bytes, took, _ := callcost.Minimum(func() error {
			_, problems = CheckSet([]byte(text))
			return nil
		})
		t.Logf(
			"%-20s %5d bytes: %6.2f MB %8s %.90s", name, len(text), float64(bytes)/1e6,
			took.Round(100*time.Microsecond), fmt.Sprint(problems),
		)
		if bytes > 32<<20 || took > 250*time.Millisecond*racedetector.Slowdown {
			t.Errorf("%s: %d bytes of memory, %s", name, bytes, took)
		}
	}
}

package authz

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/callcost"
	"countersign/internal/racedetector"
)

// longestPolicy is the limit of the API's input, in characters.
const longestPolicy = 64 << 10

// TestNoPolicyCostsMuch checks the largest allowed policies that are written to cost as much as
// possible.
func TestNoPolicyCostsMuch(t *testing.T) {
	t.Parallel()
	full := func(prefix, part, end string) string {
		return prefix + strings.Repeat(part, (longestPolicy-len(prefix)-len(end))/len(part)) + end
	}
	rule := func(name, condition string) string {
		return fmt.Sprintf(
			`{"name":%q,"role":"reviewer_l1","action":"claim","object":"queue_review","condition":%q}`, name, condition)
	}
	rules := func(condition string) string {
		var text strings.Builder
		text.WriteString(`{"rules":[`)
		for i := 0; text.Len()+len(condition)+200 < longestPolicy; i++ {
			if i > 0 {
				text.WriteString(",")
			}
			text.WriteString(rule(fmt.Sprint("r", i), condition))
		}
		return text.String() + "]}"
	}
	for name, text := range map[string]string{
		"brackets": full("", "[", ""), "objects": full("", `{"rules":`, ""),
		"nested rules": full(`{"rules":`, "[", ""),
		"strings":      full(`{"rules":[{"name":"`, "x", `"}]}`),
		"escapes":      full(`{"rules":[{"name":"`, `\u0041`, `"}]}`),
		"numbers":      full(`{"version":`, "9", "}"),
		"empty rules":  full(`{"rules":[`, "{},", "{}]}"),
		"many roles":   full(`{"rules":[{"name":"a","role":[`, `"l1",`, `"l1"]}]}`),
		"many keys":    full("{", `"a":1,`, `"b":1}`), "spaces": full("", " ", ""),
		"short conditions": rules("true"), "ors": rules(strings.Repeat("true||", 600) + "true"),
		"brackets in conditions": rules(strings.Repeat("(", 60) + "true" + strings.Repeat(")", 60)),
		"unknown names":          rules(strings.Repeat("abc+", 1000) + "a"), "faults": rules("("),
		"lists":           rules("1 in [" + strings.Repeat("1,", 1900) + "1]"),
		"not a condition": rules(strings.Repeat("[", 4000)),
		"long":            rules(strings.Repeat("x", 4097)),
	} {
		bytes, took, err := callcost.Minimum(func() error {
			document, problems := ParseDocument([]byte(text))
			if len(problems) == 0 {
				problems = Check(document.Rules)
			}
			if len(problems) > 0 {
				return fmt.Errorf("%d faults, %.60s", len(problems), problems[0].Message)
			}
			return nil
		})
		t.Logf("%-22s %5d bytes: %6.2f MB %8s %v", name, len(text), float64(bytes)/1e6,
			took.Round(100*time.Microsecond), err)
		if bytes > 32<<20 || took > 250*time.Millisecond*racedetector.Slowdown {
			t.Errorf("%s: %d bytes of memory, %s", name, bytes, took)
		}
	}
}

package workflow

import (
	"fmt"
	"strings"
	"testing"
)

// A text that cannot be read gets one sentence that a user understands, at the line and the node.
func TestUnreadableTextsNameTheNode(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "  - {id: n%d, kind: stage, next: n%d}\n", i, i+1)
	}
	for text, want := range map[string]string{
		definitionOf("  - &x {id: a, kind: stage, next: seal}\n  - *x\n"):        "line 5: a: anchors, aliases, merge keys, tags and directives are not supported",
		definitionOf("  - {id: a, kind: stage, next: b}\n  - {<<: *a, id: b}\n"): "line 6: b: anchors, aliases, merge keys, tags and directives are not supported",
		definitionOf("  - {id: a, kind: stage, next: seal}\n\t- {id: b}\n"):      "line 6: b: the line is indented with a tab; use spaces",
		definitionOf("  - id: a\n    kind: review\n    seats: many\n"):           "line 7: a: a number is needed here, not a text",
		definitionOf("  - {id: a, kind: review, queue: [L1]}\n"):                 "line 5: a: a text is needed here, not a list",
		definitionOf("  - {id: a, kind: review, abstain: 5}\n"):                  "line 5: a: true or false is needed here, not a number",
		definitionOf("  - {id: a, kind: review, on: [x]}\n"):                     "line 5: a: a mapping is needed here, not a list",
		definitionOf("  - {id: a, kind: review, remind: 4h}\n"):                  "line 5: a: a list is needed here, not a text",
		definitionOf("  - {id: a, kind: stage, foo: bar}\n"):                     "line 5: a: the attribute \"foo\" is unknown",
		definitionOf("  - {id: a, kind: stage, kind: stage}\n"):                  "line 5: a: \"kind\" is written twice, first in line 5",
		definitionOf("  - {id: a, kind: stage, next: seal\n"):                    "a comma or the closing } is missing",
		definitionOf("  - id: a\n    kind stage\n"):                              "line 6: a: the line has no key with a colon",
		definitionOf("  - id: a\n   kind: stage\n"):                              "line 6: a: the line does not continue the lines above",
		definitionOf("  - id: a\n    title: \"x\n"):                              "the closing quotation mark is missing",
		definitionOf(many.String()):                                              "a definition has at most 65536 bytes",
		"nodes: 5":                                                               "line 1: a list is needed here, not a number",
		"key: [":                                                                 "line 1: the closing ] is missing",
		"key: x\nkey: y\n":                                                       "line 2: \"key\" is written twice, first in line 1",
	} {
		_, problems := Check([]byte(text))
		if len(problems) == 0 || !strings.Contains(problems[0].String(), want) || strings.Contains(problems[0].String(), "Go ") {
			t.Errorf("want %q, got %v", want, problems)
		}
	}
}

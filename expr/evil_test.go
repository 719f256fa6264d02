package expr

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/callcost"
	"countersign/internal/racedetector"
)

// TestNoConditionCostsMuch compiles the largest allowed conditions that are written to cost as much
// as possible.
func TestNoConditionCostsMuch(t *testing.T) {
	t.Parallel()
	repeat := func(part string) string { return strings.Repeat(part, maxSource/len(part)) }
	around := func(open, middle, end string) string {
		n := (maxSource - len(middle)) / (len(open) + len(end))
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	texts := map[string]string{
		"brackets": around("(", "true", ")"), "lists": around("[", "1", "]"),
		"open lists": repeat("["), "maps": around("{1:", "1", "}"), "nots": repeat("!") + "",
		"minus": repeat("-"), "ors": repeat("true||"), "ands": "true" + repeat("&&true")[:4000],
		"plus": "1" + repeat("+1")[:4000] + ">1", "ternaries": repeat("true?true:"),
		"dots": "a" + repeat(".a")[:4000], "indices": "a" + repeat("[0]")[:4000],
		"calls": around("size(", "1", ")"), "strings": `"` + repeat("x")[:4000] + `"=="a"`,
		"escapes": `"` + repeat(`\u0041`)[:4002] + `"=="a"`, "quotes": repeat(`"`),
		"alls": around("[1].all(a,", "true", ")"),
		"alls of alls": strings.Repeat("[1,2,3,4,5,6,7,8,9].all(a,",
			10) + "true" + strings.Repeat(")", 10), "commas": repeat(","), "newlines": repeat("\n"),
		"comments": repeat("//\n"), "backticks": repeat("`"), "runes": repeat("\U0001F600"),
		"unknown names": repeat("abc+")[:4000] + "a", "many names": repeat("a b "),
		"regular expression": `"` + strings.Repeat("a",
			1000) + `".matches("(a*)*` + strings.Repeat("(a|a)*", 400) + `b")`,
		"nested repeat": `"a".matches("((((((((a{1,9}){1,9}){1,9}){1,9}){1,9}){1,9}){1,9}){1,9})")`,
		"numbers":       repeat("9"), "in": "1 in [" + repeat("1,")[:4000] + "1]",
	}
	for name, text := range texts {
		if Operators(text) > maxOperators { // the longest prefix that reaches the parser
			end := len(text)
			for Operators(text[:end]) > maxOperators {
				end--
			}
			texts[name+", within bounds"] = text[:end]
		}
	}
	for name, text := range texts {
		bytes, took, err := callcost.Minimum(func() error {
			_, err := Compile(text,
				ProcessFacts())
			return err
		})
		result := ""
		if err != nil {
			result = err.Error()[:min(len(err.Error()), 80)]
		}
		t.Logf("%-18s %4d bytes: %6.2f MB %8s %s", name, len(text), float64(bytes)/1e6,
			took.Round(100*time.Microsecond), result)
		if bytes > 32<<20 || took > 250*time.Millisecond*racedetector.Slowdown {
			t.Errorf("%s: %d bytes of memory, %s", name, bytes, took)
		}
	}
}

package casework_test

import (
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/internal/callcost"
	"countersign/internal/racedetector"
)

// longestCSV is the maximum length of the API input, in characters.
const longestCSV = 250_000

// TestImportCostIsBounded parses the largest CSV texts, built to be as expensive as possible.
func TestImportCostIsBounded(t *testing.T) {
	t.Parallel()
	full := func(part string) string {
		const head = "email,counterparty,reason\n"
		return head + strings.Repeat(part, (longestCSV-len(head))/len(part))
	}
	for name, text := range map[string]string{
		"commas": full(","), "lines": full("a,b,c\n"), "short lines": full("a\n"),
		"empty lines": full("\n"), "quotes": full(`"`), "quoted lines": full("\"a\nb\",c\n"),
		"open quote": full("a") + `"`, "one field": full("x"),
		"commas by line": full(strings.Repeat(",", 200) + "\n"),
		"wide heading":   strings.Repeat("email,", longestCSV/6),
		"4 bytes":        full("\U0001F600"), "carriage returns": full("\r"), "spaces": full(" "),
		"semicolons": strings.Repeat("email;", longestCSV/6) + "\n;",
	} {
		bytes, took, err := callcost.Minimum(func() error { return casework.ParseImport(text) })
		t.Logf("%-18s %6d bytes: %6.2f MB %8s %.80v", name, len(text), float64(bytes)/1e6,
			took.Round(100*time.Microsecond), err)
		if bytes > 32<<20 || took > 250*time.Millisecond*racedetector.Slowdown {
			t.Errorf("%s: %d bytes of memory, %s", name, bytes, took)
		}
	}
}

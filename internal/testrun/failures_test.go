package main

import (
	"strings"
	"testing"
)

func TestFailuresAtTheEnd(t *testing.T) {
	t.Parallel()
	counted, _ := ran(t, `import "testing"
		func TestA(t *testing.T) { t.Run("inner", func(t *testing.T) { t.Error("because") }) }
		func TestB(t *testing.T) { t.Log("{\"time\":1}"); t.Error("of this") }
		func TestC(t *testing.T) {}`)
	var total tally
	total.add(tally{failures: failures{{pkg: "broken", text: []string{"undefined: f"}}}})
	total.add(counted)
	var out strings.Builder
	total.failures.print(&out)
	want := `== failed
FAIL broken
    undefined: f
FAIL made TestA/inner
        made_test.go:3: because
FAIL made TestB
        made_test.go:4: {"time":1}
        made_test.go:4: of this
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNoFailures(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if (failures{}).print(&out); out.String() != "" {
		t.Errorf("printed %q", out.String())
	}
}

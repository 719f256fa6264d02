package workflow

import (
	"os"
	"strings"
	"testing"
)

// An external stage may pay unless the definition says that it pays nothing, or the case is judged
// again after it or beside it.
func TestMayPay(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	stage := "  - {id: out, kind: external, topic: out, next: TO}\n  - id: archive\n"
	remittance := read("definitions/cross_border_remittance.yaml")
	with := func(from, to, next string) string {
		text := strings.Replace(remittance, from, to, 1)
		return strings.Replace(text, "  - id: archive\n", strings.Replace(stage, "TO", next, 1), 1)
	}
	for name, row := range map[string]struct {
		text, node string
		want       bool
	}{
		"after the decision": {with("    default: archive\n", "    default: out\n", "archive"), "out", true},
		"it pays nothing": {strings.Replace(with("    default: archive\n", "    default: out\n", "archive"),
			"topic: out,", "topic: out, pays: false,", 1), "out", false},
		"it may pay as written": {strings.Replace(with("    default: archive\n", "    default: out\n",
			"archive"), "topic: out,", "topic: out, pays: true,", 1), "out", true},
		"between two reviews": {with("        to: review_l2\n", "        to: out\n", "review_l2"), "out", false},
		"before the gateway that may archive": {with("    default: destination\n", "    default: out\n",
			"destination"), "out", true},
		"before the rules":    {read("testdata/definitions/document_translation.yaml"), "translate", false},
		"beside the approval": {read("testdata/definitions/supplier_payment.yaml"), "screening", false},
		"no external stage":   {remittance, "archive", false},
		"no node":             {remittance, "nowhere", false},
	} {
		def, err := Parse([]byte(row.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := def.MayPay(row.node); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

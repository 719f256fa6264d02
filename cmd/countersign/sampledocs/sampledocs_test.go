package sampledocs_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/cmd/countersign/sampledocs"
)

var today = time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)

func TestSamplesAreReadableDocuments(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	samples := sampledocs.Samples(today, 0)
	names, err := sampledocs.Write(t.Context(), folder, samples)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if samples[i].Image {
			content, err := os.ReadFile(name)
			if err != nil || !bytes.HasPrefix(content, []byte("\x89PNG")) {
				t.Errorf("%s is no PNG (%v)", name, err)
			}
			continue
		}
		said, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", name, "-").Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range []string{samples[i].Invoice.Vendor, samples[i].Invoice.Number,
			samples[i].Invoice.Total().Decimal(), "2026-03-07"} {
			if !strings.Contains(string(said), want) {
				t.Errorf("%s: the text layer lacks %q:\n%s", filepath.Base(name), want, said)
			}
		}
	}
}

func TestSumsOfAnInvoice(t *testing.T) {
	t.Parallel()
	invoice := sampledocs.Invoice{Currency: "EUR", TaxPercent: 19,
		Lines: []sampledocs.Line{{Text: "a", Quantity: 3, Unit: 4950},
			{Text: "b", Quantity: 1, Unit: 5}}}
	if got := invoice.Total().String(); got != "176.77 EUR" {
		t.Errorf("total %s, want 176.77 EUR", got)
	}
	invoice.Misprint = 100
	if got := invoice.Total().String(); got != "177.77 EUR" {
		t.Errorf("misprinted total %s, want 177.77 EUR", got)
	}
}

func TestRunsDrawDifferentNumbers(t *testing.T) {
	t.Parallel()
	if a, b := sampledocs.Samples(today, 0)[0].Invoice.Number,
		sampledocs.Samples(today, 1)[0].Invoice.Number; a == b {
		t.Errorf("two runs draw the same number %s", a)
	}
}

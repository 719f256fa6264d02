package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// A document without a value counts against the engine, and a value that is nearly right too.
func TestComparisonOfEngines(t *testing.T) {
	t.Parallel()
	known := truth{"vendor": {"ACME LIMITED"}, "total": {"12.50"}}
	good, poor := newOutcome("receipts", nil), newOutcome("receipts", nil)
	for _, c := range []struct {
		o      *outcome
		vendor string
		total  float64 // confidence
	}{{good, "Acme Limited", 0.99}, {poor, "ACMF LIMITED", 0.3}} {
		fields := []domain.Field{{Name: "vendor", Normalised: c.vendor, Confidence: 0.96},
			{Name: "total", Normalised: "12.5", Confidence: c.total}}
		c.o.files, c.o.read, c.o.pages = 1, 1, 1
		c.o.addScores(c.o.fields, "x", fields, known)
		c.o.addJudgements(fields, known)
		c.o.cpu, c.o.memory = 2*time.Second, 300<<20
	}
	var table strings.Builder
	printComparison(&table, []measured{{"good", []*outcome{good}}, {"poor", []*outcome{poor}}})
	text := strings.Join(strings.Fields(table.String()), " ")
	for _, want := range []string{"set figure good poor", "vendor 1 of 1 0 of 1", "total 1 of 1 1 of 1",
		"all fields, % 100.0 50.0", "wrong of these 2; 2; 0 2; 1; 1", "at most, % 77.64 100.00",
		"CPU s a page 2.00 2.00", "PSS, MB 300 300"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

func TestMemoryIsMeasured(t *testing.T) {
	t.Parallel()
	if found := memoryOfTree(os.Getpid()); found < 1<<20 {
		t.Errorf("this process has %d bytes", found)
	}
	ctx, stop := context.WithCancel(t.Context())
	watched := watchMemory(ctx)
	stop()
	if highest := <-watched; highest < 0 {
		t.Errorf("highest %d", highest)
	}
}

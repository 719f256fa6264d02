package workflow

import (
	"slices"
	"testing"

	"countersign/domain"
)

// BenchmarkAdvance advances cases of the built-in definitions from submission to archive with every
// review approved. One operation is one step.
func BenchmarkAdvance(b *testing.B) {
	sources, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for _, source := range sources {
		b.Run(source.Key, func(b *testing.B) {
			def := mustParse(b, string(source.YAML))
			facts := clean()
			facts.Risk, facts.BaseMinor, facts.Country = 80, 50_000_000, "DE"
			facts.Findings = []domain.Finding{
				{Rule: "high_amount", Severity: domain.SeverityWarning}}
			events := approvals(b, def, facts)
			b.ReportAllocs()
			marking, at := domain.Marking{}, 0
			for b.Loop() {
				step, err := Advance(def, marking, events[at], facts)
				if err != nil {
					b.Fatal(err)
				}
				if marking, at = step.Marking, at+1; at == len(events) {
					marking, at = domain.Marking{}, 0
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkEvaluateRoute decides the first review of a remittance with verdicts, so that the route is
// evaluated again.
func BenchmarkEvaluateRoute(b *testing.B) {
	sources, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for _, source := range sources {
		def := mustParse(b, string(source.YAML))
		facts := clean()
		facts.Risk, facts.BaseMinor, facts.Country = 80, 50_000_000, "DE"
		events := approvals(b, def, facts)
		at := slices.IndexFunc(events, func(e Event) bool { return e.Kind == ReviewDecided })
		marking := domain.Marking{}
		for _, event := range events[:at] {
			step, err := Advance(def, marking, event, facts)
			if err != nil {
				b.Fatal(err)
			}
			marking = step.Marking
		}
		for name, verdicts := range map[string]map[string]int{"once": nil, "again": {}} {
			b.Run(source.Key+"/"+name, func(b *testing.B) {
				facts.Verdicts = verdicts
				for b.Loop() {
					if _, err := Advance(def, marking, events[at], facts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// approvals returns the events of a case in which every stage ends and every review is approved.
func approvals(b *testing.B, def *Definition, facts domain.ProcessFacts) []Event {
	b.Helper()
	events, marking := []Event{{Kind: Started}}, domain.Marking{}
	for at := 0; at < len(events); at++ {
		step, err := Advance(def, marking, events[at], facts)
		if err != nil {
			b.Fatal(err)
		}
		marking = step.Marking
		for _, effect := range step.Effects {
			switch e := effect.(type) {
			case StartStage:
				events = append(events, ended(e.Node, e.Visit))
			case OpenReview:
				events = append(events, decided(e.Node, e.Visit, e.Seat, domain.Approve))
			}
		}
	}
	return events
}

package workflow

import (
	"testing"

	"countersign/domain"
)

// BenchmarkAdvance walks document_approval from submission to archive with a review; one operation is one step.
func BenchmarkAdvance(b *testing.B) {
	def := builtin(b, "document_approval")
	events := append(intake(1), decided("review_l1", 1, 1, domain.Approve), ended("archive", 1))
	facts := clean()
	facts.Risk = 80
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
}

package views_test

import (
	"testing"

	"countersign/domain"
	"countersign/rules"
	"countersign/views"
)

// A counterparty is uncertain only if every field that states it was read by a machine with low confidence.
func TestCounterpartyUncertain(t *testing.T) {
	t.Parallel()
	low := domain.Field{Name: domain.FieldVendor, Normalised: "Acme", Source: domain.SourceOCR,
		Confidence: rules.LowConfidence - 0.01}
	sure, human, other := low, low, low
	sure.Confidence, human.Source, other.Normalised = rules.LowConfidence, domain.SourceHuman, "Other"
	for name, row := range map[string]struct {
		fields []domain.Field
		want   bool
	}{"low": {[]domain.Field{low}, true}, "sure": {[]domain.Field{sure}, false},
		"entered": {[]domain.Field{human}, false}, "low and sure": {[]domain.Field{low, sure}, false},
		"of another name": {[]domain.Field{other}, false}, "none": {nil, false}} {
		if got := views.CounterpartyUncertain("Acme", row.fields); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

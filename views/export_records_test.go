package views

import (
	"slices"
	"testing"

	"countersign/domain"
)

func TestAttributesAreExportedAsTheCommandLineTakesThem(t *testing.T) {
	t.Parallel()
	got := attributeTexts([]domain.Attribute{
		{Name: "department", Type: domain.AttributeChoice, Value: "sales"},
		{Name: "budget", Type: domain.AttributeMoney, Value: "100.00", Currency: "EUR"}})
	if want := []string{"department=sales", "budget=100.00 EUR"}; !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
	if none := attributeTexts(nil); none == nil || len(none) > 0 {
		t.Errorf("without attributes: %#v, want an empty list", none)
	}
}

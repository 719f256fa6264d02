package views

import (
	"testing"

	"countersign/domain"
)

// A text cannot pass for another attribute: the list is JSON, also in a cell.
func TestAttributesAreExportedAsJSON(t *testing.T) {
	t.Parallel()
	got, err := attributesJSON([]domain.Attribute{
		{Name: "purpose", Type: domain.AttributeText, Value: `x department=board "`},
		{Name: "budget", Type: domain.AttributeMoney, Value: "100.00", Currency: "EUR"}})
	if want := `[{"name":"purpose","type":"text","value":"x department=board \""},` +
		`{"name":"budget","type":"money","value":"100.00","currency":"EUR"}]`; err != nil || string(got) != want {
		t.Errorf("exported %s, %v, want %s", got, err, want)
	}
	if none, err := attributesJSON(nil); err != nil || string(none) != "[]" {
		t.Errorf("without attributes: %s, %v", none, err)
	}
}

package rules

import (
	"testing"

	"countersign/domain"
)

// A document type states which kinds its documents may be; a document that looks like none of them
// is reported, and one that only may be another is not.
func TestKindMismatch(t *testing.T) {
	t.Parallel()
	const word, money, date, party, prose = domain.FeatureTypeWord, domain.FeatureMoney,
		domain.FeatureDate, domain.FeatureParty, domain.FeatureProse
	named := domain.FeatureOfKind
	bills, evidence := []string{domain.KindInvoice, domain.KindReceipt}, []string{
		domain.KindInvoice, domain.KindOrder, domain.KindStatement, domain.KindContract}
	for name, row := range map[string]struct {
		accepts, features []string
		want              bool
	}{
		"nothing is judged":               {nil, []string{prose}, false},
		"read by an earlier program":      {bills, nil, false},
		"an accepted kind":                {bills, []string{money, date, named("invoice")}, false},
		"another kind":                    {bills, []string{money, date, party, named("order")}, true},
		"a kind without an amount":        {bills, []string{date, party, named("invoice")}, true},
		"no kind, but an invoice's words": {bills, []string{word, money}, false},
		"a blank form":                    {evidence, []string{word, party}, true},
		"a blank page":                    {evidence, []string{}, true},
		"numbers alone":                   {evidence, []string{money}, true},
		"a total alone":                   {evidence, []string{domain.FeatureAmount, money}, false},
		"an order sheet":                  {evidence, []string{money, date}, false},
		"an article":                      {evidence, []string{money, date, party, prose}, true},
		"a letter about an invoice":       {evidence, []string{word, money, date, party, prose}, false},
		"a contract":                      {evidence, []string{money, date, party, prose, named("contract")}, false},
		"a contract without an amount":    {evidence, []string{date, party, prose, named("contract")}, true},
		"anything else is accepted":       {append([]string{domain.KindOther}, bills...), []string{prose}, false},
		"anything but another kind":       {append([]string{domain.KindOther}, bills...), []string{money, named("contract")}, true},
	} {
		kind := domain.UndefinedDocumentType("own")
		kind.Accepts = row.accepts
		input := inputIndex{Input: &Input{Type: kind, Features: row.features}}
		if got := input.kindMismatch(); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	agreement := &domain.DocumentType{Key: "agreement", Accepts: []string{domain.KindContract}}
	input := inputIndex{Input: &Input{Type: agreement, Features: []string{date, party, prose,
		named("contract")}}}
	if input.kindMismatch() {
		t.Error("a type without a total needs no amount")
	}
}

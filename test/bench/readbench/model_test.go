package main

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
	"countersign/languagemodel/stage"
)

// invoicePage is a page with one word per word of the text.
func invoicePage(lines ...string) []domain.Page {
	page := domain.Page{Number: 1, Width: 2000, Height: 3000}
	for row, line := range lines {
		for column, word := range strings.Fields(line) {
			page.Words = append(page.Words, domain.Word{Text: word, Line: row,
				Box: domain.Box{X: 10 + 200*column, Y: 10 + 100*row, W: 180, H: 60}})
		}
	}
	return []domain.Page{page}
}

// stubModel returns the model of the bench in front of a stub.
func stubModel(t *testing.T, options modelvendor.Options, types ...string) *languageModel {
	t.Helper()
	vendor, err := modelvendor.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(vendor.Close)
	client, err := stage.New(languagemodel.Settings{Endpoint: vendor.URL, Model: "stub"})
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := builtinKinds()
	if err != nil {
		t.Fatal(err)
	}
	return &languageModel{stage.Configured{Client: client, Settings: casework.ModelSettings{
		DocumentTypes: types, MaxTokens: 4096, InputPrice: 2_000_000, Currency: "USD"}}, kinds}
}

// A value of the page fills a field that the extraction lacks, a value of no page is a suggestion, and
// both are compared with the truth. What is sure stays as it was.
func TestModelBesideTheExtraction(t *testing.T) {
	t.Parallel()
	doc := saved{Pages: invoicePage("Muster Werke GmbH", "INVOICE", "Invoice number: M-1", "Buyer: Nordkauf AG",
		"Invoice code: XK-90", "Total EUR 120.00")}
	known := truth{"doc_type": {"invoice"}, "invoice_code": {"XK-90"}, "total": {"120.00"}, "buyer": {"Other"}}
	s := settings{model: stubModel(t, modelvendor.Options{Always: modelvendor.OtherDocument,
		Other: "Buyer: Nordkauf AG\nInvoice code: XK-90\nTotal: 987,654.32\n"}, "invoice")}
	answer, err := askAbout(t.Context(), s, doc, known)
	if err != nil || answer.outcome != domain.ModelAnswered {
		t.Fatalf("%+v %v", answer, err)
	}
	none := func(_ string, _ []domain.Page, fields []domain.Field) []domain.Field { return fields }
	o := newOutcome("made", none)
	o.add("made.pdf", doc, "", known)
	o.addModel("made.pdf", doc, known, answer)
	m := o.model
	if g := m.grounded["invoice_code"]; g == nil || *g != (said{1, 1, 0}) {
		t.Errorf("the code on the page is %+v", g)
	}
	if total := m.suggests["total"]; total == nil || *total != (said{1, 1, 1}) {
		t.Errorf("the total of another document is %+v", total)
	}
	if got := *m.with.fields["total"]; got != *o.fields["total"] || got.right != 1 {
		t.Errorf("the total is %+v with the model, %+v without", got, o.fields["total"])
	}
	if o.fields["invoice_code"].found != 0 || m.with.fields["invoice_code"].right != 1 {
		t.Errorf("the code is %+v with the model, %+v without", m.with.fields["invoice_code"],
			o.fields["invoice_code"])
	}
	// The buyer is the extracted one; the stub takes its first line for the vendor, whose truth is unknown.
	if m.filled != (said{1, 1, 0}) || m.beside != (beside{same: 1, other: 1}) {
		t.Errorf("%+v filled, %+v beside another value", m.filled, m.beside)
	}
	var b beside
	for _, value := range []string{"12", "13", "14"} {
		b.add("total", domain.Field{Normalised: value}, domain.Field{Normalised: "13"}, []string{"12"})
	}
	if b != (beside{same: 1, other: 2, model: 1, neither: 1}) {
		t.Errorf("beside another value: %+v", b)
	}
	before, _ := o.values.sure()
	if after, _ := m.with.values.sure(); after != before {
		t.Errorf("%d values are sure with the model, %d without", after, before)
	}
	var table strings.Builder
	o.printModel(&table, s.model)
	for _, part := range []string{"made with the language model stub", "answered 1; 1 calls, 0 of them retries",
		"1 filled a field"} {
		if !strings.Contains(table.String(), part) {
			t.Errorf("the table lacks %q:\n%s", part, table.String())
		}
	}
}

// A type that is not allowed is not sent, a failure is counted by its class with its retries, and
// without a model nothing is asked.
func TestModelOutcomesAreCounted(t *testing.T) {
	t.Parallel()
	doc, known := saved{Pages: invoicePage("Total EUR 120.00")}, truth{"total": {"120.00"}}
	for _, c := range []struct {
		behaviour      modelvendor.Behaviour
		types, outcome string
		calls          int
	}{{modelvendor.Honest, "receipt", "not_allowed", 0}, {modelvendor.SchemaMiss, "invoice", "schema_miss", 2},
		{modelvendor.SchemaMissOnce, "invoice", "answered", 2}, {modelvendor.Error500, "invoice", "unavailable", 1}} {
		s := settings{model: stubModel(t, modelvendor.Options{Always: c.behaviour}, c.types)}
		answer, err := askAbout(t.Context(), s, doc, known)
		if err != nil || answer.outcome != c.outcome || len(answer.answer.Calls) != c.calls {
			t.Errorf("%s: %+v %v", c.behaviour, answer, err)
		}
	}
	if answer, err := askAbout(t.Context(), settings{}, doc, known); answer != nil || err != nil {
		t.Errorf("without a model: %+v %v", answer, err)
	}
}

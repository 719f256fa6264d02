package casework_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// rulesOf are the rules that found something on a case.
func (w *world) rulesOf(id domain.ID) []string {
	w.t.Helper()
	found, err := w.db.Reader().Findings(w.ctx, id)
	must(w.t, err)
	names := make([]string, 0, len(found))
	for _, finding := range found {
		names = append(names, finding.Rule)
	}
	return names
}

// A file that tells its values as data is not given to the OCR engine; one whose e-invoice cannot be read is, and so is one
// without. The file is closed again whatever happens.
func TestStructuredDataSkipsOCR(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	whole := invoiceXML("120.00", "R-1")
	for _, test := range []struct {
		name   string
		xml    []byte
		err    error
		engine int
	}{
		{"an e-invoice", whole, nil, 0},
		{"a damaged one", whole[:len(whole)/2], nil, 1},
		{"none", nil, nil, 1},
		{"an e-invoice without a total", bytes.ReplaceAll(whole, []byte("GrandTotalAmount"), []byte("OtherAmount")), nil, 1},
	} {
		w.desk.xml, w.desk.engine, w.desk.closed, w.desk.calls = test.xml, 0, 0, 0
		id := w.submitTo(sam, "document_approval", "invoice", test.name)
		if w.desk.engine != test.engine || w.desk.calls != 1 || w.desk.closed != 1 {
			t.Errorf("%s: the engine ran %d times, opened %d, closed %d", test.name, w.desk.engine, w.desk.calls, w.desk.closed)
		}
		document, err := w.db.Reader().Document(w.ctx, id)
		must(t, err)
		if (document.StructuredKey != "") != (test.xml != nil) {
			t.Errorf("%s: the e-invoice is kept as %q", test.name, document.StructuredKey)
		}
	}
	// A step that panics while the file is open closes it, and the case has a way out.
	w.desk.xml, w.desk.closed, w.desk.breaks = whole, 0, true
	id := w.submitTo(sam, "document_approval", "invoice", "it breaks")
	w.at(id, domain.Incident, "read")
	if w.desk.closed != 3 { // three attempts
		t.Errorf("closed %d times", w.desk.closed)
	}
}

// Nothing is asked about the account on a receipt, even by a rule set that would; of an invoice it is. The account of the
// others is the same e-invoice's.
func TestReceiptsSkipTheAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, ada := w.person("sam", domain.RoleSubmitter), w.person("ada", domain.RoleAdmin)
	wrong := func(number string) []byte {
		return bytes.Replace(invoiceXML("120.00", number), []byte("DE89370400440532013000"), []byte("DE00370400440532013000"), 1)
	}
	w.desk.xml = wrong("R-1")
	invoice := w.submitTo(sam, "document_approval", "invoice", "invoice")
	w.desk.xml = wrong("R-2")
	receipt := w.submitTo(sam, "document_approval", "receipt", "receipt")
	if got := w.rulesOf(invoice); !slices.Contains(got, "iban_check") {
		t.Errorf("the invoice has %q", got)
	}
	for id, want := range map[domain.ID]bool{invoice: true, receipt: false} {
		trial, _, err := w.hall.TryRuleSet(w.ctx, ada, w.ruleSet("invoice"), id)
		must(t, err)
		if got := slices.ContainsFunc(trial.Then, func(f domain.Finding) bool { return f.Rule == "iban_check" }); got != want {
			t.Errorf("asked about the account: %v, want %v: %+v", got, want, trial.Then)
		}
	}
}

// An author whose rule would never speak is told.
func TestAnAccountRuleForReceiptsIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada", domain.RoleAdmin)
	rule := fmt.Sprintf(oddRule, `iban_fault != ""`)
	for kind, want := range map[string]int{"receipt": 1, "invoice": 0} {
		_, report, err := w.hall.CheckRuleSet(w.ctx, ada, w.ruleSet(kind)+rule)
		must(t, err)
		if len(report.Warnings) != want || len(report.Problems) > 0 {
			t.Errorf("%s: %+v", kind, report)
		}
	}
}

// The plugin tells of a duplicate on an invoice and on a receipt, and again when a person's values make one.
func TestDuplicatesAreToldByOnePlugin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, rita := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1)
	for _, kind := range []string{"invoice", "receipt"} {
		w.desk.xml = invoiceXML("120.00", "D-1"+kind)
		w.submitTo(sam, "document_approval", kind, "first "+kind)
		second := w.submitTo(sam, "document_approval", kind, "second "+kind)
		if got := w.rulesOf(second); !slices.Contains(got, "duplicate_number") {
			t.Errorf("%s: %q", kind, got)
		}
	}
	w.desk.xml = invoiceXML("9120.00", "D-2")
	other := w.submitTo(sam, "document_approval", "invoice", "another number")
	review := w.claim(rita, other)
	must(t, first(w.hall.CorrectFields(w.ctx, rita, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID},
		Fields: []casework.FieldInput{{Name: domain.FieldNumber, Value: "D-1invoice"}}})))
	if got := w.rulesOf(other); !slices.Contains(got, "duplicate_number") || slices.Contains(w.rulesOf(other), "high_amount") {
		t.Errorf("after the correction: %q", got)
	}
}

// A command may say for which status it is meant; it is told the present one, but only who may know it.
func TestACommandMeantForAnotherStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, eve := w.person("sam", domain.RoleSubmitter), w.person("eve", domain.RoleSubmitter)
	w.desk.err = domain.Fail(domain.DamagedFile, "damaged")
	id := w.submitTo(sam, "document_approval", "invoice", "damaged")
	w.at(id, domain.Incident, "read")
	meant := func(status ...domain.Status) casework.OnCase {
		return casework.OnCase{CaseID: id, Once: casework.Once{Expect: status}}
	}
	for range 2 {
		_, err := w.hall.RetryIncident(w.ctx, sam, meant(domain.Returned))
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.StateMismatch || refusal.Detail["status"] != string(domain.Incident) {
			t.Fatalf("got %v", err)
		}
	}
	_, err := w.hall.RetryIncident(w.ctx, eve, meant(domain.Returned))
	wantCode(t, err, domain.NotFound)
	w.desk.err = nil
	must(t, first(w.hall.RetryIncident(w.ctx, sam, meant(domain.Returned, domain.Incident))))
}

// A behaviour that nobody does, and one that two do equally, stop that case alone, and say which.
func TestACaseWithoutItsProcessor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	w.hall.Rivals("extract", "receipt")
	w.publish(strings.Replace(strings.ReplaceAll(dueDate, "key: due", "key: weighed"), "behaviour: extract", "behaviour: weigh", 1))
	for _, test := range []struct {
		process, kind, node string
		code                domain.Code
	}{
		{"document_approval", "receipt", "extract", domain.AmbiguousProcessor},
		{"weighed", "invoice", "extract", domain.ProcessorNotFound},
	} {
		w.desk.xml = invoiceXML("120.00", test.process)
		id := w.submitTo(sam, test.process, test.kind, test.process)
		w.at(id, domain.Incident, test.node)
		runs, err := w.db.Reader().RunsOf(w.ctx, id)
		must(t, err)
		if last := runs[len(runs)-1]; last.ErrorCode != test.code || last.Attempt != 1 || last.ErrorText == "" {
			t.Errorf("%s: %+v", test.process, last)
		}
	}
	w.desk.xml = invoiceXML("120.00", "other")
	w.at(w.submitTo(sam, "document_approval", "invoice", "another"), domain.Archived)
}

// A result that stood on values which have changed before it could be recorded is computed anew.
func TestWhatAResultStandsOnIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	weighed := 0
	var id domain.ID
	w.hall.BeforeWeighing(func() error {
		weighed++
		if weighed == 1 {
			return domain.Fail(domain.InvalidInput, "not now") // so that the next is recorded by itself
		}
		if weighed > 2 {
			return nil
		}
		_, err := w.owner.Exec(w.ctx, `UPDATE cases SET facts_revision = facts_revision + 1, version = version + 1 WHERE id = $1`, id)
		return err
	})
	w.desk.xml = invoiceXML("120.00", "S-1")
	id = w.submitTo(sam, "document_approval", "invoice", "stale")
	w.at(id, domain.Incident, "assess")
	must(t, first(w.hall.RetryIncident(w.ctx, sam, casework.OnCase{CaseID: id})))
	w.work()
	if weighed != 3 {
		t.Errorf("the risk was weighed %d times, want once for nothing, once on values that changed, once on what stands", weighed)
	}
	w.at(id, domain.Archived)
}

// What was read of a file is recorded together with what was found in it. When the case has moved on meanwhile, it is not
// read a second time.
func TestAFileIsReadOnceWhateverHappensToItsCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	w.desk.xml = invoiceXML("120.00", "O-1")
	submitted, err := w.hall.SubmitDocument(w.ctx, sam, casework.SubmitDocument{File: upload("once")})
	must(t, err)
	w.desk.hold = func() {
		_, err := w.owner.Exec(w.ctx, `UPDATE cases SET facts_revision = facts_revision + 1, version = version + 1 WHERE id = $1`, submitted.CaseID)
		must(t, err)
	}
	w.work()
	w.at(submitted.CaseID, domain.Archived)
	if w.desk.calls != 1 {
		t.Errorf("the file was read %d times", w.desk.calls)
	}
	reading, err := w.db.Reader().EventsAfter(w.ctx, submitted.CaseID, 0, 100)
	must(t, err)
	var told []string
	for _, event := range reading.Events {
		told = append(told, string(event.Type))
	}
	if got := strings.Count(strings.Join(told, " "), "stage.completed"); got != 5 {
		t.Errorf("%d steps ended, want each of five once: %q", got, told)
	}
}

// Two alike at the same moment: whichever is judged last knows of the other.
func TestTwinsAtOnceAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	for round := range 12 {
		w.desk.xml = invoiceXML("120.00", fmt.Sprint("T-", round))
		var twins []domain.ID
		for _, name := range []string{"one", "two"} {
			submitted, err := w.hall.SubmitDocument(w.ctx, sam, casework.SubmitDocument{File: upload(fmt.Sprint(name, round))})
			must(t, err)
			twins = append(twins, submitted.CaseID)
		}
		w.workAtOnce()
		if !slices.Contains(append(w.rulesOf(twins[0]), w.rulesOf(twins[1])...), "duplicate_number") {
			t.Fatalf("round %d: neither knows of the other", round)
		}
	}
}

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

// rulesOf returns the rules with findings on a case.
func (env *testEnv) rulesOf(id domain.ID) []string {
	env.t.Helper()
	found, err := env.db.Reader().Findings(env.ctx, id)
	must(env.t, err)
	names := make([]string, 0, len(found))
	for _, finding := range found {
		names = append(names, finding.Rule)
	}
	return names
}

// TestStructuredDataSkipsOCR checks that a file with a readable e-invoice is not sent to the OCR
// engine, while others are. The file is always closed.
func TestStructuredDataSkipsOCR(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	whole := invoiceXML("120.00", "R-1")
	for _, test := range []struct {
		name string
		xml  []byte
		err  error
		ocr  int
	}{
		{"an e-invoice", whole, nil, 0},
		{"a damaged one", whole[:len(whole)/2], nil, 1},
		{"none", nil, nil, 1},
		{"an e-invoice without a total",
			bytes.ReplaceAll(whole, []byte("GrandTotalAmount"), []byte("OtherAmount")), nil, 1},
	} {
		env.reader.xml, env.reader.ocrRuns, env.reader.closed, env.reader.calls = test.xml, 0, 0, 0
		id := env.submitTo(sam, "document_approval", "invoice", test.name)
		if env.reader.ocrRuns != test.ocr || env.reader.calls != 1 || env.reader.closed != 1 {
			t.Errorf("%s: OCR ran %d times, opened %d, closed %d", test.name,
				env.reader.ocrRuns, env.reader.calls, env.reader.closed)
		}
		document, err := env.db.Reader().Document(env.ctx, id)
		must(t, err)
		if (document.StructuredKey != "") != (test.xml != nil) {
			t.Errorf("%s: the e-invoice is stored as %q", test.name, document.StructuredKey)
		}
	}
	// A step that panics while the file is open closes it, and the case becomes an incident.
	env.reader.xml, env.reader.closed, env.reader.panics = whole, 0, true
	id := env.submitTo(sam, "document_approval", "invoice", "panic")
	env.requireState(id, domain.Incident, "read")
	if env.reader.closed != 3 { // three attempts
		t.Errorf("closed %d times", env.reader.closed)
	}
}

// TestReceiptsSkipTheAccount checks that rules about the account do not apply to receipts, even if
// the rule set contains them.
func TestReceiptsSkipTheAccount(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
	wrong := func(number string) []byte {
		return bytes.Replace(invoiceXML("120.00", number), []byte("DE89370400440532013000"),
			[]byte("DE00370400440532013000"), 1)
	}
	env.reader.xml = wrong("R-1")
	invoice := env.submitTo(sam, "document_approval", "invoice", "invoice")
	env.reader.xml = wrong("R-2")
	receipt := env.submitTo(sam, "document_approval", "receipt", "receipt")
	if got := env.rulesOf(invoice); !slices.Contains(got, "iban_check") {
		t.Errorf("the invoice has %q", got)
	}
	for id, want := range map[domain.ID]bool{invoice: true, receipt: false} {
		trial, _, err := env.svc.TryRuleSet(env.ctx, ada, env.ruleSet("invoice"), id)
		must(t, err)
		if got := slices.ContainsFunc(trial.Proposed,
			func(f domain.Finding) bool { return f.Rule == "iban_check" }); got != want {
			t.Errorf("account rule applied: %v, want %v: %+v", got, want, trial.Proposed)
		}
	}
}

// TestAccountRuleForReceiptsWarns checks that the author of a rule that can never apply gets a
// warning.
func TestAccountRuleForReceiptsWarns(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	rule := fmt.Sprintf(oddRule, `iban_fault != ""`)
	for kind, want := range map[string]int{"receipt": 1, "invoice": 0} {
		_, report, err := env.svc.CheckRuleSet(env.ctx, ada, env.ruleSet(kind)+rule)
		must(t, err)
		if len(report.Warnings) != want || len(report.Problems) > 0 {
			t.Errorf("%s: %+v", kind, report)
		}
	}
}

// TestDuplicatePluginReportsDuplicates checks invoices and receipts, and a duplicate that results
// from a corrected value.
func TestDuplicatePluginReportsDuplicates(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	for _, kind := range []string{"invoice", "receipt"} {
		env.reader.xml = invoiceXML("120.00", "D-1"+kind)
		env.submitTo(sam, "document_approval", kind, "first "+kind)
		second := env.submitTo(sam, "document_approval", kind, "second "+kind)
		if got := env.rulesOf(second); !slices.Contains(got, "duplicate_number") {
			t.Errorf("%s: %q", kind, got)
		}
	}
	env.reader.xml = invoiceXML("9120.00", "D-2")
	other := env.submitTo(sam, "document_approval", "invoice", "another number")
	review := env.claim(rita, other)
	must(t, errOf(env.svc.CorrectFields(env.ctx, rita,
		casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
			Fields: []casework.FieldInput{{Name: domain.FieldNumber, Value: "D-1invoice"}}})))
	if got := env.rulesOf(other); !slices.Contains(got, "duplicate_number") ||
		slices.Contains(env.rulesOf(other), "high_amount") {
		t.Errorf("after the correction: %q", got)
	}
}

// TestCommandExpectingAnotherStatus checks that a command with an expected status returns the
// current one, but only to users who may read the case.
func TestCommandExpectingAnotherStatus(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, eve := env.person("sam", domain.RoleSubmitter), env.person("eve", domain.RoleSubmitter)
	env.reader.err = domain.Errorf(domain.DamagedFile, "damaged")
	id := env.submitTo(sam, "document_approval", "invoice", "damaged")
	env.requireState(id, domain.Incident, "read")
	expecting := func(status ...domain.Status) casework.CaseTarget {
		return casework.CaseTarget{CaseID: id, Once: casework.Once{Expect: status}}
	}
	for range 2 {
		_, err := env.svc.RetryIncident(env.ctx, sam, expecting(domain.Returned))
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.StateMismatch ||
			refusal.Detail["status"] != string(domain.Incident) {
			t.Fatalf("got %v", err)
		}
	}
	_, err := env.svc.RetryIncident(env.ctx, eve, expecting(domain.Returned))
	wantCode(t, err, domain.NotFound)
	env.reader.err = nil
	must(t, errOf(env.svc.RetryIncident(env.ctx, sam, expecting(domain.Returned, domain.Incident))))
}

// TestMissingProcessorOpensIncident checks that a behaviour with no processor, or with two equally
// specific ones, stops only the case that uses it.
func TestMissingProcessorOpensIncident(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	env.svc.RegisterAmbiguousProcessors("extract", "receipt")
	env.publish(strings.Replace(strings.ReplaceAll(dueDateProcess, "key: due", "key: weighed"),
		"behaviour: extract", "behaviour: weigh", 1))
	for _, test := range []struct {
		process, kind, node string
		code                domain.Code
	}{
		{"document_approval", "receipt", "extract", domain.AmbiguousProcessor},
		{"weighed", "invoice", "extract", domain.ProcessorNotFound},
	} {
		env.reader.xml = invoiceXML("120.00", test.process)
		id := env.submitTo(sam, test.process, test.kind, test.process)
		env.requireState(id, domain.Incident, test.node)
		runs, err := env.db.Reader().RunsOf(env.ctx, id)
		must(t, err)
		if last := runs[len(runs)-1]; last.ErrorCode != test.code || last.Attempt != 1 ||
			last.ErrorText == "" {
			t.Errorf("%s: %+v", test.process, last)
		}
	}
	env.reader.xml = invoiceXML("120.00", "other")
	env.requireState(env.submitTo(sam, "document_approval", "invoice", "another"), domain.Archived)
}

// TestStaleResultIsRecomputed checks that a result is computed again if the values that it depends
// on have changed before it was recorded.
func TestStaleResultIsRecomputed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	executions := 0
	var id domain.ID
	env.svc.BeforeAssess(func() error {
		executions++
		if executions == 1 {
			// so that the retry is recorded separately
			return domain.Errorf(domain.InvalidInput, "not now")
		}
		if executions > 2 {
			return nil
		}
		_, err := env.owner.Exec(env.ctx,
			`UPDATE cases SET facts_revision = facts_revision + 1, version = version + 1 WHERE id = $1`, id)
		return err
	})
	env.reader.xml = invoiceXML("120.00", "S-1")
	id = env.submitTo(sam, "document_approval", "invoice", "stale")
	env.requireState(id, domain.Incident, "assess")
	must(t, errOf(env.svc.RetryIncident(env.ctx, sam, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	if executions != 3 {
		t.Errorf("assess ran %d times, want a failure, a stale result and the recorded one",
			executions)
	}
	env.requireState(id, domain.Archived)
}

// TestFileIsReadOnceDespiteConcurrentChange checks that a file is not read again if the case
// changes before the merged stages are recorded.
func TestFileIsReadOnceDespiteConcurrentChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("120.00", "O-1")
	submitted, err := env.svc.SubmitDocument(env.ctx, sam,
		casework.SubmitDocument{File: upload("once")})
	must(t, err)
	env.reader.onOpen = func() {
		_, err := env.owner.Exec(env.ctx,
			`UPDATE cases SET facts_revision = facts_revision + 1, version = version + 1 WHERE id = $1`, submitted.CaseID)
		must(t, err)
	}
	env.drainQueue()
	env.requireState(submitted.CaseID, domain.Archived)
	if env.reader.calls != 1 {
		t.Errorf("the file was read %d times", env.reader.calls)
	}
	reading, err := env.db.Reader().EventsAfter(env.ctx, submitted.CaseID, 0, 100)
	must(t, err)
	var types []string
	for _, event := range reading.Events {
		types = append(types, string(event.Type))
	}
	if got := strings.Count(strings.Join(types, " "), "stage.completed"); got != 5 {
		t.Errorf("%d stages completed, want each of five once: %q", got, types)
	}
}

// TestConcurrentDuplicatesAreDetected processes two identical documents concurrently: at least one
// detects the other.
func TestConcurrentDuplicatesAreDetected(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for round := range 12 {
		env.reader.xml = invoiceXML("120.00", fmt.Sprint("T-", round))
		var duplicates []domain.ID
		for _, name := range []string{"one", "two"} {
			submitted, err := env.svc.SubmitDocument(env.ctx, sam,
				casework.SubmitDocument{File: upload(fmt.Sprint(name, round))})
			must(t, err)
			duplicates = append(duplicates, submitted.CaseID)
		}
		env.drainQueueConcurrently()
		if !slices.Contains(append(env.rulesOf(duplicates[0]), env.rulesOf(duplicates[1])...),
			"duplicate_number") {
			t.Fatalf("round %d: neither detects the other", round)
		}
	}
}

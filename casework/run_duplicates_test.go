package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// duplicateRules are the rules that say that two documents are the same one.
var duplicateRules = []string{"duplicate_number", "duplicate_bytes", "duplicate_similar_number",
	"duplicate_content", "duplicate_image"}

// duplicatesOf lists the rules by which a case is found to be a duplicate.
func (env *testEnv) duplicatesOf(id domain.ID) (found []string) {
	env.t.Helper()
	for _, rule := range env.rulesOf(id) {
		if slices.Contains(duplicateRules, rule) {
			found = append(found, rule)
		}
	}
	return found
}

// submitLines submits a document whose page has the lines, and runs it.
func (env *testEnv) submitLines(by domain.Actor, kind string, lines ...string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, lines
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{
		Process: "document_approval", DocumentType: kind, File: upload(domain.NewID().String())})
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

func invoicePage(vendor, number, date, total string) []string {
	return []string{vendor, "Hafenstr. 1", "20457 Hamburg", "INVOICE",
		"Invoice number: " + number, "Invoice date: " + date, "Service 1 " + total,
		"Total EUR " + total}
}

// Documents that are the same, although their bytes and perhaps the number differ, and documents
// that only look alike.
func TestDuplicatesByContent(t *testing.T) {
	t.Parallel()
	const vendor = "Hafen Logistik GmbH"
	first := invoicePage(vendor, "INV-47110", "2026-11-02", "120.00")
	for name, row := range map[string]struct {
		first, second []string
		want          []string
	}{
		"the same number":             {first, slices.Clone(first), []string{"duplicate_number"}},
		"the number written apart":    {first, invoicePage(vendor, "INV.4711O", "2026-11-02", "120.00"), []string{"duplicate_number"}},
		"one character of it":         {first, invoicePage(vendor, "INV-47118", "2026-11-02", "120.00"), []string{"duplicate_similar_number"}},
		"one character more":          {first, invoicePage(vendor, "INV-471100", "2026-11-02", "120.00"), []string{"duplicate_similar_number"}},
		"another number":              {first, invoicePage(vendor, "XZ-9903-2", "2026-11-02", "120.00"), []string{"duplicate_content"}},
		"a reminder":                  {first, append([]string{"REMINDER"}, first...), []string{"duplicate_number"}},
		"the next month's rent":       {first, invoicePage(vendor, "INV-47111", "2026-10-02", "120.00"), nil},
		"another total":               {first, invoicePage(vendor, "INV-47111", "2026-11-02", "140.00"), nil},
		"another party":               {first, invoicePage("Kontor Süd GmbH", "INV-47118", "2026-11-02", "120.00"), nil},
		"a credit over it":            {first, invoicePage(vendor, "INV-47112", "2026-11-02", "-120.00"), nil},
		"another one of the same day": {first, invoicePage(vendor, "INV-47111", "2026-11-02", "99.00"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue",
				domain.RoleSubmitter)
			one := env.submitLines(sam, "invoice", row.first...)
			two := env.submitLines(sue, "invoice", row.second...)
			if got := env.duplicatesOf(one); len(got) != 0 {
				t.Errorf("the first has %v", got)
			}
			if got := env.duplicatesOf(two); !slices.Equal(got, row.want) {
				t.Errorf("the second has %v, want %v; fields %v", got, row.want,
					env.caseByID(two))
			}
			if status := env.caseByID(two).Status; row.want != nil && status != domain.InReview {
				t.Errorf("the second is %s", status)
			}
			env.verifyCaseLog(two)
		})
	}
}

// The same content in an e-invoice and on a page.
func TestDuplicateInAnotherFormat(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("120.00", "INV-4711")
	env.submit(sam, "as data")
	env.drainQueue()
	page := env.submitLines(sam, "invoice",
		invoicePage("Muster Werke GmbH", "INV-471l", "2026-11-02", "120.00")...)
	if got := env.duplicatesOf(page); !slices.Equal(got, []string{"duplicate_number"}) {
		t.Errorf("found %v", got)
	}
}

// Two names of one party are one party.
func TestDuplicateOfMergedParty(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	one := env.submitLines(sam, "invoice",
		invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "120.00")...)
	env.submitLines(sam, "invoice", invoicePage("Kontor Nord GmbH", "ZZ-1000", "2026-10-01", "7.00")...)
	env.joinGroups("Kontor Nord GmbH", "Hafen Logistik GmbH")
	two := env.submitLines(sam, "invoice",
		invoicePage("Kontor Nord GmbH", "INV-4711", "2026-11-02", "120.00")...)
	if got := env.duplicatesOf(two); !slices.Equal(got, []string{"duplicate_number"}) ||
		len(env.duplicatesOf(one)) != 0 {
		t.Errorf("found %v", got)
	}
}

// Ten equal parking receipts in a day differ in time or number. The same one again does not.
func TestParkingReceipts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	receipt := func(number, at string) []string {
		return []string{"Parkhaus Mitte GmbH", "RECEIPT", "Receipt No: " + number,
			"Date: 2026-11-02 " + at, "Total EUR 4.00"}
	}
	for i := range 10 {
		id := env.submitLines(sam, "receipt", receipt(fmt.Sprintf("PK%05d", 71100+i),
			fmt.Sprintf("%02d:15", 8+i))...)
		if got := env.duplicatesOf(id); len(got) != 0 {
			t.Errorf("receipt %d: %v; %+v", i, got, env.caseByID(id))
		}
	}
	again := env.submitLines(sam, "receipt", receipt("PK71103", "11:15")...)
	if got := env.duplicatesOf(again); !slices.Equal(got, []string{"duplicate_number"}) {
		t.Errorf("the same again: %v", got)
	}
}

// A document that was rejected before is no duplicate, but its reviewer learns of the earlier case.
// The reason is read there and not repeated.
func TestRejectedThenResubmitted(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one := env.submitLines(sam, "invoice", page...)
	env.claim(jan, one)
	must(t, env.decide(jan, env.openReview(one).ID, domain.Reject, "a secret reason"))
	env.drainQueue()
	two := env.submitLines(sam, "invoice", page...)
	found := env.finding(two, "rejected_before")
	if found == nil || found.Evidence["cases"] != env.caseByID(one).Reference ||
		strings.Contains(fmt.Sprint(found), "secret") || len(env.duplicatesOf(two)) != 0 {
		t.Errorf("the finding is %+v, duplicates %v", found, env.duplicatesOf(two))
	}
	env.requireState(two, domain.InReview, "review_l1")
}

// A pro-forma invoice and its invoice are shown to a person and are no duplicates.
func TestProFormaThenInvoice(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "120.00")
	proforma := slices.Clone(page)
	proforma[3] = "PRO FORMA INVOICE"
	env.submitLines(sam, "invoice", proforma...)
	two := env.submitLines(sam, "invoice", page...)
	if env.finding(two, "linked_document") == nil || len(env.duplicatesOf(two)) != 0 {
		t.Errorf("rules %v", env.rulesOf(two))
	}
	env.requireState(two, domain.InReview, "review_l1")
}

// Of two cases with the same document, the one whose facts changed last has the finding, and it
// disappears with another change.
func TestCarrierFollowsTheChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	one := env.submitLines(sam, "invoice",
		invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")...)
	two := env.submitLines(sam, "invoice",
		invoicePage("Hafen Logistik GmbH", "XX-9000", "2026-10-02", "1200.00")...)
	env.claim(jan, one)
	must(t, env.correct(jan, one, domain.FieldNumber, "XX-9000"))
	if a, b := env.duplicatesOf(one), env.duplicatesOf(two); len(a) != 1 || len(b) != 0 {
		t.Errorf("after the correction: %v and %v", a, b)
	}
	env.claim(jan, two)
	must(t, env.correct(jan, two, domain.FieldCountry, "DE"))
	if got := env.duplicatesOf(two); len(got) != 0 {
		t.Errorf("the other has it too: %v", got)
	}
}

// Two identical documents at the same moment over two workers: exactly one has the finding.
func TestOneOfTwoConcurrentDuplicatesHasTheFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	for round := range raceRounds(50) {
		env.duplicateRound(round, sam, sue)
	}
}

func (env *testEnv) duplicateRound(round int, submitters ...domain.Actor) {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = einvoice.Invoice{Number: fmt.Sprintf("INV-%05d", round),
		Seller: fmt.Sprintf("Seller %c%c%c GmbH", 'a'+round%26, 'a'+round/26%26, 'a'+round/676),
		Total:  12000}.XML()
	env.reader.mu.Unlock()
	var both []domain.ID
	for _, by := range submitters {
		both = append(both, env.submit(by, domain.NewID().String()))
	}
	for {
		runs := env.takeDueRuns()
		if len(runs) == 0 {
			break
		}
		var group sync.WaitGroup
		for i, run := range runs {
			group.Go(func() {
				if err := env.svc.RunStage(env.ctx, casework.RunRequest{CaseID: run.CaseID,
					RunID: run.RunID, Worker: fmt.Sprint("worker-", i)}); err != nil {
					env.t.Errorf("round %d: %v", round, err)
				}
			})
		}
		group.Wait()
	}
	a, b := env.duplicatesOf(both[0]), env.duplicatesOf(both[1])
	if (len(a) > 0) == (len(b) > 0) {
		env.t.Fatalf("round %d: %v and %v; %s and %s", round, a, b,
			env.caseByID(both[0]).Status, env.caseByID(both[1]).Status)
	}
}

// A duplicate that was approved in spite of its finding makes the other one of the pair a duplicate: its
// approval does not pass without a word either, whether its reviewer comes before or after the evaluation.
func TestApprovedDuplicateStopsTheOther(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one := env.submitLines(sam, "invoice", page...)
	two := env.submitLines(sam, "invoice", page...)
	must(t, env.approve(jan, two, "a better scan, the other one will be rejected"))
	env.requireState(two, domain.Archived)
	if got := env.duplicatesOf(one); len(got) != 1 {
		t.Errorf("the other has %v", got)
	}
	env.claim(jan, one)
	wantCode(t, env.approve(jan, one, ""), domain.ValidationFailed)
	env.requireState(one, domain.InReview, "review_l1")
	must(t, env.approve(jan, one, "both are to be paid"))
	env.requireState(one, domain.Archived)
	env.verifyCaseLog(one)
	env.verifyCaseLog(two)
}

// Both of a pair are approved before either is archived: one of them returns to review.
func TestBothOfAPairAreApprovedAtOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one := env.submitLines(sam, "invoice", page...)
	two := env.submitLines(sam, "invoice", page...)
	for id, reason := range map[domain.ID]string{one: "", two: "a better scan"} {
		review := env.openReview(id)
		must(t, errOf(env.svc.ClaimReview(env.ctx, jan, casework.ReviewTarget{ReviewID: review.ID})))
		must(t, env.decide(jan, review.ID, domain.Approve, reason))
	}
	env.drainQueue()
	env.requireState(two, domain.Archived)
	env.requireState(one, domain.InReview, "review_l1")
	if got := env.duplicatesOf(one); len(got) != 1 {
		t.Errorf("the other has %v", got)
	}
	env.verifyCaseLog(one)
}

// No reviewer can state that the same file is no duplicate, and none with a reason that says nothing.
func TestTheSameFileIsADuplicate(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	kim := env.person("kim", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	env.reader.xml, env.reader.lines = nil, page
	submit := func(name string) domain.ID {
		submitted, err := env.svc.SubmitDocument(env.ctx, env.person(name, domain.RoleSubmitter),
			casework.SubmitDocument{File: upload("same"), Process: "document_approval", DocumentType: "invoice"})
		must(t, err)
		env.drainQueue()
		return submitted.CaseID
	}
	one := submit("sam")
	two := submit("sue")
	other := map[domain.ID]string{two: env.caseByID(one).Reference}
	similar := env.submitLines(env.person("ute", domain.RoleSubmitter), "invoice", page...)
	other[similar] = env.caseByID(two).Reference
	env.claim(kim, two)
	clear := func(id domain.ID, reason string) error {
		_, err := env.svc.ClearDuplicate(env.ctx, kim, casework.ClearDuplicate{
			ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
			Reference:    other[id], Reason: reason})
		return err
	}
	wantCode(t, clear(two, "a part delivery"), domain.StateMismatch)
	clearable := func(id domain.ID) bool {
		listed, err := env.db.Reader().ListedCases(env.ctx, id, []string{other[id]})
		must(t, err)
		return len(listed) == 1 && listed[0].Carried
	}
	if clearable(two) || !clearable(similar) {
		t.Errorf("the same file can be cleared: %t, another file: %t", clearable(two), clearable(similar))
	}
	must(t, errOf(env.svc.ReleaseReview(env.ctx, kim,
		casework.ReviewTarget{ReviewID: env.openReview(two).ID})))
	env.claim(kim, similar)
	for _, reason := range []string{".", "ok", "-----"} {
		wantCode(t, clear(similar, reason), domain.InvalidInput)
	}
	must(t, clear(similar, "a part delivery"))
}

// A reviewer who may decide the case says that it is no duplicate. The finding disappears for both
// cases, does not come back with other changes, and comes back when a document states something else.
func TestClearedPairStaysCleared(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, kim := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("kim", domain.RoleL1, domain.RoleSubmitter)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one := env.submitLines(kim, "invoice", page...)
	two := env.submitLines(sam, "invoice", page...)
	earlier := env.caseByID(one).Reference
	clear := func(by domain.Actor, id domain.ID, reference, reason string) error {
		_, err := env.svc.ClearDuplicate(env.ctx, by, casework.ClearDuplicate{
			ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
			Reference:    reference, Reason: reason})
		return err
	}
	wantCode(t, clear(jan, two, earlier, "a part delivery"), domain.NotClaimedByYou)
	env.claim(kim, two)
	wantCode(t, clear(kim, two, earlier, "a part delivery"), domain.OwnDocument)
	must(t, errOf(env.svc.ReleaseReview(env.ctx, kim,
		casework.ReviewTarget{ReviewID: env.openReview(two).ID})))
	env.claim(jan, two)
	wantCode(t, clear(jan, two, earlier, " "), domain.ValidationFailed)
	wantCode(t, clear(jan, two, "CS-2026-999999", "a part delivery"), domain.StateMismatch)
	must(t, clear(jan, two, earlier, "a part delivery"))
	for range 2 {
		if a, b := env.duplicatesOf(one), env.duplicatesOf(two); len(a)+len(b) != 0 {
			t.Errorf("after it was cleared: %v and %v", a, b)
		}
		must(t, env.correct(jan, two, domain.FieldCountry, "DE"))
	}
	if status := env.caseByID(two).Status; status != domain.InReview {
		t.Errorf("the case is %s", status)
	}
	must(t, env.correct(jan, two, domain.FieldDate, "2026-11-03"))
	if got := env.duplicatesOf(two); len(got) == 0 {
		t.Error("another date has no finding")
	}
	env.verifyCaseLog(two)
}

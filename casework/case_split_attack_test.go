package casework_test

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
)

// splitTwo submits a file of two invoices, claims its review and splits it.
func (env *testEnv) splitTwo(
	by, reviewer domain.Actor, amount, first, second string,
) (id domain.ID, parts []domain.ID) {
	env.t.Helper()
	id = env.submitTwo(by, "document_approval", amount, first, second)
	env.claim(reviewer, id)
	split, err := env.split(reviewer, id, "", twoParts...)
	must(env.t, err)
	env.drainQueue()
	return id, split.Parts
}

// statements returns the assertions of a field by people, with their sets.
func (env *testEnv) statements(id domain.ID, field string) (found []statement) {
	env.t.Helper()
	sets, err := env.db.Reader().Assertions(env.ctx, id)
	must(env.t, err)
	for _, set := range sets {
		for _, assertion := range set.Assertions {
			if set.Source == domain.SourceHuman && assertion.Field == field {
				found = append(found, statement{set, assertion})
			}
		}
	}
	return found
}

type statement struct {
	set       domain.AssertionSet
	assertion domain.Assertion
}

// What a reviewer stated about the file is stated by them in each part, at the same time, and waits for
// the same second person.
func TestPartsKeepStatementsAndTheirSecondPerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, rolf := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("rolf", domain.RoleSenior)
	lea := env.person("lea", domain.RoleSenior)
	id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
	env.claim(rita, id)
	must(t, env.correct(rita, id, domain.FieldTotal, "80.00"))
	stated := env.statements(id, domain.FieldTotal)
	if len(stated) != 1 || stated[0].assertion.Pending != "statement" {
		t.Fatalf("stated %+v", stated)
	}
	if review := env.openReview(id); review.Assignee == rita.UserID {
		_, err := env.svc.ReleaseReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
		must(t, err)
	}
	env.claim(rolf, id)
	split, err := env.split(rolf, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	for i, part := range split.Parts {
		kept := env.statements(part, domain.FieldTotal)
		if len(kept) != 1 || kept[0].set.By != rita.UserID || !kept[0].set.At.Equal(stated[0].set.At) ||
			kept[0].assertion.Pending != "statement" || kept[0].assertion.InheritedFrom != id ||
			kept[0].assertion.Resolves {
			t.Fatalf("part %d has %+v, the file had %+v", i+1, kept, stated)
		}
		if c := env.caseByID(part); c.BaseMinor != 990_000 ||
			c.Amount.Decimal() != []string{"120.00", "80.00"}[i] {
			t.Errorf("part %d has %s in force and %d at risk", i+1, c.Amount, c.BaseMinor)
		}
	}
	// One person does not resolve it, as in the file.
	first, second := split.Parts[0], split.Parts[1]
	env.claim(lea, first)
	must(t, env.correct(lea, first, domain.FieldTotal, "120.00"))
	if pending := env.pending(first, domain.FieldTotal); pending != "statement" {
		t.Errorf("lea alone: %q", pending)
	}
	env.requireAtRisk(first, 990_000)
	// Another person who states the same value confirms the statement about the file.
	env.claim(lea, second)
	must(t, env.correct(lea, second, domain.FieldTotal, "80.00"))
	if pending := env.pending(second, domain.FieldTotal); pending != "" {
		t.Errorf("lea after rita: %q", pending)
	}
	env.requireAtRisk(second, 8_800)
}

// The part counts the amounts of the file that a machine read until a reviewer resolves them, and every
// country, name and number that a person, a program or an e-invoice stated.
func TestPartsAreNoSmallerThanTheFile(t *testing.T) {
	t.Parallel()
	for name, amounts := range map[string][]string{
		"declared": {"600000.00", "120.00", "80.00"}, "read": {"", "120.00", "600000.00"},
		"first": {"", "600000.00", "120.00"}, "both": {"700.00", "800.00", "600000.00"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, rita := env.person("sam", domain.RoleSubmitter),
				env.person("rita", domain.RoleSenior)
			env.person("lea", domain.RoleSenior)
			jan := env.person("jan", domain.RoleL1)
			id, parts := env.splitTwo(sam, rita, amounts[0], amounts[1], amounts[2])
			whole := env.caseByID(id)
			for i, part := range parts {
				c := env.caseByID(part)
				if c.BaseMinor < whole.BaseMinor {
					t.Errorf("part %d has %d at risk, the file had %d", i+1, c.BaseMinor, whole.BaseMinor)
				}
				env.requireState(part, domain.InReview, "review_l1")
				if _, err := env.svc.ClaimReview(env.ctx, jan, casework.ReviewTarget{
					ReviewID: env.openReview(part).ID}); whole.BaseMinor > 50_000_000 {
					wantCode(t, err, domain.ApprovalLimit)
				}
			}
		})
	}
}

// repairProcess asks for a missing currency before it decides about the route.
const repairProcess = `
key: repaired
version: 1
needs: [currency]
on_abandon: seal_abandoned
re_enter: validate
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: complete}
  - {id: complete, kind: exclusive, branches: [{when: size(missing) > 0, to: repair}], default: destination}
  - {id: repair, kind: review, queue: repair, duty: repair, on: {repaired: destination, return: validate}}
  - {id: destination, kind: exclusive, branches: [{when: 'findings.exists(f, f.rule == "several_documents")', to: aml}], default: archive}
  - {id: aml, kind: review, queue: AML, escalate_to: "", on: {approve: second, reject: seal_rejected}}
  - {id: second, kind: exclusive, branches: [{when: '!amount_known || base_minor > 100000', to: review}], default: archive}
  - {id: review, kind: review, queue: L2, level: 2, on: {approve: archive, reject: seal_rejected, return: validate}}
` + sealNodes

// A file is not split from the repair queue to avoid the reviews that it would have needed afterwards.
func TestPartsOfARepairKeepTheRoute(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(repairProcess)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	env.person("lea", domain.RoleSenior)
	al, mia := env.amlOfficer("al"), env.person("mia", domain.RoleManager)
	without := func(vendor, number string) (lines []string) {
		for _, line := range invoiceLines(vendor, number, "80.00") {
			lines = append(lines, strings.ReplaceAll(line, "EUR ", ""))
		}
		return lines
	}
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, without("Alpha Supplies GmbH", "A-1001")
	env.reader.others = [][]string{without("Beta Trading GmbH", "B-2002")}
	env.reader.mu.Unlock()
	id := env.submitTo(sam, "repaired", "invoice", domain.NewID().String())
	env.requireState(id, domain.InReview, "repair")
	if env.finding(id, domain.RuleSeveralDocuments) == nil {
		t.Fatal("the file seems to be one document")
	}
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	part := split.Parts[0]
	env.requireState(part, domain.InReview, "repair")
	lea := env.person("leo", domain.RoleSenior)
	env.claim(lea, part)
	must(t, env.correct(lea, part, domain.FieldCurrency, "EUR"))
	liz := env.person("liz", domain.RoleSenior)
	must(t, env.claimAndDecide(liz, part, "repair", domain.Repaired))
	env.requireState(part, domain.InReview, "aml")
	must(t, env.claimAndDecide(al, part, "aml", domain.Approve))
	env.requireState(part, domain.InReview, "review")
	must(t, env.claimAndDecide(mia, part, "review", domain.Approve))
	env.requireState(part, domain.Archived)
}

// A part reads its own pages of the whole file, whose hash its manifest states with the parent.
func TestPartReadsOnlyItsPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior)
	id := env.submitTwo(sam, "document_approval", "", "1200.00", "800.00")
	env.reader.mu.Lock()
	env.reader.ranges = nil
	env.reader.mu.Unlock()
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	env.reader.mu.Lock()
	ranges := slices.Clone(env.reader.ranges)
	env.reader.mu.Unlock()
	for _, pages := range twoParts {
		if !slices.Contains(ranges, pages) {
			t.Errorf("read %v", ranges)
		}
	}
	if len(ranges) != 2 {
		t.Errorf("the file was read %d times: %v", len(ranges), ranges)
	}
	whole, err := env.db.Reader().Document(env.ctx, id)
	must(t, err)
	second := split.Parts[1]
	pages, err := env.db.Reader().Pages(env.ctx, second, 1)
	must(t, err)
	document, err := env.db.Reader().Document(env.ctx, second)
	must(t, err)
	if len(pages) != 1 || pages[0].Number != 1 || !slices.Equal(document.SHA256, whole.SHA256) ||
		document.Size != whole.Size || len(document.Parts) > 0 {
		t.Errorf("part 2 has %d pages of %+v", len(pages), document)
	}
	env.approves(lea, second)
	env.drainQueue()
	env.requireState(second, domain.Archived)
	manifest := env.manifestOf(second)
	if manifest.Part == nil || manifest.Part.ParentCaseID != id || manifest.Part.FirstPage != 2 ||
		manifest.Part.LastPage != 2 || len(manifest.Documents) != 1 {
		t.Errorf("the manifest states %+v of %+v", manifest.Part, manifest.Documents)
	}
}

// manifestOf reads the manifest of a closed case.
func (env *testEnv) manifestOf(id domain.ID) (manifest audit.Manifest) {
	env.t.Helper()
	content, _, err := env.blobs.Open(env.ctx, env.caseByID(id).ManifestKey)
	must(env.t, err)
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	must(env.t, err)
	must(env.t, json.Unmarshal(text, &manifest))
	return manifest
}

// The sums of the submitter contain the parts together, and not the file beside them.
func TestSumsCountThePartsAndNotTheFile(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	env.person("lea", domain.RoleSenior)
	sum := func() (documents, base int) {
		const of = ` FROM document_sums WHERE kind = 'submitter' AND subject = $1`
		return env.queryInt(`SELECT coalesce(sum(documents), 0)`+of, sam.UserID.String()),
			env.queryInt(`SELECT coalesce(sum(base_minor), 0)`+of, sam.UserID.String())
	}
	id := env.submitTwo(sam, "document_approval", "900.00", "600.00", "300.00")
	if documents, base := sum(); documents != 1 || base != 99_000 {
		t.Fatalf("the file counts %d, %d", documents, base)
	}
	env.claim(rita, id)
	_, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	if documents, base := sum(); documents != 0 || base != 0 {
		t.Errorf("before the parts are read, %d documents count %d", documents, base)
	}
	env.drainQueue()
	if documents, base := sum(); documents != 2 || base != 2*99_000 {
		t.Errorf("the parts count %d, %d", documents, base)
	}
}

// Parts are compared with each other and with other cases, by what they state. Neither is a duplicate of
// the file from which they come.
func TestPartsAreComparedWithEachOther(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	env.person("lea", domain.RoleSenior)
	other := env.submitRead(sam, invoiceLines("Beta Trading GmbH", "B-2002", "80.00")...)
	env.reader.mu.Lock()
	same := invoiceLines("Alpha Supplies GmbH", "A-1001", "120.00")
	env.reader.lines = same
	env.reader.others = [][]string{invoiceLines("Beta Trading GmbH", "B-2002", "80.00"), same}
	env.reader.mu.Unlock()
	three := env.submitTo(sam, "document_approval", "invoice", domain.NewID().String())
	env.claim(rita, three)
	split, err := env.split(rita, three, "",
		casework.PageRange{First: 1, Last: 1}, casework.PageRange{First: 2, Last: 2},
		casework.PageRange{First: 3, Last: 3})
	must(t, err)
	env.drainQueue()
	listed := func(part domain.ID) (all []string) {
		for _, rule := range duplicateRules {
			if finding := env.finding(part, rule); finding != nil {
				all = append(all, finding.Evidence["cases"])
			}
		}
		return all
	}
	if found := append(listed(split.Parts[0]), listed(split.Parts[2])...); len(found) == 0 {
		t.Errorf("two copies of one invoice in a file: %v", found)
	}
	if found := listed(split.Parts[1]); len(found) == 0 {
		t.Errorf("a part that is a copy of %s: %v", env.caseByID(other).Reference, found)
	}
	for _, part := range split.Parts {
		for _, cases := range listed(part) {
			if slices.Contains(strings.Split(cases, ","), env.caseByID(three).Reference) {
				t.Errorf("a part is a duplicate of its own file: %s", cases)
			}
		}
	}
}

// Who splits a file has no further part in it, neither in their own name nor by a delegate or a delegator,
// nor in another role.
func TestSplitterHasNoPartInTheParts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior, domain.RoleManager)
	dora, lea := env.person("dora", domain.RoleSenior), env.person("lea", domain.RoleSenior)
	dan := env.person("dan", domain.RoleSenior)
	env.delegate(dora, rita, domain.Scope{})
	env.delegate(rita, dan, domain.Scope{})
	id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
	review := env.openReview(id)
	by := onBehalfOf(rita, dora)
	_, err := env.svc.ClaimReview(env.ctx, by, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	split, err := env.split(by, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	part := split.Parts[0]
	on := casework.ReviewTarget{ReviewID: env.openReview(part).ID}
	for name, actor := range map[string]domain.Actor{"rita": rita, "dora": dora,
		"rita for dora": by, "dan for rita": onBehalfOf(dan, rita)} {
		if _, err := env.svc.ClaimReview(env.ctx, actor, on); !domain.HasCode(err, domain.FourEyes) {
			t.Errorf("%s claimed a part: %v", name, err)
		}
	}
	env.claim(lea, part)
	_, err = env.svc.DecideReview(env.ctx, lea, casework.DecideReview{ReviewTarget: on,
		Verdict: domain.Return, Reason: "the address is missing"})
	must(t, err)
	env.drainQueue()
	env.requireState(part, domain.Returned, "returned")
	_, err = env.svc.EnterFields(env.ctx, rita, casework.EnterFields{
		CaseTarget: casework.CaseTarget{CaseID: part},
		Fields:     []casework.FieldInput{{Name: domain.FieldNumber, Value: "A-1"}}})
	wantCode(t, err, domain.FourEyes)
}

// Two reviewers cannot split a file twice, and a part can be split again within its own pages.
func TestSplitTwice(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior)
	env.person("leo", domain.RoleSenior)
	env.submitTwo(sam, "document_approval", "", "120.00", "80.00") // sets the pages of the reader
	env.reader.mu.Lock()
	env.reader.others = append(env.reader.others, invoiceLines("Gamma AG", "C-3003", "70.00"))
	env.reader.mu.Unlock()
	id := env.submitTo(sam, "document_approval", "invoice", domain.NewID().String())
	env.claim(rita, id)
	review := casework.ReviewTarget{ReviewID: env.reviewOf(id)}
	var group sync.WaitGroup
	errs := make([]error, 2)
	results := make([]casework.SplitResult, 2)
	for i := range errs {
		group.Go(func() {
			results[i], errs[i] = env.svc.SplitCase(env.ctx, rita, casework.SplitCase{
				ReviewTarget: review, Parts: []casework.PageRange{{First: 1, Last: 2}, {First: 3, Last: 3}}})
		})
	}
	group.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("two concurrent splits: %v", errs)
	}
	split := results[0]
	if errs[0] != nil {
		split = results[1]
	}
	env.drainQueue()
	part := split.Parts[0]
	env.claim(lea, part)
	_, err := env.split(lea, part, "", casework.PageRange{First: 1, Last: 1},
		casework.PageRange{First: 2, Last: 3})
	wantCode(t, err, domain.InvalidInput)
	again, err := env.split(lea, part, "", twoParts...)
	must(t, err)
	env.drainQueue()
	last := env.caseByID(again.Parts[1])
	if last.Part.Parent != part || last.Part.Origin != id || last.Part.First != 2 ||
		last.DocumentNumber != "B-2002" {
		t.Errorf("the part of a part is %+v with number %s", last.Part, last.DocumentNumber)
	}
	_, err = env.svc.ClaimReview(env.ctx, rita, casework.ReviewTarget{
		ReviewID: env.openReview(last.ID).ID})
	wantCode(t, err, domain.FourEyes) // split the file of which the part comes
}

// A file of one page, the evidence of a payment order and a lonely reviewer are refused with a reason.
func TestRefusedSplits(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
	id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "81.00")
	env.claim(rita, id)
	_, err := env.split(rita, id, "", twoParts...)
	wantCode(t, err, domain.FourEyes) // no other reviewer
	env.person("lea", domain.RoleSenior)
	env.reader.mu.Lock()
	env.reader.others = nil
	env.reader.mu.Unlock()
	single := env.submitDeclared(sam, "document_approval", "invoice", "9000", "USD", "DE")
	env.claim(rita, single)
	_, err = env.split(rita, single, "", twoParts...)
	wantCode(t, err, domain.InvalidInput)
	env.requireState(single, domain.InReview, "review_l1")
	env.reader.mu.Lock()
	env.reader.others = [][]string{invoiceLines("Beta Trading GmbH", "B-2003", "80.00")}
	env.reader.mu.Unlock()
	ordered := env.mustOrder(sam, order("500.00", "EUR", "R-1"))
	env.requireState(ordered, domain.InReview, "review_l1")
	env.claim(rita, ordered)
	_, err = env.split(rita, ordered, "", twoParts...)
	wantCode(t, err, domain.StateMismatch)
}

// The e-invoice of a file with appended pages is about an unknown one of its documents: what it states
// counts in each part, and each part reads its own page.
func TestSplitEInvoiceWithAppendedPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	env.person("lea", domain.RoleSenior)
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML("9000.00", "X-1")
	env.reader.lines = invoiceLines("Alpha Supplies GmbH", "A-1001", "120.00")
	env.reader.others = [][]string{invoiceLines("Beta Trading GmbH", "B-2002", "80.00")}
	env.reader.mu.Unlock()
	id := env.submitTo(sam, "document_approval", "invoice", domain.NewID().String())
	whole := env.caseByID(id)
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	for i, part := range split.Parts {
		c := env.caseByID(part)
		if c.BaseMinor < whole.BaseMinor || c.DocumentNumber != []string{"A-1001", "B-2002"}[i] ||
			!slices.Contains(c.OtherNumbers, "X-1") {
			t.Errorf("part %d: %s (other %v), %d of %d at risk", i+1, c.DocumentNumber, c.OtherNumbers,
				c.BaseMinor, whole.BaseMinor)
		}
		env.requireState(part, domain.InReview, "review_l1")
	}
}

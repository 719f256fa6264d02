package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// supplierInvoice is an invoice of a vendor that a person has to review.
func supplierInvoice(name, number string) []string {
	return []string{name, "Reg 860671 D", "12 Jalan Meranti, 81750 Permas Jaya", "Tel 07 3880123",
		"TAX INVOICE", "Invoice No: " + number, "Date: 14/10/2026", "Paper RM 174.90",
		"Total RM 174.90"}
}

// unclear makes the words of the first line look misread.
func unclear(page *domain.Page) {
	for i := range page.Words {
		if page.Words[i].Line == 0 {
			page.Words[i].Confidence = 0.5
		}
	}
}

const supplier = "PERNIAGAAN MUTIARA SDN BHD"

func (env *testEnv) learn() {
	env.t.Helper()
	_, err := env.svc.LearnVendors(env.ctx)
	must(env.t, err)
	done, err := env.svc.LearnVendors(env.ctx)
	must(env.t, err)
	if done > 0 {
		env.t.Errorf("%d cases are learned from twice", done)
	}
}

func (env *testEnv) lessons() []store.StoredLesson {
	env.t.Helper()
	list, err := env.db.Reader().StoredLessons(env.ctx, "", 100)
	must(env.t, err)
	return list
}

// taught returns a case of the supplier that sam submitted and lea approved.
func (env *testEnv) taught(sam, lea domain.Actor, number string) domain.ID {
	env.t.Helper()
	id := env.submitPages(sam, "invoice", supplierInvoice(supplier, number), nil)
	must(env.t, env.claimAndDecide(lea, id, "review_l1", domain.Approve))
	env.requireState(id, domain.Archived)
	env.learn()
	return id
}

// Only an archived case whose vendor another person than its author approved teaches.
func TestWhatTeaches(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	env.archivedStraight(sam)
	rejected := env.submitPages(sam, "invoice", supplierInvoice(supplier, "N-1"), nil)
	must(t, env.claimAndDecide(lea, rejected, "review_l1", domain.Reject))
	env.submitPages(sam, "invoice", supplierInvoice(supplier, "N-2"), nil)
	for number := range 10 { // a submitter alone teaches nothing, however often they submit
		env.submitPages(sam, "invoice", supplierInvoice("EVIL MUTIARA SDN BHD", string(rune('A'+number))+"-77"), nil)
	}
	corrected := env.submitPages(sam, "invoice", supplierInvoice("PERNIAGAAN MUTIARO SDN BHD", "N-4"), unclear)
	env.claim(lea, corrected)
	must(t, env.correct(lea, corrected, domain.FieldVendor, supplier))
	_ = env.claimAndDecide(lea, corrected, "review_l1", domain.Approve)
	env.learn()
	if found := env.lessons(); len(found) > 0 {
		t.Fatalf("%+v is learned", found)
	}
	id := env.taught(sam, lea, "N-3")
	found := env.lessons()
	if len(found) != 1 || found[0].CaseID != id || found[0].Lesson.Name != supplier ||
		!slices.Contains(found[0].Lesson.Header, "MERANTI") || len(found[0].Lesson.Anchors) < 3 {
		t.Fatalf("learned %+v", found)
	}
}

// A misread name is repaired; what was read keeps counting, and a person has to look.
func TestReadingWithMemory(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	known := env.taught(sam, lea, "N-1")
	const misread = "PERNTAGAAN MUTIARA SDN BHD"
	id := env.submitPages(sam, "invoice", supplierInvoice(misread, "N-2"), unclear)
	c := env.caseByID(id)
	sets, err := env.db.Reader().Assertions(env.ctx, id)
	must(t, err)
	var names []string
	for _, set := range sets {
		for _, a := range set.Assertions {
			if a.Field == domain.FieldVendor {
				names = append(names, a.Value)
				if (a.LearnedFrom == known) != (a.Value == supplier) {
					t.Errorf("%q was learned from %s", a.Value, a.LearnedFrom)
				}
			}
		}
	}
	if !slices.Equal(names, []string{misread, supplier}) || c.Counterparty != supplier ||
		!slices.Contains(c.DifferingFields, domain.FieldVendor) || len(c.OtherPartyIDs) != 1 ||
		c.Status != domain.InReview {
		t.Errorf("names %q, case %+v", names, c)
	}
	// What a reviewer confirms of it is their own, so it teaches nothing by their approval alone.
	env.claim(lea, id)
	must(t, env.correct(lea, id, domain.FieldVendor, supplier))
	_ = env.claimAndDecide(lea, id, "review_l1", domain.Approve)
	env.learn()
	if found := env.lessons(); len(found) != 1 {
		t.Errorf("memory confirmed itself: %+v", found)
	}
}

// lessonsAfter returns how many lessons there are after a statement, which is rolled back.
func (env *testEnv) lessonsAfter(name string, id domain.ID, sql string) (count int) {
	env.t.Helper()
	tx, err := env.owner.Begin(env.ctx)
	must(env.t, err)
	defer func() { _ = tx.Rollback(env.ctx) }()
	_, err = tx.Exec(env.ctx, sql, id)
	if err == nil && name == "found wrong" {
		_, err = tx.Exec(env.ctx, `ALTER TABLE quality_samples DISABLE TRIGGER samples_stay`)
		must(env.t, err)
		_, err = tx.Exec(env.ctx, `UPDATE quality_samples SET status = 'disputed' WHERE case_id = $1`, id)
	}
	if err != nil {
		env.t.Fatalf("%s: %v", name, err)
	}
	must(env.t, tx.QueryRow(env.ctx, `SELECT count(*) FROM vendor_lessons`).Scan(&count))
	return count
}

// What was learned from a case ends with the case: erased, without pages, opened again or deleted.
func TestForgottenCases(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	id := env.taught(sam, lea, "N-1")
	for name, sql := range map[string]string{
		"erased":        `UPDATE assertions SET body = '' WHERE case_id = $1`,
		"without pages": `DELETE FROM pages WHERE case_id = $1`,
		"not archived":  `UPDATE cases SET status = 'processing', outcome = '' WHERE id = $1`,
		"found wrong": `INSERT INTO quality_samples (id, case_id, process, stratum, queue, confidential,
			submitter, share, reasons, probability, archived_at) SELECT gen_random_uuid(), id, process_key,
			'approved', '', false, submitter, 10000, '{}', 0.01, clock() FROM cases WHERE id = $1`,
	} {
		if left := env.lessonsAfter(name, id, sql); left != 0 {
			t.Errorf("%s: the lesson is kept", name)
		}
	}
	if len(env.lessons()) != 1 {
		t.Fatal("nothing was learned")
	}
	_, err := env.owner.Exec(env.ctx, `INSERT INTO vendor_lessons (id, case_id, vendor_key, keys, body)
		SELECT gen_random_uuid(), id, 'x', '{}', '{}' FROM cases WHERE status <> 'archived'
		UNION ALL SELECT gen_random_uuid(), $1, 'x', '{}', '{}'`, env.archivedStraight(sam))
	if err == nil {
		t.Error("the database accepts a lesson from a case that no person approved")
	}
}

// Revoking needs the right to publish and a reason, is recorded once, and survives a rebuild.
func TestRevokedLessons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	ada := env.person("ada", domain.RoleAdmin, domain.RoleManager)
	env.taught(sam, lea, "N-1")
	revoke := casework.RevokeLesson{Lesson: env.lessons()[0].ID, Reason: "wrong vendor"}
	for _, other := range []domain.Actor{sam, lea} {
		wantCode(t, errOf(env.svc.RevokeLesson(env.ctx, other, revoke)), domain.NotPermitted)
	}
	wantCode(t, errOf(env.svc.RevokeLesson(env.ctx, ada, casework.RevokeLesson{Lesson: revoke.Lesson})),
		domain.InvalidInput)
	for range 2 {
		must(t, errOf(env.svc.RevokeLesson(env.ctx, ada, revoke)))
	}
	count := 0
	must(t, env.owner.QueryRow(env.ctx, `SELECT count(*) FROM events WHERE type = 'lesson.revoked'`).Scan(&count))
	if count != 1 {
		t.Errorf("%d events", count)
	}
	_, err := env.svc.RebuildLessons(env.ctx)
	must(t, err)
	if found := env.lessons(); len(found) != 1 || found[0].RevokedBy != ada.UserID {
		t.Errorf("after a rebuild: %+v", found)
	}
	id := env.submitPages(sam, "invoice", supplierInvoice("PERNTAGAAN MUTIARA SDN BHD", "N-2"), unclear)
	if c := env.caseByID(id); c.Counterparty == supplier {
		t.Error("a revoked lesson is used")
	}
}

// The consistency check finds an altered lesson, and a rebuild repairs it.
func TestAlteredLesson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	env.taught(sam, lea, "N-1")
	altered := func() int {
		found, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}})
		must(t, err)
		return len(slices.DeleteFunc(found, func(i casework.Inconsistency) bool {
			return i.Kind != casework.AlteredLesson
		}))
	}
	if n := altered(); n != 0 {
		t.Fatalf("%d lessons differ from their cases", n)
	}
	env.ownerExec(`UPDATE vendor_lessons SET body = jsonb_set(body, '{name}', '"EVIL"')`)
	if n := altered(); n != 1 {
		t.Fatalf("%d altered lessons are found", n)
	}
	for range 2 {
		_, err := env.svc.RebuildLessons(env.ctx)
		must(t, err)
	}
	if n := altered(); n != 0 || env.lessons()[0].Lesson.Name != supplier {
		t.Errorf("after a rebuild: %d altered, %+v", n, env.lessons())
	}
}

// A person who corrects with one account and approves with another confirms nothing that later documents
// are read by.
func TestTwoAccountsOfOnePersonTeachNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, ann, second := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ann+2", domain.RoleL1)
	id := env.submitPages(sam, "invoice", append(supplierInvoice("PERNIAGAAN MUTIARO SDN BHD", "N-4"),
		supplier), unclear)
	env.claim(ann, id)
	must(t, env.correct(ann, id, domain.FieldVendor, supplier))
	must(t, errOf(env.svc.ReleaseReview(env.ctx, ann,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
	must(t, env.claimAndDecide(second, id, "review_l1", domain.Approve))
	env.requireState(id, domain.Archived)
	env.learn()
	if found := env.lessons(); len(found) > 0 {
		t.Errorf("learned %+v", found)
	}
}

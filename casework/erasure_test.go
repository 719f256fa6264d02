package casework_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/store"
)

// erasureEnv has an ended case with a signed approval, and two administrators who did not act on it.
type erasureEnv struct {
	*signedEnv
	ada, adam domain.Actor
	caseID    domain.ID
}

// erasedReason is a text that only a reviewer of the case wrote.
const erasedReason = "call Frau Beispiel"

func newErasureEnv(t *testing.T) *erasureEnv {
	t.Helper()
	env := &erasureEnv{signedEnv: newSignedEnv(t)}
	env.ada, env.adam = env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	review := env.invoice(env.rita, "5000.00", "PRIVATE-77")
	env.caseID = review.CaseID
	in := toApprove(review, erasedReason)
	request, err := env.svc.PrepareApproval(env.ctx, env.rita, in)
	must(t, err)
	signed := env.phone.Sign(request.Challenge)
	in.Signature = &signed
	_, err = env.svc.DecideReview(env.ctx, env.rita, in)
	must(t, err)
	env.later(11 * time.Minute) // the time to undo is over
	env.sign()
	return env
}

func (env *erasureEnv) later(by time.Duration) {
	env.t.Helper()
	env.releaseFeed()
	env.setClockOffset(env.clockOffset + by)
	env.drainQueue()
}

func (env *erasureEnv) proposeErasure(by domain.Actor) (casework.ControlResult, error) {
	return env.svc.ProposeErasure(env.ctx, by, casework.ProposeErasure{CaseID: env.caseID,
		Reason: "requested by the data subject"})
}

// retain sets the retention period by two persons.
func (env *erasureEnv) retain(documentType string, days int) {
	env.t.Helper()
	done, err := env.svc.SetRetention(env.ctx, env.ada, casework.SetRetention{DocumentType: documentType,
		Days: days, Reason: "policy"})
	must(env.t, err)
	if done.ProposalID != domain.NoID {
		_, err = env.confirmed(env.adam, done.ProposalID)
		must(env.t, err)
	}
}

// erase erases the case after its retention period.
func (env *erasureEnv) erase() {
	env.t.Helper()
	env.later(3651 * day)
	done, err := env.proposeErasure(env.ada)
	must(env.t, err)
	_, err = env.confirmed(env.adam, done.ProposalID)
	must(env.t, err)
}

// index fills the search index with everything that has happened.
func (env *testEnv) index() {
	env.t.Helper()
	env.releaseFeed()
	for more := true; more; {
		var err error
		more, err = env.svc.IndexSearch(env.ctx)
		must(env.t, err)
	}
}

// rowsWith returns the tables that contain a text.
func (env *erasureEnv) rowsWith(text string) []string {
	env.t.Helper()
	var found []string
	for _, table := range env.queryTexts(`SELECT c.relname::text FROM pg_class c WHERE c.relkind IN ('r', 'p')
			AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition ORDER BY 1`) {
		if env.queryInt(fmt.Sprintf(`SELECT count(*) FROM %s x WHERE strpos(x::text, '%s') > 0`, table,
			strings.ReplaceAll(text, "'", "''"))) > 0 {
			found = append(found, table)
		}
	}
	return found
}

// After an erasure no table and no file contains what the document or its reviewers said, and the
// record still verifies: live, as an export and as a pack, with the signature of the approval.
func TestErasure(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	addModelRun := func(tx *store.Tx) error {
		return tx.AddModelRun(env.ctx, domain.ModelRun{ID: domain.NewID(), CaseID: env.caseID, Outcome: "failed",
			PromptHash: []byte("h"), Prompt: "read Muster Werke", Answer: `{"number":"PRIVATE-77"}`,
			ErrorText: "Muster Werke cannot be read", Currency: "USD", Input: domain.ModelTextAndImages,
			Images: domain.ModelImages{Sent: []domain.ModelImage{{Page: 1, SHA256: "sha256-of-an-image"}}}})
	}
	must(t, env.db.InTx(env.ctx, addModelRun))
	if tables := env.rowsWith("cannot be read"); !slices.Contains(tables, "model_runs") {
		t.Fatalf("the run is in %v", tables)
	}
	env.index()
	secrets := []string{"sha256-of-an-image", "PRIVATE-77", "Muster Werke", einvoice.Account, erasedReason}
	// The search index has words of them: a number, an account, a vendor, and a word of a reason that
	// the table of words for typos has too.
	secrets = append(secrets, "'private77'", "'"+strings.ToLower(einvoice.Account)+"'", "'muster'", "beispiel")
	for _, secret := range secrets {
		if len(env.rowsWith(secret)) == 0 {
			t.Fatalf("%q is nowhere before the erasure", secret)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(env.blobs.dir, env.caseID.String(), "*")); len(files) < 2 {
		t.Fatalf("files before the erasure: %v", files)
	}
	decided, err := env.db.Reader().Decisions(env.ctx, env.caseID)
	must(t, err)
	if words := env.rowsWith("beispiel"); !slices.Contains(words, "search_words") {
		t.Errorf("the word is in %v", words)
	}
	env.erase()
	must(t, env.db.InTx(env.ctx, addModelRun)) // of a call that ends later
	for _, secret := range secrets {
		if tables := env.rowsWith(secret); len(tables) > 0 {
			t.Errorf("%q is still in %v", secret, tables)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(env.blobs.dir, env.caseID.String(), "*")); len(files) > 0 {
		t.Errorf("files after the erasure: %v", files)
	}
	erased := env.caseByID(env.caseID)
	if erased.ErasedAt.IsZero() || erased.Status != domain.Archived || erased.BaseMinor == 0 {
		t.Errorf("the case is %+v", erased)
	}
	left, err := env.db.Reader().Decisions(env.ctx, env.caseID)
	must(t, err)
	if len(left) != 1 || left[0].Actor != env.rita.UserID || left[0].Verdict != domain.Approve ||
		left[0].Signature == nil || left[0].Signature.Statement != "" || left[0].At != decided[0].At {
		t.Errorf("the decision is %+v", left)
	}
	how, err := env.db.Reader().Erasure(env.ctx, env.caseID)
	must(t, err)
	if how.ProposedBy != env.ada.UserID || how.ConfirmedBy != env.adam.UserID {
		t.Errorf("erased by %+v", how)
	}
	for _, signed := range []bool{false, true} { // before and after the next checkpoint
		if signed {
			env.sign()
		}
		result := env.verify()
		if len(result.Problems) > 0 || result.Erased == 0 {
			t.Fatalf("%d erased; %s", result.Erased, problemsOf(result))
		}
		env.verifyExported(1)
	}
	pack, err := env.packOf(env.person("ann", domain.RoleAuditor), env.caseID, env.signer.Keys())
	must(t, err)
	report, err := verifyPack(pack, env.signer.Keys())
	must(t, err)
	if report.Break != nil || report.Signatures != 1 || report.Erased == 0 {
		t.Errorf("the pack: %+v %v", report, report.Break)
	}
	if _, err := env.proposeErasure(env.ada); !domain.HasCode(err, domain.StateMismatch) {
		t.Errorf("erased again: %v", err)
	}
	if _, err := env.svc.OpenBlob(env.ctx, env.person("otto", domain.RoleAuditor), casework.OpenBlob{
		CaseID: env.caseID, Kind: casework.BlobArchiveCopy}); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("the archive copy after the erasure: %v", err)
	}
	manager := env.person("max", domain.RoleManager)
	if _, err := env.svc.ReopenCase(env.ctx, manager, casework.ReopenCase{Reason: "again",
		CaseTarget: casework.CaseTarget{CaseID: env.caseID}}); err == nil {
		t.Error("an erased case was reopened")
	}
}

// A case is not erased within its retention period, on hold, by one person, or by one who acted on it.
func TestErasuresThatAreRefused(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	refused := func(what string, code domain.Code, by domain.Actor) {
		t.Helper()
		if _, err := env.proposeErasure(by); !domain.HasCode(err, code) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("within the period", domain.StateMismatch, env.ada)
	refused("a manager", domain.NotPermitted, env.person("max", domain.RoleManager))
	env.later(3651 * day)
	open := env.invoice(env.rita, "5000.00", "OPEN-1")
	if _, err := env.svc.ProposeErasure(env.ctx, env.ada, casework.ProposeErasure{CaseID: open.CaseID,
		Reason: "x"}); !domain.HasCode(err, domain.StateMismatch) {
		t.Errorf("an open case: %v", err)
	}
	// Who acted on the case, and who is an administrator now.
	for name, acted := range map[string]domain.Actor{"submitter": env.sam, "reviewer": env.rita} {
		_, err := env.owner.Exec(env.ctx, `INSERT INTO user_roles VALUES ($1, 'administrator')`,
			acted.UserID)
		must(t, err)
		refused(name, domain.FourEyes, acted)
	}
	done, err := env.proposeErasure(env.ada)
	must(t, err)
	_, err = env.confirmed(env.ada, done.ProposalID)
	wantCode(t, err, domain.FourEyes)
	_, err = env.confirmed(env.rita, done.ProposalID)
	wantCode(t, err, domain.FourEyes)

	// A hold between proposal and confirmation.
	auditor := env.person("ann", domain.RoleAuditor)
	if _, err := env.svc.PlaceLegalHold(env.ctx, env.sam, casework.PlaceLegalHold{CaseID: open.CaseID,
		Reason: "x"}); err != nil {
		t.Errorf("an administrator places a hold: %v", err)
	}
	_, err = env.svc.PlaceLegalHold(env.ctx, env.person("tom", domain.RoleSubmitter),
		casework.PlaceLegalHold{CaseID: env.caseID, Reason: "x"})
	wantCode(t, err, domain.NotPermitted)
	hold, err := env.svc.PlaceLegalHold(env.ctx, auditor, casework.PlaceLegalHold{CaseID: env.caseID,
		Reason: "court order 7"})
	must(t, err)
	_, err = env.confirmed(env.adam, done.ProposalID)
	wantCode(t, err, domain.StateMismatch)
	lift, err := env.svc.ProposeHoldLift(env.ctx, env.ada, casework.ProposeHoldLift{HoldID: hold.HoldID,
		Reason: "settled"})
	must(t, err)
	_, err = env.confirmed(env.ada, lift.ProposalID)
	wantCode(t, err, domain.FourEyes)
	_, err = env.confirmed(env.adam, done.ProposalID)
	wantCode(t, err, domain.StateMismatch)
	_, err = env.confirmed(env.adam, lift.ProposalID)
	must(t, err)
	if lifted := env.queryInt(`SELECT count(*) FROM events WHERE type = 'legal_hold.lifted'
		AND body::jsonb ->> 'holdId' = $1`, hold.HoldID.String()); lifted != 1 {
		t.Errorf("%d events record that the hold was lifted", lifted)
	}
	_, err = env.confirmed(env.adam, done.ProposalID)
	must(t, err)
}

// The period of a document type counts before that of all types. A shorter one needs two persons and 30
// days, whatever was set in between; a longer one applies immediately.
func TestRetentionPeriods(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	present := func(want int) {
		t.Helper()
		now, err := env.db.Reader().PresentRetention(env.ctx, "invoice")
		must(t, err)
		if now.Days != want {
			t.Errorf("the period is %d days, want %d", now.Days, want)
		}
	}
	one, err := env.svc.SetRetention(env.ctx, env.ada, casework.SetRetention{DocumentType: "invoice",
		Days: 10, Reason: "shorter"})
	must(t, err)
	_, err = env.confirmed(env.ada, one.ProposalID)
	wantCode(t, err, domain.FourEyes)
	present(3650)
	_, err = env.confirmed(env.adam, one.ProposalID)
	must(t, err)
	present(3650)
	env.later(29 * day)
	refusedBefore, err := env.svc.SetRetention(env.ctx, env.ada, casework.SetRetention{
		DocumentType: "invoice", Days: 11, Reason: "a raise of the coming period"})
	must(t, err)
	if refusedBefore.ProposalID == domain.NoID {
		t.Error("a period below the one in force was set by one person")
	}
	present(3650)
	env.later(2 * day)
	present(10)
	other, err := env.db.Reader().PresentRetention(env.ctx, "receipt")
	must(t, err)
	if other.Days != 3650 || one.Key != "invoice" {
		t.Errorf("the proposal is of %q, the period of other types is %d", one.Key, other.Days)
	}
	done, err := env.svc.SetRetention(env.ctx, env.ada, casework.SetRetention{DocumentType: "invoice",
		Days: 4000, Reason: "longer"})
	must(t, err)
	if done.ProposalID != domain.NoID {
		t.Error("a longer period was only proposed")
	}
	present(4000)
	env.retain("", 20) // for all types, in 30 days
	env.later(31 * day)
	present(4000)
	other, err = env.db.Reader().PresentRetention(env.ctx, "receipt")
	must(t, err)
	if other.Days != 20 {
		t.Errorf("the period of all types is %d", other.Days)
	}
	same, err := env.svc.SetRetention(env.ctx, env.ada, casework.SetRetention{DocumentType: "invoice",
		Days: 4000, Reason: "the same"})
	must(t, err)
	if again, err := env.db.Reader().PresentRetention(env.ctx, "invoice"); !same.Unchanged ||
		same.ProposalID != domain.NoID || err != nil || again.Version != 2 {
		t.Errorf("the same period: %+v, %+v, %v", same, again, err)
	}
	if changes := env.queryTexts(`SELECT body::jsonb ->> 'documentType' || ' ' || (body::jsonb ->> 'after')
		FROM events WHERE type = 'retention.changed' ORDER BY seq`); !slices.Equal(changes,
		[]string{"invoice 10", "invoice 4000", " 20"}) {
		t.Errorf("the events are %q", changes)
	}
	for _, days := range []int{0, -1, 36501} {
		_, err := env.svc.SetRetention(env.ctx, env.ada, casework.SetRetention{Days: days, Reason: "x"})
		wantCode(t, err, domain.InvalidInput)
	}
}

// The application role cannot erase without a confirmed proposal, nor mark a case as erased.
func TestApplicationCannotErase(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.later(3651 * day)
	done, err := env.proposeErasure(env.ada)
	must(t, err)
	pool := env.appPool()
	for what, sql := range map[string]string{
		"an open proposal": fmt.Sprintf(`SELECT erase_case('%s', '%s', '{}', '{}', '{}', '{}', '{}', '{}')`,
			env.caseID, done.ProposalID),
		"no proposal": fmt.Sprintf(`SELECT erase_case('%s', '%s', '{}', '{}', '{}', '{}', '{}', '{}')`,
			env.caseID, domain.NewID()),
		"the mark":          `UPDATE cases SET erased_at = clock()`,
		"the mark, erasing": `SELECT set_config('countersign.erasing', 'on', false); UPDATE cases SET erased_at = clock()`,
		"a shorter period":  `INSERT INTO retention_periods SELECT '', 2, 1, clock(), 'x', id, NULL FROM users LIMIT 1`,
		"a lifted hold": `UPDATE legal_holds SET lifted_at = clock(), lift_id = (SELECT id FROM proposals LIMIT 1)
			WHERE id = (SELECT id FROM legal_holds LIMIT 1)`,
	} {
		if what == "a lifted hold" {
			_, err := env.svc.PlaceLegalHold(env.ctx, env.ada, casework.PlaceLegalHold{CaseID: env.caseID,
				Reason: "x"})
			must(t, err)
		}
		if _, err := pool.Exec(env.ctx, sql); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// What the owner of the database changes in the rows of an erased case is found.
func TestTamperedErasures(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.erase()
	env.sign()
	kept := env.snapshot()
	for what, sql := range map[string]string{
		"the verdict":       `UPDATE decisions SET verdict = 'reject' WHERE erased IS NOT NULL`,
		"the person":        `UPDATE decisions SET actor = gen_random_uuid() WHERE erased IS NOT NULL`,
		"the time":          `UPDATE decisions SET at = at + interval '1 day' WHERE erased IS NOT NULL`,
		"a reason":          `UPDATE decisions SET reason = 'agreed' WHERE erased IS NOT NULL`,
		"the hash":          `UPDATE decisions SET erased = jsonb_build_object('contentSha256', repeat('0', 64)) WHERE erased IS NOT NULL`,
		"another hash":      `UPDATE decisions SET erased = jsonb_build_object('sha256', repeat('0', 64)) WHERE erased IS NOT NULL`,
		"no mark":           `UPDATE decisions SET erased = NULL WHERE erased IS NOT NULL`,
		"no signature":      `UPDATE decisions SET signature = NULL WHERE erased IS NOT NULL`,
		"the signature":     `UPDATE decisions SET signature = jsonb_set(signature, '{signature}', '"AAAA"') WHERE erased IS NOT NULL`,
		"no decision":       `DELETE FROM decisions WHERE erased IS NOT NULL`,
		"another decision":  `INSERT INTO decisions SELECT case_id, gen_random_uuid(), gen_random_uuid(), actor, on_behalf_of, verdict, reason, evidence, at, signature, salt, erased FROM decisions WHERE erased IS NOT NULL`,
		"the voter":         `UPDATE votes SET person = gen_random_uuid() WHERE covered ? 'erasedSha256'`,
		"what a vote says":  `UPDATE votes SET covered = '{"revision": 1}' WHERE covered ? 'erasedSha256'`,
		"no vote":           `DELETE FROM votes WHERE covered ? 'erasedSha256'`,
		"a set":             `UPDATE assertions SET hash = decode(repeat('00', 32), 'hex') WHERE body = ''`,
		"no sets":           `DELETE FROM assertions WHERE body = ''`,
		"the status":        `UPDATE cases SET status = 'rejected' WHERE erased_at IS NOT NULL`,
		"attributes":        `UPDATE cases SET attributes = '[{"name": "a", "type": "text", "value": "b"}]' WHERE erased_at IS NOT NULL`,
		"another body":      `UPDATE events SET body = '{}', salt = decode(repeat('00', 16), 'hex') WHERE seq = 2 AND body = ''`,
		"an erased account": `UPDATE events SET body = '', salt = '' WHERE type = 'case.erased'`,
	} {
		env.asAdmin(sql)
		if result := env.verify(); len(result.Problems) == 0 {
			t.Errorf("%s: not found", what)
		}
		kept.restore()
	}
	if result := env.verify(); len(result.Problems) > 0 {
		t.Fatalf("the restored record: %s", problemsOf(result))
	}
}

// A decision that is marked as erased without an erasure does not hide a change.
func TestErasureMarksHideNothing(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	kept := env.snapshot()
	for what, sql := range map[string]string{
		"marked":             `UPDATE decisions SET erased = '{"contentSha256": "%s"}'`,
		"marked and emptied": `UPDATE decisions SET erased = '{"contentSha256": "%s"}', reason = '', evidence = '{}', salt = NULL`,
		"a marked vote":      `UPDATE votes SET covered = '{"erasedSha256": "%s"}'`,
		"emptied assertions": `UPDATE assertions SET body = '', salt = '' WHERE '%s' <> ''`,
	} {
		env.asAdmin(fmt.Sprintf(sql, strings.Repeat("0", 64)))
		if result := env.verify(); len(result.Problems) == 0 {
			t.Errorf("%s: not found", what)
		}
		kept.restore()
	}
}

// A file that could not be removed with the erasure is removed later, and nothing is reported as missing.
func TestFilesOfErasedCasesAreSwept(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	c := env.caseByID(env.caseID)
	env.erase()
	keys := []string{c.ManifestKey, env.caseID.String() + "/" + strings.Repeat("0", 64)}
	unknown, err := env.db.Reader().UnreferencedBlobs(env.ctx, keys)
	must(t, err)
	if len(unknown) != 2 {
		t.Errorf("still referred to: only %v are not", unknown)
	}
	references, _, err := env.db.Reader().BlobReferences(env.ctx, domain.NoID, 1000)
	must(t, err)
	for _, reference := range references {
		if reference.CaseID == env.caseID && reference.Key != "" {
			t.Errorf("a row refers to the %s %q", reference.Kind, reference.Key)
		}
	}
	if _, err := os.Stat(filepath.Join(env.blobs.dir, c.ManifestKey)); !os.IsNotExist(err) {
		t.Errorf("the manifest: %v", err)
	}
}

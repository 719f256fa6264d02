package casework_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// newAMLEnv has a remittance in the review of the AML team.
func newAMLEnv(t *testing.T) (env *testEnv, id domain.ID, al domain.Actor) {
	t.Helper()
	env = newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	al = env.amlOfficer("al")
	env.reader.xml = bytes.ReplaceAll(invoiceXML("120000.00", "R-88"), []byte("<ram:CountryID>DE"),
		[]byte("<ram:CountryID>IR"))
	submitted, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{File: upload("order"),
		Process: "cross_border_remittance", Country: "IR"})
	must(t, err)
	env.drainQueue()
	if queue := env.openReview(submitted.CaseID).Queue; queue != domain.QueueAML {
		t.Fatalf("the case is in the queue %s", queue)
	}
	return env, submitted.CaseID, al
}

// What the AML team writes while it has a case, or afterwards, reaches no one who may not know of it: no
// list, no event, no notice, no search and no picker of people differs.
func TestNotesDoNotTipOff(t *testing.T) {
	t.Parallel()
	env, id, al := newAMLEnv(t)
	sam, mia, rita := env.submitterOf(id), env.person("mia", domain.RoleManager), env.person("rita", domain.RoleL1)
	ann := env.person("ann", domain.RoleAuditor)
	for _, audience := range []domain.NoteAudience{domain.NoteEveryone, domain.NoteReviewers} {
		for _, person := range []domain.Actor{al, ann} {
			_, err := env.svc.AddNote(env.ctx, person, casework.AddNote{CaseID: id, Text: "warning", Audience: audience})
			wantNoteCode(t, person.Name+" for "+string(audience), err, domain.NotPermitted)
		}
	}
	must(t, env.watch(sam, id))
	must(t, env.watch(mia, id))
	must(t, env.watch(ann, id))
	before := env.visibleTo(mia, id) + env.visibleTo(sam, id)
	env.note(al, casework.AddNote{CaseID: id, Text: "suspicious zeppelin", Mentions: []domain.ID{ann.UserID}})
	for _, person := range []domain.Actor{mia, sam} {
		_, err := env.svc.AddNote(env.ctx, al, casework.AddNote{CaseID: id, Text: "x", Mentions: []domain.ID{person.UserID}})
		wantNoteCode(t, "a mention of "+person.Name, err, domain.InvalidInput)
	}
	env.wantTexts(al, id, "suspicious zeppelin", "al")
	env.wantTexts(ann, id, "suspicious zeppelin", "al")
	env.wantTexts(mia, id, "", "")
	env.wantTexts(sam, id, "", "")
	if after := env.visibleTo(mia, id) + env.visibleTo(sam, id); after != before {
		t.Errorf("the note changed what others see:\n%s\n%s", before, after)
	}
	env.wantNotices(ann, "mention*")
	env.index()
	if ids := env.found("zeppelin"); len(ids) > 0 {
		t.Error("a note of the AML team is in the search index")
	}
	for _, person := range []domain.Actor{mia, sam} {
		if got := env.noticesOf(person); got != "" {
			t.Errorf("%s has the notices %s", person.Name, got)
		}
	}
	// Who may read the case only because of the review is not offered, and not named as a reader.
	if names := env.mentionable(mia, id, domain.NoteReviewers); names != "ann" {
		t.Errorf("mia may mention %q", names)
	}
	_, err := env.svc.AddNote(env.ctx, mia, casework.AddNote{CaseID: id, Text: "x", Mentions: []domain.ID{al.UserID}})
	wantNoteCode(t, "mia mentions al", err, domain.InvalidInput)
	if names := env.mentionable(al, id, domain.NoteAML); names != "ann" {
		t.Errorf("al may mention %q", names)
	}
	if names := env.mentionable(mia, id, domain.NoteAML); names != "" {
		t.Errorf("mia may mention %q in a note of the AML team", names)
	}
	// After the review: the officer still writes for the team only, and reads what reviewers write.
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.note(rita, casework.AddNote{CaseID: id, Text: "second"})
	env.wantTexts(al, id, "suspicious zeppelin second", "al rita")
	env.wantTexts(rita, id, "second", "rita")
	_, err = env.svc.AddNote(env.ctx, al, casework.AddNote{CaseID: id, Text: "x", Audience: domain.NoteReviewers})
	wantNoteCode(t, "after the review", err, domain.NotPermitted)
	// The same without the queue: what a person knows does not end with their rights.
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{ID: al.UserID,
		Email: "al@example.com", Name: "al", Roles: []domain.Role{domain.RoleManager}, Queues: []string{domain.QueueL1}}})
	must(t, err)
	for _, audience := range []domain.NoteAudience{"", domain.NoteEveryone, domain.NoteReviewers, domain.NoteAML} {
		_, err = env.svc.AddNote(env.ctx, al, casework.AddNote{CaseID: id, Text: "x", Audience: audience})
		wantNoteCode(t, "a former officer", err, domain.NotPermitted)
	}
	env.verifyCaseLog(id)
}

// visibleTo describes what a person who may not know of confidential reviews sees of a case.
func (env *testEnv) visibleTo(person domain.Actor, id domain.ID) string {
	env.t.Helper()
	v := env.newViews()
	events, err := v.VisibleEvents(env.ctx, person.UserID, id)
	must(env.t, err)
	seen, err := v.Case(env.ctx, person, id)
	must(env.t, err)
	notes, err := v.Notes(env.ctx, person, id, domain.NoID, 10)
	must(env.t, err)
	names := env.mentionable(person, id, domain.NoteReviewers)
	return fmt.Sprint(len(events[id]), seen.LastSeq, seen.Version, notes.Notes, notes.Writes, names)
}

func (env *testEnv) mentionable(person domain.Actor, id domain.ID, audience domain.NoteAudience) string {
	env.t.Helper()
	people, err := env.newViews().NoteReaders(env.ctx, person, id, audience, "")
	must(env.t, err)
	names := []string{}
	for i := range people {
		if people[i].Email != "" {
			env.t.Errorf("%s sees an address", person.Name)
		}
		names = append(names, people[i].Name)
	}
	return strings.Join(names, " ")
}

func (env *testEnv) watch(by domain.Actor, id domain.ID) error {
	done, err := env.svc.WatchCase(env.ctx, by, casework.WatchCase{CaseID: id, Watch: true})
	if err == nil && !done.Watched {
		env.t.Errorf("%s does not watch", by.Name)
	}
	return err
}

// A person with a conflict of interest sees, writes and is shown no note, and their watch ends.
func TestNotesOfAPersonWithAConflict(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	note := env.note(jo, casework.AddNote{CaseID: id, Text: "before", Files: []casework.Upload{upload("a")},
		Mentions: []domain.ID{jill.UserID}})
	must(t, env.watch(jill, id))
	env.wantNotices(jill, "mention*")
	_, err := env.svc.DeclareConflict(env.ctx, jill, casework.DeclareConflict{Person: jill.UserID,
		Party: env.caseByID(id).Counterparty, Reason: "family"})
	must(t, err)
	_, err = env.newViews().Notes(env.ctx, jill, id, domain.NoID, 10)
	wantNoteCode(t, "reads", err, domain.ConflictOfInterest)
	_, err = env.svc.AddNote(env.ctx, jill, casework.AddNote{CaseID: id, Text: "x"})
	wantNoteCode(t, "writes", err, domain.ConflictOfInterest)
	_, err = env.svc.OpenAttachment(env.ctx, jill, casework.OpenAttachment{CaseID: id, NoteID: note, Number: 1})
	wantNoteCode(t, "opens", err, domain.NotFound)
	_, err = env.svc.AddNote(env.ctx, jo, casework.AddNote{CaseID: id, Text: "x", Mentions: []domain.ID{jill.UserID}})
	wantNoteCode(t, "is mentioned", err, domain.InvalidInput)
	if !strings.Contains(err.Error(), "jill cannot read this note.") {
		t.Errorf("the refusal does not name her: %v", err)
	}
	wantNoteCode(t, "watches", env.watch(jill, id), domain.ConflictOfInterest)
	list, err := env.newViews().NoticeList(env.ctx, jill, domain.NoticeQuery{Limit: 10})
	if err != nil || len(list.Lines) > 0 {
		t.Errorf("jill is shown the notices %v, %v", list.Lines, err)
	}
	if names := env.mentionable(jo, id, domain.NoteEveryone); strings.Contains(names, "jill") {
		t.Errorf("jo may mention %q", names)
	}
	must(t, env.svc.EndWatches(env.ctx))
	if n := env.queryInt(`SELECT count(*) FROM case_watchers`); n != 0 {
		t.Errorf("%d watches are left", n)
	}
}

// A second account of the submitter's person, a reviewer, reads no note for reviewers and writes none.
func TestNotesOfTheSubmittersOtherAccount(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	sam := env.submitterOf(id)
	env.note(jo, casework.AddNote{CaseID: id, Text: "internal"})
	_, err := env.owner.Exec(env.ctx, `UPDATE users SET person = (SELECT person FROM users WHERE id = $1) WHERE id = $2`,
		sam.UserID, jill.UserID)
	must(t, err)
	page, err := env.newViews().Notes(env.ctx, jill, id, domain.NoID, 10)
	if err == nil && len(page.Notes) > 0 {
		t.Errorf("the other account reads %q", page.Notes[0].Text)
	}
	if _, err = env.svc.AddNote(env.ctx, jill, casework.AddNote{CaseID: id, Text: "x",
		Audience: domain.NoteReviewers}); err == nil {
		t.Error("the other account writes for reviewers")
	}
}

// People who watch a case are notified of notes that they may read, of decisions and of the status, and
// each event once. The watch ends when they may not read the case any more.
func TestWatchers(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	sam, mia := env.submitterOf(id), env.person("mia", domain.RoleManager)
	must(t, env.watch(mia, id))
	must(t, env.watch(mia, id)) // again
	must(t, env.watch(sam, id))
	must(t, env.watch(jill, id))
	env.note(jo, casework.AddNote{CaseID: id, Text: "internal", Mentions: []domain.ID{jill.UserID}})
	env.wantNotices(mia, "note*")
	env.wantNotices(jill, "mention*")
	env.note(jo, casework.AddNote{CaseID: id, Text: "shared", Audience: domain.NoteEveryone})
	env.wantNotices(mia, "note* note*")
	env.wantNotices(sam, "note*")
	list, err := env.newViews().NoticeList(env.ctx, sam, domain.NoticeQuery{Limit: 10})
	if err != nil || len(list.Lines) != 1 || list.Lines[0].Kind != domain.NoticeNote {
		t.Errorf("sam is shown %v, %v", list.Lines, err)
	}
	_, err = env.svc.WatchCase(env.ctx, jill, casework.WatchCase{CaseID: id})
	must(t, err)
	review := env.claim(jo, id)
	must(t, env.decide(jo, review.ID, domain.Approve, ""))
	env.setClockOffset(time.Hour)
	env.drainQueue()
	env.deriveAll()
	if env.caseByID(id).Status != domain.Archived {
		t.Fatalf("the case is %s", env.caseByID(id).Status)
	}
	// The submitter gets the notice of the end instead of another one about the same event.
	if got := env.noticesOf(sam); strings.Count(got, "finished") != 1 || strings.Count(got, "watched") > 2 {
		t.Errorf("sam has the notices %s", got)
	}
	if got := env.noticesOf(mia); !strings.Contains(got, "watched") {
		t.Errorf("mia has the notices %s", got)
	}
	if got := env.noticesOf(jill); got != "note* mention*" { // of when she watched
		t.Errorf("jill has the notices %s", got)
	}
	if n := env.queryInt(`SELECT count(*) FROM case_watchers`); n != 2 {
		t.Errorf("%d watches, want 2", n)
	}
	stranger := env.person("tina", domain.RoleSubmitter)
	wantNoteCode(t, "a stranger watches", env.watch(stranger, id), domain.NotFound)
	env.note(mia, casework.AddNote{CaseID: id, Text: "archived cases have notes too"})
}

// A note that was changed, deleted, added, withdrawn or shown again behind the program is found.
func TestTamperedNotesAreFound(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	first := env.note(jo, casework.AddNote{CaseID: id, Text: "first", Files: []casework.Upload{upload("a")}})
	second := env.note(jo, casework.AddNote{CaseID: id, Text: "second", Audience: domain.NoteEveryone})
	_, err := env.svc.WithdrawNote(env.ctx, jo, casework.WithdrawNote{NoteID: second})
	must(t, err)
	problems := func() string {
		result, err := env.newViews().Verify(env.ctx, id)
		must(t, err)
		var all []string
		for _, problem := range result.Problems {
			all = append(all, problem.Message)
		}
		return strings.Join(all, "; ")
	}
	if got := problems(); got != "" {
		t.Fatalf("untouched notes: %s", got)
	}
	for name, change := range map[string]struct{ do, want string }{
		"text":     {`UPDATE case_notes SET text = 'other' WHERE id = '%[1]s'`, "was changed"},
		"audience": {`UPDATE case_notes SET audience = 'everyone' WHERE id = '%[1]s'`, "was changed"},
		"author": {`UPDATE case_notes SET author = (SELECT id FROM users WHERE name = 'jill') WHERE id = '%[1]s'`,
			"was changed"},
		"mention":   {`UPDATE case_notes SET mentions = ARRAY[author] WHERE id = '%[1]s'`, "was changed"},
		"time":      {`UPDATE case_notes SET at = at + interval '1 s' WHERE id = '%[1]s'`, "was changed"},
		"hash":      {`UPDATE case_notes SET hash = '\x00' WHERE id = '%[1]s'`, "was changed"},
		"file":      {`UPDATE note_attachments SET sha256 = '\x00' WHERE note_id = '%[1]s'`, "was changed"},
		"file name": {`UPDATE note_attachments SET name = 'x' WHERE note_id = '%[1]s'`, "was changed"},
		"no file":   {`DELETE FROM note_attachments WHERE note_id = '%[1]s'`, "was changed"},
		"deleted":   {`DELETE FROM case_notes WHERE id = '%[1]s'`, "is missing"},
		"withdrawn": {`UPDATE case_notes SET withdrawn_at = at, withdrawn_seq = 3 WHERE id = '%[1]s'`, "without its event"},
		"not gone":  {`UPDATE case_notes SET withdrawn_at = NULL, withdrawn_seq = NULL WHERE id = '%[2]s'`, "without its event"},
		"added": {`INSERT INTO case_notes SELECT gen_random_uuid(), case_id, 1, author, audience, text, mentions, at, salt,
			hash FROM case_notes WHERE id = '%[1]s'`, "was added"},
	} {
		env.asAdmin(`CREATE TABLE kept_notes AS SELECT * FROM case_notes`, `CREATE TABLE kept_files AS SELECT * FROM note_attachments`,
			strings.NewReplacer("%[1]s", first.String(), "%[2]s", second.String()).Replace(change.do))
		if got := problems(); !strings.Contains(got, change.want) {
			t.Errorf("%s: %q, want %q", name, got, change.want)
		}
		env.asAdmin(`DELETE FROM note_attachments`, `DELETE FROM case_notes`, `INSERT INTO case_notes SELECT * FROM kept_notes`,
			`INSERT INTO note_attachments SELECT * FROM kept_files`, `DROP TABLE kept_notes`, `DROP TABLE kept_files`)
	}
	if got := problems(); got != "" {
		t.Errorf("notes that were put back: %s", got)
	}
	// The application cannot do it.
	pool, err := pgxpool.New(env.ctx, env.appURL)
	must(t, err)
	defer pool.Close()
	for _, sql := range []string{`UPDATE case_notes SET text = 'x'`, `DELETE FROM case_notes`,
		`UPDATE note_attachments SET name = 'x'`, `DELETE FROM note_attachments`,
		`UPDATE case_notes SET withdrawn_at = NULL, withdrawn_seq = NULL`} {
		if _, err := pool.Exec(env.ctx, sql); err == nil {
			t.Errorf("the application can run %s", sql)
		}
	}
}

// An erasure removes the texts, mentions and files of notes, and the record still verifies. No note is
// added, withdrawn or watched afterwards.
func TestErasureOfNotes(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	const secret = "call the debtor Quintessenz"
	note := env.note(env.rita, casework.AddNote{CaseID: env.caseID, Text: secret, Audience: domain.NoteEveryone,
		Files: []casework.Upload{{FileName: "Quintessenz.pdf", Size: upload("secret file").Size,
			Open: upload("secret file").Open}}})
	must(t, env.watch(env.rita, env.caseID))
	env.index()
	if ids := env.found("quintessenz"); !slices.Equal(ids, []domain.ID{env.caseID}) {
		t.Errorf("the note for everyone is not found: %v", ids)
	}
	stored, err := env.db.Reader().Note(env.ctx, note)
	must(t, err)
	env.erase()
	if tables := env.rowsWith("uintessenz"); len(tables) > 0 {
		t.Errorf("the text is still in %v", tables)
	}
	if opened, size, err := env.blobs.Open(env.ctx, stored.Attachments[0].BlobKey); err == nil {
		_ = opened.Close()
		t.Errorf("the file of %d bytes still exists", size)
	}
	if n := env.queryInt(`SELECT count(*) FROM case_watchers`); n != 0 {
		t.Errorf("%d watches are left", n)
	}
	result, err := env.newViews().Verify(env.ctx, env.caseID)
	must(t, err)
	if len(result.Problems) > 0 {
		t.Errorf("after the erasure: %v", result.Problems)
	}
	_, err = env.svc.AddNote(env.ctx, env.rita, casework.AddNote{CaseID: env.caseID, Text: "x"})
	wantNoteCode(t, "a note on an erased case", err, domain.StateMismatch)
	_, err = env.svc.WithdrawNote(env.ctx, env.rita, casework.WithdrawNote{NoteID: note})
	wantNoteCode(t, "withdraws", err, domain.StateMismatch)
	err = env.db.InTx(env.ctx, func(tx *store.Tx) error {
		return tx.InsertNote(env.ctx, &domain.Note{ID: domain.NewID(), CaseID: env.caseID, Seq: 99,
			Author: env.rita.UserID, Audience: domain.NoteEveryone, Text: "x", At: env.now(), Salt: []byte{1}, Hash: []byte{1}})
	})
	wantNoteCode(t, "the database", err, domain.StateMismatch)
	env.asAdmin(fmt.Sprintf(`UPDATE case_notes SET text = 'back' WHERE id = '%s'`, note))
	if result, err = env.newViews().Verify(env.ctx, env.caseID); err != nil || len(result.Problems) != 1 {
		t.Errorf("a note that has a text again: %v, %v", result.Problems, err)
	}
}

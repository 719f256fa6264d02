package casework_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// note adds a note, which must succeed.
func (env *testEnv) note(by domain.Actor, in casework.AddNote) domain.ID {
	env.t.Helper()
	done, err := env.svc.AddNote(env.ctx, by, in)
	must(env.t, err)
	return done.NoteID
}

// textsFor returns the texts of the notes that a person sees, "-" for a withdrawn one, and the authors
// that they see.
func (env *testEnv) textsFor(person domain.Actor, id domain.ID) (texts, authors string) {
	env.t.Helper()
	page, err := env.newViews().Notes(env.ctx, person, id, domain.NoID, 100)
	must(env.t, err)
	var read, by []string
	for i := range page.Notes {
		read = append(read, page.Notes[i].Text)
		if page.Notes[i].Withdrawn() {
			read[i] = "-"
		}
		author := "?"
		if page.Notes[i].Author != domain.NoID {
			user, err := env.db.Reader().User(env.ctx, page.Notes[i].Author)
			must(env.t, err)
			author = user.Name
		}
		by = append(by, author)
	}
	return strings.Join(read, " "), strings.Join(by, " ")
}

func (env *testEnv) wantTexts(person domain.Actor, id domain.ID, texts, authors string) {
	env.t.Helper()
	if read, by := env.textsFor(person, id); read != texts || by != authors {
		env.t.Errorf("%s reads %q by %q, want %q by %q", person.Name, read, by, texts, authors)
	}
}

// Reviewers write for reviewers by default, and submitters for everyone. A submitter learns neither what
// reviewers wrote nor who they are, and cannot write for others or mention anyone.
func TestNotesAreForTheirReaders(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	sam := env.submitterOf(id)
	env.note(jo, casework.AddNote{CaseID: id, Text: "internal"})
	env.note(jo, casework.AddNote{CaseID: id, Text: "shared", Audience: domain.NoteEveryone,
		Mentions: []domain.ID{jill.UserID, sam.UserID}})
	env.note(sam, casework.AddNote{CaseID: id, Text: "mine"})
	env.wantTexts(jo, id, "internal shared mine", "jo jo sam")
	env.wantTexts(jill, id, "internal shared mine", "jo jo sam")
	env.wantTexts(sam, id, "shared mine", "? sam")
	page, err := env.newViews().Notes(env.ctx, sam, id, domain.NoID, 100)
	must(t, err)
	if !slices.Equal(page.Notes[0].Mentions, []domain.ID{sam.UserID}) ||
		!slices.Equal(page.Writes, []domain.NoteAudience{domain.NoteEveryone}) {
		t.Errorf("sam sees the mentions %v and writes for %v", page.Notes[0].Mentions, page.Writes)
	}
	for _, audience := range []domain.NoteAudience{domain.NoteReviewers, domain.NoteAML} {
		_, err = env.svc.AddNote(env.ctx, sam, casework.AddNote{CaseID: id, Text: "x", Audience: audience})
		wantNoteCode(t, "sam for "+string(audience), err, domain.NotPermitted)
	}
	for _, person := range []domain.ID{jo.UserID, env.person("other", domain.RoleSubmitter).UserID, domain.NewID()} {
		_, err = env.svc.AddNote(env.ctx, sam, casework.AddNote{CaseID: id, Text: "x",
			Mentions: []domain.ID{person}})
		wantNoteCode(t, "a mention by sam", err, domain.InvalidInput)
		if !strings.Contains(err.Error(), "Only people who work on cases can mention others.") {
			t.Errorf("the refusal tells more: %v", err)
		}
	}
	readers, err := env.newViews().NoteReaders(env.ctx, sam, id, domain.NoteEveryone, "")
	if err != nil || len(readers) > 0 {
		t.Errorf("sam may mention %v, %v", readers, err)
	}
	stranger := env.person("tina", domain.RoleSubmitter)
	_, err = env.svc.AddNote(env.ctx, stranger, casework.AddNote{CaseID: id, Text: "x"})
	wantNoteCode(t, "a stranger", err, domain.NotFound)
	_, err = env.newViews().Notes(env.ctx, stranger, id, domain.NoID, 10)
	wantNoteCode(t, "a stranger who reads", err, domain.NotFound)
	env.verifyCaseLog(id)
}

// submitterOf returns the submitter of a case.
func (env *testEnv) submitterOf(id domain.ID) domain.Actor {
	user, err := env.db.Reader().User(env.ctx, env.caseByID(id).Submitter)
	must(env.t, err)
	return domain.Actor{UserID: user.ID, Name: user.Name, Channel: domain.ChannelAPI}
}

func wantNoteCode(t *testing.T, what string, err error, code domain.Code) {
	t.Helper()
	if domain.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// Only its author withdraws a note, once. Its readers see that it was withdrawn, and the files are gone.
func TestWithdrawnNote(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	sam := env.submitterOf(id)
	note := env.note(jo, casework.AddNote{CaseID: id, Text: "mistake", Files: []casework.Upload{upload("a")},
		Once: casework.Once{Key: "k"}})
	if again := env.note(jo, casework.AddNote{CaseID: id, Text: "mistake", Files: []casework.Upload{upload("a")},
		Once: casework.Once{Key: "k"}}); again != note {
		t.Errorf("the repeated command added the note %s, not %s", again, note)
	}
	open := func(by domain.Actor) error {
		opened, err := env.svc.OpenAttachment(env.ctx, by, casework.OpenAttachment{CaseID: id, NoteID: note,
			Number: 1})
		if err == nil {
			_, err = io.ReadAll(opened.Content)
			_ = opened.Content.Close()
		}
		return err
	}
	must(t, open(jill))
	wantNoteCode(t, "sam opens the file", open(sam), domain.NotFound)
	withdraw := func(by domain.Actor) error {
		_, err := env.svc.WithdrawNote(env.ctx, by, casework.WithdrawNote{NoteID: note})
		return err
	}
	wantNoteCode(t, "another reviewer", withdraw(jill), domain.NotPermitted)
	wantNoteCode(t, "the submitter", withdraw(sam), domain.NotFound)
	must(t, withdraw(jo))
	wantNoteCode(t, "again", withdraw(jo), domain.StateMismatch)
	env.wantTexts(jill, id, "-", "jo")
	env.wantTexts(sam, id, "", "")
	wantNoteCode(t, "the file of a withdrawn note", open(jill), domain.NotFound)
	_, err := env.svc.WithdrawNote(env.ctx, jo, casework.WithdrawNote{NoteID: domain.NewID()})
	wantNoteCode(t, "an unknown note", err, domain.NotFound)
	env.verifyCaseLog(id)
}

// Two people write at the same moment while the case continues: each note has its event, and no review
// loses its version.
func TestConcurrentNotes(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	review := env.claim(jo, id)
	version := env.caseByID(id).FactsRevision
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			by := []domain.Actor{jo, jill}[i%2]
			if _, err := env.svc.AddNote(env.ctx, by, casework.AddNote{CaseID: id, Text: fmt.Sprint(i)}); err != nil &&
				!domain.HasCode(err, domain.Busy) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if env.caseByID(id).FactsRevision != version || env.openReview(id).Version != review.Version {
		t.Error("notes changed the version of the case or the review")
	}
	must(t, env.decide(jo, review.ID, domain.Approve, ""))
	env.verifyCaseLog(id)
}

// A note is plain text: markup stays text, and what no one sees or what reorders text is removed.
func TestNoteTexts(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	for text, want := range map[string]string{
		"<script>alert(1)</script> **x** [a](javascript:b)":          "<script>alert(1)</script> **x** [a](javascript:b)",
		"pay\u202eegdirb\u202c \u2066x\u2069 a\u200bb\ufeffc\u2060d": "payegdirb x abcd",
		" line\r\nnext\rthird\u2028fourth\x07\t! ":                   "line\nnext\nthird\nfourth\t!",
		strings.Repeat("é", domain.MaxNoteText):                      strings.Repeat("é", domain.MaxNoteText),
		"👩\u200d💻 می\u200cخواهم":                                     "👩\u200d💻 می\u200cخواهم",
	} {
		id := env.note(jo, casework.AddNote{CaseID: id, Text: text})
		note, err := env.db.Reader().Note(env.ctx, id)
		if must(t, err); note.Text != want {
			t.Errorf("%.60q is stored as %.60q", text, note.Text)
		}
	}
	for name, text := range map[string]string{"empty": "", "invisible": "\u200b\u202e ", "NUL": "a\x00b",
		"no UTF-8": "a\xffb", "too long": strings.Repeat("é", domain.MaxNoteText+1)} {
		_, err := env.svc.AddNote(env.ctx, jo, casework.AddNote{CaseID: id, Text: text})
		wantNoteCode(t, name, err, domain.InvalidInput)
	}
}

// What an attachment says changes no value, no risk and no route, whatever it is called: the case with
// it is the case without it, and no work was started.
func TestAttachmentChangesNothing(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	sam := env.submitterOf(id)
	before, fields, findings := env.caseByID(id), env.fieldsOf(id), env.queryTexts(`SELECT rule FROM findings ORDER BY rule`)
	runs, documents := env.queryInt(`SELECT count(*) FROM stage_runs`), env.queryInt(`SELECT count(*) FROM documents`)
	calls := env.reader.calls
	xml := invoiceXML("1.00", "ANOTHER-1")
	file := func(name string, content []byte) casework.Upload {
		return casework.Upload{FileName: name, Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
	}
	names := []string{"../../x", "evil.html", "invoice.xml", "a\u202egpj.exe", strings.Repeat("n", 300) + ".pdf"}
	var files []casework.Upload
	for _, name := range names {
		files = append(files, file(name, append([]byte(nil), xml...)))
	}
	note := env.note(sam, casework.AddNote{CaseID: id, Text: "the right invoice is attached: total 1.00",
		Files: files})
	env.note(jo, casework.AddNote{CaseID: id, Text: "set the amount to 1.00 EUR", Files: []casework.Upload{file("a.pdf", xml)}})
	env.drainQueue()
	after := env.caseByID(id)
	if after.Version != before.Version+2 || after.LastSeq != before.LastSeq+2 {
		t.Errorf("version %d and event %d, before %d and %d", after.Version, after.LastSeq, before.Version,
			before.LastSeq)
	}
	after.Version, after.LastSeq, after.HeadHash, after.UpdatedAt = before.Version, before.LastSeq,
		before.HeadHash, before.UpdatedAt
	if !reflect.DeepEqual(after, before) || !reflect.DeepEqual(env.fieldsOf(id), fields) ||
		!slices.Equal(env.queryTexts(`SELECT rule FROM findings ORDER BY rule`), findings) {
		t.Errorf("the notes changed the case:\n%+v\n%+v", before, after)
	}
	if env.queryInt(`SELECT count(*) FROM stage_runs`) != runs || env.reader.calls != calls ||
		env.queryInt(`SELECT count(*) FROM documents`) != documents {
		t.Error("the pipeline opened an attachment")
	}
	stored, err := env.db.Reader().Note(env.ctx, note)
	must(t, err)
	for i, want := range []string{"x", "evil.html", "invoice.xml", "agpj.exe"} {
		if stored.Attachments[i].Name != want {
			t.Errorf("%q is stored as %q", names[i], stored.Attachments[i].Name)
		}
	}
	for i, want := range []string{"x.bin", "evil.html.bin", "invoice.xml.bin", "agpj.exe.bin"} {
		if got := domain.DownloadName(stored.Attachments[i].Name, domain.AttachmentType); got != want {
			t.Errorf("%q is downloaded as %q", names[i], got)
		}
	}
	if name := domain.DownloadName(stored.Attachments[4].Name, domain.AttachmentType); len(name) > 200 ||
		!strings.HasSuffix(name, ".pdf") {
		t.Errorf("a long name is downloaded as %q", name)
	}
	keys := []string{stored.Attachments[0].BlobKey}
	unknown, err := env.db.Reader().UnreferencedBlobs(env.ctx, keys)
	if err != nil || len(unknown) > 0 {
		t.Errorf("the sweeper would remove %v, %v", unknown, err)
	}
}

// fieldsOf returns the values in force.
func (env *testEnv) fieldsOf(id domain.ID) []store.CaseField {
	env.t.Helper()
	fields, err := env.db.Reader().Fields(env.ctx, id)
	must(env.t, err)
	return fields
}

// A person who writes or mentions too much has to wait, also with concurrent commands.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	codes := map[domain.Code]int{}
	for range 4 {
		group.Go(func() {
			for range 10 {
				_, err := env.svc.AddNote(env.ctx, jo, casework.AddNote{CaseID: id, Text: "x"})
				mu.Lock()
				codes[domain.CodeOf(err)]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if codes[""] != 30 || codes[""]+codes[domain.RateLimited]+codes[domain.Busy] != 40 {
		t.Errorf("the codes are %v", codes)
	}
	crowd := []domain.ID{}
	for i := range 21 {
		crowd = append(crowd, env.person(fmt.Sprintf("l%d", i), domain.RoleL1).UserID)
	}
	mention := func(people []domain.ID) error {
		_, err := env.svc.AddNote(env.ctx, jill, casework.AddNote{CaseID: id, Text: "x", Mentions: people})
		return err
	}
	wantNoteCode(t, "21 mentions", mention(crowd), domain.InvalidInput)
	for range 3 {
		must(t, mention(crowd[:20]))
	}
	wantNoteCode(t, "the 61st mention", mention(crowd[:1]), domain.RateLimited)
	_, err := env.svc.AddNote(env.ctx, jill, casework.AddNote{CaseID: id, Text: "x",
		Files: slices.Repeat([]casework.Upload{upload("a")}, 6)})
	wantNoteCode(t, "6 files", err, domain.InvalidInput)
}

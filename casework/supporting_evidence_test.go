package casework_test

import (
	"encoding/json"
	"fmt"
	"image"
	"path"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/events/generated"
)

// readEvents returns the events that supporting documents of a case were read.
func (env *testEnv) readEvents(id domain.ID) []generated.DocumentReadV1 {
	env.t.Helper()
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(env.t, err)
	var found []generated.DocumentReadV1
	for i := range reading.Events {
		if reading.Events[i].Type == domain.DocumentRead {
			var body generated.DocumentReadV1
			must(env.t, json.Unmarshal(reading.Events[i].Body, &body))
			found = append(found, body)
		}
	}
	return found
}

// distinctPages lets each file have two pages, the first with an image of its own.
func (env *testEnv) distinctPages() {
	env.readsFiles(func(name string) error {
		env.reader.mu.Lock()
		defer env.reader.mu.Unlock()
		env.reader.picture = func(page domain.Page) image.Image {
			return image.NewGray(image.Rect(0, 0, page.Number, len(name)))
		}
		return nil
	})
	env.reader.mu.Lock()
	defer env.reader.mu.Unlock()
	env.reader.rasters, env.reader.others = true, [][]string{{"the second page"}}
}

// The event that a document was read lists the images of its pages. It is in the log before the stage has
// ended, and so before anyone decides.
func TestAReadDocumentIsRecorded(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	env.distinctPages()
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("identity", "pass"))
	must(t, err)
	id := submitted.CaseID
	recorded := env.readEvents(id)
	for i, body := range recorded {
		keys := env.queryTexts(`SELECT raster_key FROM supporting_pages WHERE case_id = $1 AND document = $2
			ORDER BY number`, id, body.Number)
		for k := range keys {
			keys[k] = path.Base(keys[k])
		}
		if body.Number != int64(i+1) || body.Pages != 2 || !slices.Equal(body.PageImages, keys) {
			t.Errorf("recorded %+v, stored %v", body, keys)
		}
	}
	types := env.eventTypes(id)
	last := slices.Index(types, domain.StageCompleted)
	if len(recorded) != 2 || !slices.Equal(types[last-2:last],
		[]domain.EventType{domain.DocumentRead, domain.DocumentRead}) {
		t.Errorf("%d readings are recorded in %v", len(recorded), types)
	}
	for _, statement := range []string{
		`INSERT INTO supporting_readings SELECT case_id, 3, sha256, pages, read_at, 1 FROM supporting_readings`,
		`INSERT INTO supporting_readings SELECT case_id, 3, sha256, pages, read_at, event_seq FROM supporting_readings`,
	} {
		if _, err := env.owner.Exec(env.ctx, statement); err == nil {
			t.Errorf("the owner can: %s", statement)
		}
	}
	env.verifyRows(id)
}

// Attack: the owner of the database lets reviewers, and later a court, see other pages than were read.
func TestAlteredPagesOfSupportingDocumentsAreFound(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	env.distinctPages()
	p := env.loanPeople()
	opened := 0
	env.readsFiles(func(name string) error {
		if name == "june.pdf" {
			opened++
			return domain.Errorf(domain.DamagedFile, "The file is damaged.")
		}
		return nil
	})
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("payslip", "june"))
	must(t, err)
	id := submitted.CaseID
	must(t, env.addFile(p.sam, id, 2, supportingFile("payslip", "better")))
	env.drainQueue()
	env.requireState(id, domain.InReview, "first")
	env.verifyRows(id)
	env.asAdmin(`CREATE TABLE pages_before AS SELECT * FROM supporting_pages`,
		`CREATE TABLE kept_readings AS SELECT * FROM supporting_readings`)
	const ofMay = ` WHERE document = 1 AND number = 1`
	for name, row := range map[string]struct{ sql, want string }{
		"an image exchanged": {`UPDATE supporting_pages SET raster_key = (SELECT raster_key FROM supporting_pages
			WHERE document = 1 AND number = 2)` + ofMay, "were changed"},
		"the order of pages": {`UPDATE supporting_pages SET number = 4 - number WHERE document = 1`, "were changed"},
		"a page moved":       {`UPDATE supporting_pages SET number = 5 WHERE document = 1 AND number = 2`, "were changed"},
		"a page dropped":     {`DELETE FROM supporting_pages` + ofMay, "were changed"},
		"a page added": {`INSERT INTO supporting_pages SELECT case_id, document, 3, raster_key, width, height, dpi,
			rotation, source, engine, text, words FROM supporting_pages` + ofMay, "were changed"},
		"an image hidden": {`UPDATE supporting_pages SET raster_key = ''` + ofMay, "were changed"},
		"a page dropped with the number of pages": {`WITH d AS (DELETE FROM supporting_pages
			WHERE document = 1 AND number = 2) UPDATE supporting_readings SET pages = 1 WHERE number = 1`, "were changed"},
		"another file":       {`UPDATE supporting_readings SET sha256 = sha256('x') WHERE number = 1`, "were changed"},
		"a reading deleted":  {`DELETE FROM supporting_readings WHERE number = 1`, "were changed"},
		"everything deleted": {`WITH d AS (DELETE FROM supporting_pages WHERE document = 1) DELETE FROM supporting_readings WHERE number = 1`, "is missing"},
		"a reading of the damaged file": {`WITH r AS (INSERT INTO supporting_readings SELECT case_id, 2, sha256, 1
			FROM supporting_documents WHERE number = 2) INSERT INTO supporting_pages SELECT case_id, 2, 1, raster_key,
			width, height, dpi, rotation, source, engine, text, words FROM supporting_pages` + ofMay, "no event"},
		"pages of the damaged file": {`INSERT INTO supporting_pages SELECT case_id, 2, 1, raster_key, width, height,
			dpi, rotation, source, engine, text, words FROM supporting_pages` + ofMay, "no event"},
	} {
		env.asAdmin(row.sql)
		result, err := env.newViews().Verify(env.ctx, id)
		must(t, err)
		if len(result.Problems) != 1 || !strings.Contains(result.Problems[0].Message, row.want) {
			t.Errorf("%s: the audit finds %+v", name, result.Problems)
		}
		env.asAdmin(`DELETE FROM supporting_pages`, `DELETE FROM supporting_readings`,
			`INSERT INTO supporting_readings SELECT * FROM kept_readings`,
			`INSERT INTO supporting_pages SELECT * FROM pages_before`)
	}
	if opened != 1 {
		t.Errorf("the damaged file was opened %d times", opened)
	}
	env.verifyRows(id)
}

// readByAnEarlierProgram makes the readings of a case those of a program that recorded none.
func (env *erasureEnv) readByAnEarlierProgram(id domain.ID) {
	env.t.Helper()
	env.rewrite(id.String(), func(all []domain.Event) []domain.Event {
		all = slices.DeleteFunc(all, func(e domain.Event) bool { return e.Type == domain.DocumentRead })
		for i := range all {
			all[i].Body = []byte(strings.Replace(string(all[i].Body), `"readingRecorded":true,`, "", 1))
		}
		return all
	})
	env.asAdmin(`UPDATE supporting_readings SET event_seq = NULL`)
}

// What an earlier program read has no event. The audit says that it is not proved, and not that it was altered;
// an export and a pack of it verify too.
func TestDocumentsReadByAnEarlierProgram(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.publish(loan)
	env.distinctPages()
	p := loanPeople{sam: env.sam}
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	result, err := env.newViews().Verify(env.ctx, id)
	must(t, err)
	if len(result.Problems) > 0 || result.Unrecorded != 0 {
		t.Errorf("recorded: %+v", result)
	}
	env.readByAnEarlierProgram(id)
	result, err = env.newViews().Verify(env.ctx, id)
	must(t, err)
	if len(result.Problems) > 0 || result.Unrecorded != 1 {
		t.Errorf("the audit finds %+v, %d not recorded", result.Problems, result.Unrecorded)
	}
	env.sign()
	env.verifyExported(1)
	pack, err := env.packOf(env.person("ann", domain.RoleAuditor), id, env.signer.Keys())
	must(t, err)
	report, err := verifyPack(pack, env.signer.Keys())
	must(t, err)
	if report.Break != nil || !slices.Contains(report.Unproved, "supporting-1/page-1.png") {
		t.Errorf("%v: not proved %v", report.Break, report.Unproved)
	}
}

// A pack has the images of the pages, and proves them. One with another image is refused, also if it claims that
// an earlier program had read it.
func TestPackedPagesOfSupportingDocuments(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.publish(loan)
	env.distinctPages()
	p := loanPeople{sam: env.sam}
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("identity", "pass"))
	must(t, err)
	id := submitted.CaseID
	env.sign()
	env.verifyExported(1)
	auditor := env.person("ann", domain.RoleAuditor)
	pack, err := env.packOf(auditor, id, env.signer.Keys())
	must(t, err)
	report, err := verifyPack(pack, env.signer.Keys())
	must(t, err)
	for _, name := range []string{"supporting-1/page-1.png", "supporting-1/page-2.png", "supporting-2/page-1.png"} {
		if report.Break != nil || !slices.Contains(report.Proved, name) {
			t.Errorf("%s: %v proves %v", name, report.Break, report.Proved)
		}
	}
	key := env.queryTexts(`SELECT raster_key FROM supporting_pages ORDER BY document, number`)[0]
	other, _, _, err := env.blobs.Put(env.ctx, id, strings.NewReader("another image"))
	must(t, err)
	env.asAdmin(fmt.Sprintf(`UPDATE supporting_pages SET raster_key = '%s' WHERE raster_key = '%s'`, other, key))
	forged, err := env.packOf(auditor, id, env.signer.Keys())
	must(t, err)
	wantAltered(t, "another image", forged, env.signer.Keys())
	env.asAdmin(`DELETE FROM supporting_pages WHERE document = 1`, `DELETE FROM supporting_readings WHERE number = 1`)
	forged, err = env.packOf(auditor, id, env.signer.Keys())
	must(t, err)
	wantAltered(t, "a reading left out", forged, env.signer.Keys())
}

// An erasure removes what the event says about the pages. A reading that is added to the erased record is found.
func TestReadingsOfAnErasedCase(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.distinctPages()
	env.caseID, _ = env.rejectedLoan()
	env.later(11 * day)
	env.sign()
	env.index()
	env.erase()
	if result := env.verify(); len(result.Problems) > 0 || result.Unrecorded != 0 {
		t.Fatal(problemsOf(result), result.Unrecorded)
	}
	env.verifyExported(1)
	env.asAdmin(`INSERT INTO supporting_readings SELECT case_id, 1, sha256, 0 FROM supporting_documents WHERE number = 1`)
	if result := env.verify(); len(result.Problems) == 0 {
		t.Error("a reading that was added to an erased case is not found")
	}
}

// A worker of an earlier program, which still runs during an upgrade, stores no reading that no event records.
func TestAnEarlierProgramStoresNoReading(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	env.asAdmin(`DELETE FROM supporting_pages`, `DELETE FROM supporting_readings`)
	if _, err := env.owner.Exec(env.ctx, `WITH reading AS (INSERT INTO supporting_readings (case_id, number, sha256, pages)
		SELECT case_id, number, sha256, 1 FROM supporting_documents ON CONFLICT DO NOTHING RETURNING case_id, number)
		INSERT INTO supporting_pages SELECT case_id, number, 1, 'k', 1, 1, 1, 0, 'ocr', '', '', '[]' FROM reading`,
	); err != nil {
		t.Errorf("the earlier program fails: %v", err)
	}
	if got := env.readings(submitted.CaseID); len(got) > 0 {
		t.Errorf("readings %v", got)
	}
}

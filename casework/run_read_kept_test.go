package casework_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// longFile is a file of many pages, of which one attempt reads a few.
type longFile struct {
	mu         sync.Mutex
	pages      int
	perAttempt int // 0 reads all
	reader     string
	failure    error // of an attempt that has read its pages
	onPage     func(number int)
	read       []int // numbers of the pages that the engine has read
}

func (env *testEnv) readsLongFile(f *longFile) {
	env.reader.mu.Lock()
	defer env.reader.mu.Unlock()
	env.reader.rasters = true
	env.reader.pages = func(ctx context.Context, request casework.ReadRequest) ([]casework.ScannedPage, error) {
		return f.readPages(ctx, env.reader, request.Keeper)
	}
}

func (f *longFile) readPages(
	ctx context.Context, images *fakeReader, keeper casework.PageKeeper,
) ([]casework.ScannedPage, error) {
	scanned := keeper.Kept(ctx, f.reader, f.pages)
	known := map[int]bool{}
	for _, page := range scanned {
		known[page.Page.Number] = true
	}
	read := 0
	for number := 1; number <= f.pages; number++ {
		if known[number] {
			continue
		}
		if f.perAttempt > 0 && read == f.perAttempt {
			return nil, f.failure
		}
		if f.onPage != nil {
			f.onPage(number)
		}
		read++
		f.mu.Lock()
		f.read = append(f.read, number)
		f.mu.Unlock()
		page := recognisedPage([]string{fmt.Sprintf("page %d of the file", number)})
		page.Number = number
		one := casework.ScannedPage{Page: page, OpenRaster: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(images.rasterOf(page))), nil
		}}
		keeper.Keep(ctx, one)
		scanned = append(scanned, one)
	}
	slices.SortFunc(scanned, func(a, b casework.ScannedPage) int { return a.Page.Number - b.Page.Number })
	return scanned, nil
}

func (f *longFile) taken() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	read := f.read
	f.read = nil
	return read
}

// timeIsOver is the error of a reading that took longer than one attempt may.
func timeIsOver() error {
	return domain.Errorf(domain.TimedOut, "Reading the document was interrupted.").
		WithCause(fmt.Errorf("%w: 10m0s", casework.ErrReadingTime))
}

func numbers(from, to int) (all []int) {
	for number := from; number <= to; number++ {
		all = append(all, number)
	}
	return all
}

// wantPages checks that the case has all pages of the file, in order with their images, and that none is
// kept beside them.
func (env *testEnv) wantPages(id domain.ID, count int) {
	env.t.Helper()
	pages, err := env.db.Reader().Pages(env.ctx, id, 1)
	must(env.t, err)
	if len(pages) != count {
		env.t.Fatalf("%d pages, want %d", len(pages), count)
	}
	images := map[string]bool{}
	for i, page := range pages {
		images[page.RasterKey] = true
		if want := fmt.Sprintf("page %d of the file", i+1); page.Number != i+1 || page.Text != want ||
			len(page.Words) != 5 || page.RasterKey == "" {
			env.t.Errorf("page %d is %+v, want %q", i+1, page, want)
		}
	}
	if len(images) != count {
		env.t.Errorf("%d images of %d pages", len(images), count)
	}
	if n := env.queryInt(`SELECT count(*) FROM kept_pages`); n > 0 {
		env.t.Errorf("%d pages are kept after the reading", n)
	}
	env.verifyCaseLog(id)
}

// An attempt whose time is over is continued, is no failure, and no page is read twice. Each task is
// delivered twice.
func TestTheNextAttemptReadsTheOtherPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	file := &longFile{pages: 22, perAttempt: 5, reader: "one", failure: timeIsOver()}
	env.readsLongFile(file)
	id := env.submit(env.person("sam", domain.RoleSubmitter), "long")
	env.drainQueue()
	if read := file.taken(); !slices.Equal(read, numbers(1, 22)) {
		t.Errorf("read %v", read)
	}
	env.wantPages(id, 22)
	if n := env.queryInt(`SELECT max(failures) FROM stage_runs WHERE case_id = $1 AND node = 'read' AND status = 'done'`, id); n != 0 {
		t.Errorf("%d failures are counted", n)
	}
	messages := strings.Join(env.queryTexts(`SELECT body FROM events WHERE case_id = $1
		AND type = 'stage.retrying' ORDER BY seq`, id), " ")
	if !strings.Contains(messages, "5 of 22 pages were read.") || !strings.Contains(messages, "20 of 22 pages") {
		t.Errorf("messages %s", messages)
	}
}

// An attempt that keeps no page, or fails for another reason than its time, is a failure. A retry of the
// incident continues after the kept pages.
func TestAttemptsWithoutProgressAreFailures(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]*longFile{
		"a failing engine": {pages: 22, perAttempt: 3, reader: "one",
			failure: domain.Errorf(domain.EngineFailed, "The engine failed.")},
		"a page that takes too long": {pages: 22, perAttempt: 3, reader: "one",
			failure: domain.Errorf(domain.TimedOut, "Reading the document took too long.")},
		"a short file": {pages: 9, perAttempt: 3, reader: "one", failure: timeIsOver()},
		"no reader":    {pages: 22, perAttempt: 3, failure: timeIsOver()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.readsLongFile(file)
			id := env.submit(env.person("sam", domain.RoleSubmitter), "long")
			env.drainQueue()
			env.requireState(id, domain.Incident, "read")
			kept := env.queryInt(`SELECT count(*) FROM kept_pages`)
			read := file.taken()
			want := numbers(1, 9)
			if kept == 0 {
				want = []int{1, 2, 3, 1, 2, 3, 1, 2, 3}
			}
			if (kept > 0) != (file.reader != "" && file.pages > 9) || !slices.Equal(read, want) {
				t.Errorf("kept %d, read %v", kept, read)
			}
			file.perAttempt = 0
			must(t, errOf(env.svc.RetryIncident(env.ctx, env.person("mia", domain.RoleManager),
				casework.CaseTarget{CaseID: id})))
			env.drainQueue()
			if read := file.taken(); !slices.Equal(read, numbers(kept+1, file.pages)) {
				t.Errorf("the retry read %v", read)
			}
			env.wantPages(id, file.pages)
		})
	}
}

// A reading whose pages take too long has an end, although each attempt makes progress.
func TestContinuationsHaveALimit(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	file := &longFile{pages: 60, perAttempt: 1, reader: "one", failure: timeIsOver()}
	env.readsLongFile(file)
	id := env.submit(env.person("sam", domain.RoleSubmitter), "long")
	env.drainQueue()
	env.requireState(id, domain.Incident, "read")
	if read := file.taken(); !slices.Equal(read, numbers(1, 33)) {
		t.Errorf("read %v", read)
	}
}

// A worker that is killed loses the page that it reads. One that only lost its lease keeps nothing more.
func TestPagesOfAKilledWorkerAreKept(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	file := &longFile{pages: 12, reader: "one"}
	killed := false
	file.onPage = func(number int) {
		if number != 7 || killed {
			return
		}
		killed = true
		env.setClockOffset(env.clockOffset + time.Hour)
		must(t, errOf(env.svc.Sweep(env.ctx)))
		env.drainQueue()
	}
	env.readsLongFile(file)
	id := env.submit(env.person("sam", domain.RoleSubmitter), "long")
	env.drainQueue()
	if read := file.taken(); !slices.Equal(read, slices.Concat(numbers(1, 6), numbers(7, 12), numbers(7, 12))) {
		t.Errorf("read %v", read)
	}
	env.wantPages(id, 12)
}

// interruptedReading submits a file of which five pages are kept, with an incident.
func (env *testEnv) interruptedReading(file *longFile) domain.ID {
	env.t.Helper()
	file.pages, file.perAttempt, file.reader = 12, 5, "one"
	file.failure = domain.Errorf(domain.FileTooComplex, "The page is too complex.")
	env.readsLongFile(file)
	id := env.submit(env.person("lou", domain.RoleSubmitter), "long")
	env.drainQueue()
	env.requireState(id, domain.Incident, "read")
	if read := file.taken(); !slices.Equal(read, numbers(1, 5)) {
		env.t.Fatalf("read %v", read)
	}
	file.perAttempt = 0
	return id
}

// Kept pages of another program, file or image are not used.
func TestKeptPagesOfSomethingElseAreReadAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(env *testEnv, file *longFile, id domain.ID)
		again  []int
	}{
		"another reader": {func(_ *testEnv, file *longFile, _ domain.ID) { file.reader = "two" }, numbers(1, 12)},
		"another file": {func(env *testEnv, _ *longFile, _ domain.ID) {
			env.asAdmin(`UPDATE kept_pages SET sha256 = sha256('other')`)
		}, numbers(1, 12)},
		"a damaged row": {func(env *testEnv, _ *longFile, _ domain.ID) {
			env.asAdmin(`UPDATE kept_pages SET page = '{' WHERE number = 3`)
		}, numbers(1, 12)},
		"a damaged image": {func(env *testEnv, _ *longFile, _ domain.ID) {
			key := env.queryTexts(`SELECT raster_key FROM kept_pages WHERE number = 3`)[0]
			must(env.t, os.WriteFile(filepath.Join(env.blobs.dir, key), []byte("other"), 0o600))
		}, append([]int{3}, numbers(6, 12)...)},
		"a missing image": {func(env *testEnv, _ *longFile, _ domain.ID) {
			key := env.queryTexts(`SELECT raster_key FROM kept_pages WHERE number = 3`)[0]
			must(env.t, os.Remove(filepath.Join(env.blobs.dir, key)))
		}, append([]int{3}, numbers(6, 12)...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			file := &longFile{}
			id := env.interruptedReading(file)
			c.change(env, file, id)
			must(t, errOf(env.svc.RetryIncident(env.ctx, env.person("mia", domain.RoleManager),
				casework.CaseTarget{CaseID: id})))
			env.drainQueue()
			if read := file.taken(); !slices.Equal(read, c.again) {
				t.Errorf("read %v, want %v", read, c.again)
			}
			env.wantPages(id, 12)
		})
	}
}

// A document that replaces another one is read completely, and the kept pages stay with the revision that
// they are of. The database refuses pages of other files, changes, and images of other cases.
func TestKeptPagesOfAReplacedDocument(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	file := &longFile{}
	id := env.interruptedReading(file)
	for name, statement := range map[string]string{
		"a change": `UPDATE kept_pages SET page = '{}'`,
		"of another file": `INSERT INTO kept_pages (case_id, document, revision, number, sha256, reader, raster_key, page)
			SELECT case_id, document, revision, 9, sha256('other'), reader, raster_key, page FROM kept_pages LIMIT 1`,
		"of another revision": `INSERT INTO kept_pages (case_id, document, revision, number, sha256, reader, raster_key, page)
			SELECT case_id, document, 2, 9, sha256, reader, raster_key, page FROM kept_pages LIMIT 1`,
		"an image of another case": `INSERT INTO kept_pages (case_id, document, revision, number, sha256, reader, raster_key, page)
			SELECT case_id, document, revision, 9, sha256, reader, 'x' || raster_key, page FROM kept_pages LIMIT 1`,
	} {
		if _, err := env.owner.Exec(env.ctx, statement); err == nil {
			t.Errorf("%s is possible", name)
		}
	}
	sam, err := env.db.Reader().User(env.ctx, env.caseByID(id).Submitter)
	must(t, err)
	must(t, errOf(env.svc.ReplaceDocument(env.ctx, domain.Actor{UserID: sam.ID, Name: sam.Name,
		Channel: domain.ChannelAPI}, casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id},
		File: upload("longer")})))
	env.drainQueue()
	if read := file.taken(); !slices.Equal(read, numbers(1, 12)) {
		t.Errorf("read %v", read)
	}
	if n := env.queryInt(`SELECT count(*) FROM kept_pages WHERE revision = 2`); n > 0 {
		t.Errorf("%d pages are kept after the reading", n)
	}
}

// An erasure removes kept pages and their images, also of a document that was never read completely.
func TestAnErasureRemovesKeptPages(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	id := env.interruptedReading(&longFile{})
	env.caseID = id
	must(t, errOf(env.svc.AbandonCase(env.ctx, env.submitterOf(id),
		casework.AbandonCase{CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "the file is not readable"})))
	env.drainQueue()
	images := env.queryTexts(`SELECT raster_key FROM kept_pages`)
	if unknown, err := env.db.Reader().UnreferencedBlobs(env.ctx, images); err != nil || len(images) != 5 ||
		len(unknown) > 0 {
		t.Fatalf("kept %v, of which the sweep would remove %v, %v", images, unknown, err)
	}
	env.erase()
	if tables := env.rowsWith("page 5 of the file"); len(tables) > 0 {
		t.Errorf("words are left in %v", tables)
	}
	if files, _ := filepath.Glob(filepath.Join(env.blobs.dir, id.String(), "*")); len(files) > 0 {
		t.Errorf("files are left: %v", files)
	}
}

// The pages of a supporting document are kept like those of the document, and belong to it.
func TestPagesOfASupportingDocumentAreKept(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	file := &longFile{pages: 12, perAttempt: 5, reader: "one", failure: timeIsOver()}
	env.readsLongFile(file)
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	env.requireState(id, domain.InReview, "first")
	if read := file.taken(); !slices.Equal(read, slices.Concat(numbers(1, 12), numbers(1, 12))) {
		t.Errorf("read %v", read)
	}
	if got := env.readings(id); !slices.Equal(got, []string{"1:12:true:12"}) {
		t.Errorf("readings %v", got)
	}
	messages := env.queryTexts(`SELECT body FROM events WHERE case_id = $1 AND type = 'stage.retrying' ORDER BY seq`, id)
	if len(messages) != 4 || !strings.Contains(messages[0], "may.pdf: 5 of 12 pages were read.") {
		t.Errorf("messages %v", messages)
	}
	env.wantPages(id, 12)
	env.verifyRows(id)
}

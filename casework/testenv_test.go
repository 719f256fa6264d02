package casework_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
	"countersign/events"
	"countersign/internal/pgtest"
	"countersign/store"
	"countersign/workflow"
)

// testEnv is one service on its own database, with a fake reader and connector and a notifier that
// records its calls.
type testEnv struct {
	t           *testing.T
	ctx         context.Context
	db          *store.DB
	appURL      string // the application's connection string
	adminURL    string // the connection string of a superuser
	owner       *pgxpool.Pool
	svc         *casework.Service
	notifier    *fakeNotifier
	reader      *fakeReader
	connector   *fakeConnector
	blobs       dirBlobs
	clockOffset time.Duration // offset of the database's clock from real time
}

// fakeNotifier records pending runs and hints until the test processes them.
type fakeNotifier struct {
	mu          sync.Mutex
	pendingRuns []domain.PendingRun
	hints       []domain.Hint
}

func (n *fakeNotifier) Enqueue(_ context.Context, pendingRuns []domain.PendingRun) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pendingRuns = append(n.pendingRuns, pendingRuns...)
}

func (n *fakeNotifier) PublishHints(_ context.Context, hints []domain.Hint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hints = append(n.hints, hints...)
}

func (n *fakeNotifier) drain() []domain.PendingRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	pendingRuns := n.pendingRuns
	n.pendingRuns = nil
	return pendingRuns
}

// fakeReader implements DocumentReader with values that the test sets, because these tests cover
// the service and not the reading engine.
type fakeReader struct {
	mu  sync.Mutex
	xml []byte
	// lines are the words of the page, as OCR read them; nil is a page that prints the e-invoice, or
	// has only the text "invoice" without one.
	lines  []string
	change func(*domain.Page) // changes the page with the lines, if set
	others [][]string         // lines of the pages after the first
	// ranges are the first and last pages that were asked for, 0 for all, in the order of the calls.
	ranges []casework.PageRange
	// vendorConfidence is the confidence of the words of the first line; 0 is that of the others. Below
	// 0.5 another engine reads other letters.
	vendorConfidence float64
	err              error
	// reads, if set, is called with the name of each file that is opened, and may fail.
	reads  func(name string) error
	calls  int
	onOpen func()
	// closed counts the files that were closed; ocrRuns counts the files whose pages were sent to
	// the OCR engine.
	closed, ocrRuns int
	panics          bool   // reading the pages panics
	image           uint64 // hash of the first page
	// rasters makes an image of each page; otherwise all have the first bytes of one.
	rasters bool
	// picture makes the image of a page, if set.
	picture func(domain.Page) image.Image
	// pages reads the pages in place of the lines, if set.
	pages func(context.Context, casework.ReadRequest) ([]casework.ScannedPage, error)
}

func (d *fakeReader) Open(
	_ context.Context, request casework.ReadRequest,
) (casework.OpenedDocument, error) {
	d.mu.Lock()
	d.calls++
	d.ranges = append(d.ranges, casework.PageRange{First: request.FirstPage, Last: request.LastPage})
	xml, err, onOpen, lines, change := d.xml, d.err, d.onOpen, d.lines, d.change
	hash, others, reads, pages := d.image, d.others, d.reads, d.pages
	d.mu.Unlock()
	if reads != nil {
		if err := reads(request.FileName); err != nil {
			return casework.OpenedDocument{}, err
		}
	}
	if onOpen != nil {
		onOpen()
	}
	page := domain.Page{Number: 1, Width: 100, Height: 100, DPI: 150, Source: domain.SourceText,
		Text: "invoice"}
	if lines == nil {
		lines = printedInvoice(xml)
	}
	if lines != nil {
		page = recognisedPage(lines)
		for i := range page.Words {
			if page.Words[i].Line != 0 || d.vendorConfidence == 0 {
				continue
			}
			page.Words[i].Confidence = d.vendorConfidence
			if d.vendorConfidence < 0.5 { // another engine reads something else, without certainty
				page.Words[i].Alternative, page.Words[i].AlternativeConfidence = "xyz", 0.1
			}
		}
	}
	if change != nil {
		change(&page)
	}
	scan := casework.OpenedDocument{XML: xml,
		Pages: func(ctx context.Context, recognise bool) ([]casework.ScannedPage, error) {
			d.increment(&d.ocrRuns, recognise)
			if pages != nil {
				return pages(ctx, request)
			}
			if d.panics {
				panic("the pages cannot be read")
			}
			raster := func(page domain.Page) func() (io.ReadCloser, error) {
				return func() (io.ReadCloser, error) {
					return io.NopCloser(bytes.NewReader(d.rasterOf(page))), nil
				}
			}
			scanned := []casework.ScannedPage{{Page: page, Hash: hash, OpenRaster: raster(page)}}
			for i, lines := range others {
				next := recognisedPage(lines)
				next.Number = i + 2
				scanned = append(scanned, casework.ScannedPage{Page: next, OpenRaster: raster(next)})
			}
			return scanned, nil
		}, Close: func() { d.increment(&d.closed, true) }}
	return scan, err
}

// rasterOf returns the image of a page, which differs by its number.
func (d *fakeReader) rasterOf(page domain.Page) []byte {
	if d.picture != nil {
		return encodedPNG(d.picture(page))
	}
	if !d.rasters {
		return []byte("\x89PNG\r\n\x1a\n")
	}
	picture := image.NewGray(image.Rect(0, 0, page.Width, page.Height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(page.Number + i/page.Width)
	}
	return encodedPNG(picture)
}

func encodedPNG(picture image.Image) []byte {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	_ = encoder.Encode(&out, picture) // writing to memory cannot fail
	return out.Bytes()
}

// recognisedPage returns a page with the lines as OCR would return them: each word with a box and a
// high confidence.
func recognisedPage(lines []string) domain.Page {
	page := domain.Page{Number: 1, Width: 1000, Height: 1400, DPI: 150, Source: domain.SourceOCR,
		Text: strings.Join(lines, "\n")}
	for i, line := range lines {
		x := 50
		for _, word := range strings.Fields(line) {
			width := 12 * len(word)
			page.Words = append(page.Words, domain.Word{Text: word, Confidence: 0.95, Line: i,
				Box: domain.Box{X: x, Y: 50 + 30*i, W: width, H: 20}})
			x += width + 12
		}
	}
	return page
}

func (d *fakeReader) increment(counter *int, condition bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if condition {
		*counter++
	}
}

// dirBlobs implements Blobs on a folder.
type dirBlobs struct{ dir string }

func (f dirBlobs) Put(
	_ context.Context, caseID domain.ID, content io.Reader,
) (string, []byte, int64, error) {
	text, err := io.ReadAll(content)
	if err != nil {
		return "", nil, 0, err
	}
	sum := sha256.Sum256(text)
	key := caseID.String() + "/" + hex.EncodeToString(sum[:])
	if err := os.MkdirAll(filepath.Join(f.dir, caseID.String()), 0o700); err != nil {
		return "", nil, 0, err
	}
	return key, sum[:], int64(len(text)), os.WriteFile(filepath.Join(f.dir, key), text, 0o600)
}

func (f dirBlobs) Open(_ context.Context, key string) (io.ReadCloser, int64, error) {
	file, err := os.Open(filepath.Join(f.dir, key))
	if err != nil {
		return nil, 0, domain.Errorf(domain.NotFound, "no such file").WithCause(err)
	}
	info, err := file.Stat()
	return file, info.Size(), err
}

func (f dirBlobs) Remove(_ context.Context, key string) error {
	err := os.Remove(filepath.Join(f.dir, key))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func newTestEnv(t *testing.T) *testEnv { return newTestEnvWithPool(t, 8) }

// newTestEnvWithPool is newTestEnv with the given number of connections.
func newTestEnvWithPool(t *testing.T, connections int) *testEnv {
	return buildTestEnv(t, connections, casework.Settings{})
}

// newTestEnvWithSettings is newTestEnv with the given settings.
func newTestEnvWithSettings(t *testing.T, settings casework.Settings) *testEnv {
	return buildTestEnv(t, 8, settings)
}

func buildTestEnv(t *testing.T, connections int, settings casework.Settings) *testEnv {
	t.Helper()
	database := pgtest.NewWith(t, builtinSchema(t))
	ctx := t.Context()
	db, err := store.Open(ctx, database.AppURL, connections)
	must(t, err)
	t.Cleanup(db.Close)
	owner, err := pgxpool.New(ctx, database.OwnerURL)
	must(t, err)
	t.Cleanup(owner.Close)
	env := &testEnv{t: t, ctx: ctx, db: db, appURL: database.AppURL,
		adminURL: database.AdminURL, owner: owner,
		notifier: &fakeNotifier{}, reader: &fakeReader{xml: invoiceXML("120.00", "R-1")},
		connector: &fakeConnector{}, blobs: dirBlobs{t.TempDir()}}
	t.Cleanup(env.validateEventBodies)
	env.svc = env.newService(env.blobs, settings)
	return env
}

// processStart distinguishes the templates of two processes with the same number.
var processStart = time.Now().UnixNano()

// builtinSchema is the newest schema with the built-in definitions and the exchange rates. One
// service publishes them for all tests of the process, because publishing costs more than most
// tests. The key names the process, since the definitions are part of its program.
func builtinSchema(t *testing.T) pgtest.Schema {
	t.Helper()
	schema := pgtest.Newest(t)
	schema.Key = fmt.Sprintf("%s casework %d %d", schema.Key, os.Getpid(), processStart)
	schema.Fill = func(ctx context.Context, database *pgtest.DB) error {
		db, err := store.Open(ctx, database.AppURL, 2)
		if err != nil {
			return err
		}
		defer db.Close()
		svc, err := casework.New(db, casework.Ports{Reader: &fakeReader{},
			Blobs: dirBlobs{t.TempDir()}, Notifier: &fakeNotifier{}}, casework.Settings{},
			slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer svc.Close(ctx)
		err = errors.Join(svc.PublishBuiltins(ctx), publishOptionalOrders(ctx, db))
		for currency, micros := range map[string]int64{"EUR": 1_100_000, "USD": 1_000_000} {
			err = errors.Join(err, svc.SeedRate(ctx, currency, micros))
		}
		return err
	}
	return schema
}

// remittance is the process for payment orders.
const remittance = "cross_border_remittance"

// publishOptionalOrders publishes the built-in remittance with optional orders as its version 2, for
// tests whose subject is not the order.
func publishOptionalOrders(ctx context.Context, db *store.DB) error {
	row, err := db.Reader().Definition(ctx, remittance, 1)
	if err != nil {
		return err
	}
	text := strings.Replace(row.Document, "order: required", "order: optional", 1)
	return publishDefinition(ctx, db, store.NewDefinition{Key: remittance, Version: 2,
		Document: string(workflow.WithVersion([]byte(text), 2)), HasAmount: true})
}

// publishDefinition publishes a definition with its event, without a proposal.
func publishDefinition(ctx context.Context, db *store.DB, definition store.NewDefinition) error {
	definition.By = domain.SystemUserID
	return db.InTx(ctx, func(tx *store.Tx) error {
		head, err := tx.LockStream(ctx, domain.PolicyStream)
		if err != nil {
			return err
		}
		if inserted, err := tx.PublishDefinition(ctx, definition); err != nil || !inserted {
			return err
		}
		event := domain.Event{Stream: domain.PolicyStream.ID, Type: domain.DefinitionPublished,
			SchemaVersion: 2, Actor: domain.SystemUserID, At: time.Now(),
			Body: fmt.Appendf(nil, `{"kind":"process","key":%q,"definitionVersion":%d,"base":%d,"sha256":"%x","by":%q}`,
				definition.Key, definition.Version, definition.Version-1,
				sha256.Sum256([]byte(definition.Document)), domain.SystemUserID)}
		if _, err := audit.Chain(audit.ChainHead{Seq: head.Seq, Hash: head.Hash}, rand.Reader,
			&event); err != nil {
			return err
		}
		return tx.AppendStream(ctx, []domain.Event{event})
	})
}

// newOrderEnv is newTestEnv with the built-in remittance, which requires orders.
func newOrderEnv(t *testing.T) *testEnv {
	env := newTestEnv(t)
	env.requireOrders()
	return env
}

// requireOrders leaves only the built-in remittance, which requires orders.
func (env *testEnv) requireOrders() {
	env.t.Helper()
	env.alterPublished(`DELETE FROM process_definitions WHERE key = '` + remittance +
		`' AND version > 1`)
}

// newService returns another service on the test environment's database and ports and the given
// blobs. It shares no caches with other services.
func (env *testEnv) newService(blobs casework.Blobs, settings casework.Settings) *casework.Service {
	env.t.Helper()
	svc, err := casework.New(env.db,
		casework.Ports{Reader: env.reader, Blobs: blobs, Notifier: env.notifier,
			Connector: env.connector}, settings, slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(env.t, err)
	env.t.Cleanup(func() { svc.Close(context.WithoutCancel(env.ctx)) })
	return svc
}

// validateEventBodies checks, at the end of a test, the body of every event in the database against
// its schema.
func (env *testEnv) validateEventBodies() {
	rows, err := env.owner.Query(context.WithoutCancel(env.ctx),
		`SELECT case_id::text, seq, type, schema_version, body FROM events WHERE body <> ''`)
	if err != nil {
		env.t.Errorf("the events cannot be read: %v", err)
		return
	}
	var stream, body string
	var seq int64
	var kind domain.EventType
	var version int
	_, err = pgx.ForEachRow(rows, []any{&stream, &seq, &kind, &version, &body}, func() error {
		if err := events.Validate(kind, version, []byte(body)); err != nil {
			env.t.Errorf("event %d of stream %s, %s: %v", seq, stream, kind, err)
		}
		return nil
	})
	if err != nil {
		env.t.Errorf("the events cannot be read: %v", err)
	}
}

// replaceRate gives a currency another first rate.
func (env *testEnv) replaceRate(currency string, micros int64) {
	env.t.Helper()
	_, err := env.owner.Exec(env.ctx, `DELETE FROM rates WHERE currency = $1`, currency)
	must(env.t, err)
	must(env.t, env.svc.SeedRate(env.ctx, currency, micros))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// person creates a user with roles; reviewers get the queues of their roles.
func (env *testEnv) person(name string, roles ...domain.Role) domain.Actor {
	env.t.Helper()
	user := domain.User{Email: name + "@example.com", Name: name, Roles: roles}
	for _, role := range roles {
		switch role {
		case domain.RoleL1, domain.RoleSenior:
			user.Queues = append(user.Queues, domain.QueueL1, domain.QueueRepair)
		case domain.RoleManager:
			user.Queues = append(user.Queues, domain.QueueL1, domain.QueueL2,
				domain.QueueRepair)
		case domain.RoleL2:
			user.Queues = append(user.Queues, domain.QueueL2)
		}
	}
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// upload returns a small file with the magic bytes of a PDF.
func upload(content string) casework.Upload {
	text := []byte("%PDF-1.7\n" + content)
	sum := sha256.Sum256(text)
	return casework.Upload{FileName: "invoice.pdf", Size: int64(len(text)), SHA256: sum[:],
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
}

func (env *testEnv) submit(by domain.Actor, content string) domain.ID {
	env.t.Helper()
	submitted, err := env.svc.SubmitDocument(env.ctx, by,
		casework.SubmitDocument{File: upload(content)})
	must(env.t, err)
	return submitted.CaseID
}

// drainQueue runs everything that is enqueued and due, each task twice, until nothing is left.
func (env *testEnv) drainQueue() {
	env.t.Helper()
	for range 100 {
		due := env.takeDueRuns()
		if len(due) == 0 {
			return
		}
		for _, pendingRun := range due {
			for range 2 {
				must(env.t, env.svc.RunStage(env.ctx,
					casework.RunRequest{CaseID: pendingRun.CaseID, RunID: pendingRun.RunID,
						Worker: "worker-1"}))
			}
		}
	}
	env.t.Fatal("the queue is never empty")
}

// takeDueRuns takes the due runs from the notifier. If none is due, it advances the clock to the
// next run within a minute, so that retries happen. Later runs stay enqueued.
func (env *testEnv) takeDueRuns() []domain.PendingRun {
	env.t.Helper()
	for {
		now, err := env.db.Reader().Clock(env.ctx)
		must(env.t, err)
		due, early := partitionByDue(env.notifier.drain(), now)
		env.notifier.Enqueue(env.ctx, early)
		if len(due) > 0 || len(early) == 0 || early[0].RunAfter.After(now.Add(time.Minute)) {
			return due
		}
		env.setClockOffset(env.clockOffset + early[0].RunAfter.Sub(now))
	}
}

// partitionByDue splits the pending runs by the database's clock, each run once, as the queue would
// hold it. The early ones are sorted by time.
func partitionByDue(
	pendingRuns []domain.PendingRun, now time.Time,
) (due, early []domain.PendingRun) {
	visited := map[domain.ID]bool{}
	for _, pendingRun := range pendingRuns {
		switch {
		case visited[pendingRun.RunID]:
		case pendingRun.RunAfter.After(now):
			early = append(early, pendingRun)
		default:
			due = append(due, pendingRun)
		}
		visited[pendingRun.RunID] = true
	}
	slices.SortStableFunc(early,
		func(a, b domain.PendingRun) int { return a.RunAfter.Compare(b.RunAfter) })
	return due, early
}

// setClockOffset sets the offset of the database's clock from real time.
func (env *testEnv) setClockOffset(offset time.Duration) {
	env.t.Helper()
	env.clockOffset = offset
	_, err := env.owner.Exec(env.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d microseconds'''`, offset.Microseconds()+1))
	must(env.t, err)
}

func (env *testEnv) caseByID(id domain.ID) domain.Case {
	env.t.Helper()
	c, err := env.db.Reader().Case(env.ctx, id)
	must(env.t, err)
	return c
}

// openReview returns the case's open or claimed review.
func (env *testEnv) openReview(id domain.ID) domain.Review {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	for _, review := range reviews {
		if review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed {
			return review
		}
	}
	env.t.Fatalf("case %s has no open review; it is %s", id, env.caseByID(id).Status)
	return domain.Review{}
}

func (env *testEnv) claim(by domain.Actor, caseID domain.ID) domain.Review {
	env.t.Helper()
	review := env.openReview(caseID)
	_, err := env.svc.ClaimReview(env.ctx, by, casework.ReviewTarget{ReviewID: review.ID})
	must(env.t, err)
	return env.openReview(caseID)
}

func (env *testEnv) decide(
	by domain.Actor, reviewID domain.ID, verdict domain.Verdict, reason string,
) error {
	return errOf(env.decideStating(by,
		casework.DecideReview{ReviewTarget: casework.ReviewTarget{ReviewID: reviewID},
			Verdict: verdict, Reason: reason}))
}

// decideStating decides, and states the fields as unchecked that the refusal of an approval names.
func (env *testEnv) decideStating(
	by domain.Actor, in casework.DecideReview,
) (casework.ReviewResult, error) {
	result, err := env.svc.DecideReview(env.ctx, by, in)
	if names := uncheckedOf(err); names != nil {
		in.Unchecked = names
		return env.svc.DecideReview(env.ctx, by, in)
	}
	return result, err
}

// eventTypes lists the event types of the case in order.
func (env *testEnv) eventTypes(id domain.ID) []domain.EventType {
	env.t.Helper()
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(env.t, err)
	types := make([]domain.EventType, 0, len(reading.Events))
	for _, event := range reading.Events {
		types = append(types, event.Type)
	}
	return types
}

func wantCode(t *testing.T, err error, code domain.Code) {
	t.Helper()
	if !domain.HasCode(err, code) {
		t.Errorf("got %v (%s), want %s", err, domain.CodeOf(err), code)
	}
}

package casework_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/casework"
	"countersign/domain"
	"countersign/events"
	"countersign/internal/pgtest"
	"countersign/store"
)

// world is one hall on a database of its own, with people, and a bell that keeps what it was told.
type world struct {
	t      *testing.T
	ctx    context.Context
	db     *store.DB
	appURL string // the application's way to the database
	owner  *pgxpool.Pool
	hall   *casework.Hall
	bell   *bell
	desk   *desk
	bank   *bank
	blobs  folder
	ahead  time.Duration // of the database's clock before real time
}

// bell keeps wakes and hints until the test does the work.
type bell struct {
	mu    sync.Mutex
	wakes []domain.Wake
	hints []domain.Hint
}

func (b *bell) Ring(_ context.Context, wakes []domain.Wake) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wakes = append(b.wakes, wakes...)
}

func (b *bell) Changed(_ context.Context, hints []domain.Hint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hints = append(b.hints, hints...)
}

func (b *bell) take() []domain.Wake {
	b.mu.Lock()
	defer b.mu.Unlock()
	wakes := b.wakes
	b.wakes = nil
	return wakes
}

// desk answers the port of reading with what the test laid on it: the hall is tested here, not the engine.
type desk struct {
	mu    sync.Mutex
	xml   []byte
	err   error
	calls int
	hold  func()
	// closed counts the files that were closed again, engine those whose pages were given to the OCR engine.
	closed, engine int
	breaks         bool // reading the pages panics
}

func (d *desk) Open(context.Context, casework.ReadRequest) (casework.Scan, error) {
	d.mu.Lock()
	d.calls++
	xml, err, hold := d.xml, d.err, d.hold
	d.mu.Unlock()
	if hold != nil {
		hold()
	}
	page := domain.Page{Number: 1, Width: 100, Height: 100, DPI: 150, Source: domain.SourceText, Text: "invoice"}
	scan := casework.Scan{XML: xml, Pages: func(_ context.Context, recognise bool) ([]casework.ScannedPage, error) {
		d.count(&d.engine, recognise)
		if d.breaks {
			panic("the pages cannot be turned")
		}
		return []casework.ScannedPage{{Page: page, OpenRaster: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader([]byte("\x89PNG\r\n\x1a\n"))), nil
		}}}, nil
	}, Close: func() { d.count(&d.closed, true) }}
	return scan, err
}

func (d *desk) count(what *int, one bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one {
		*what++
	}
}

// folder is the blobs' port on a folder.
type folder struct{ dir string }

func (f folder) Put(_ context.Context, caseID domain.ID, content io.Reader) (string, []byte, int64, error) {
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

func (f folder) Open(_ context.Context, key string) (io.ReadCloser, int64, error) {
	file, err := os.Open(filepath.Join(f.dir, key))
	if err != nil {
		return nil, 0, domain.Fail(domain.NotFound, "no such file").Because(err)
	}
	info, err := file.Stat()
	return file, info.Size(), err
}

func newWorld(t *testing.T) *world { return newWorldOf(t, 8) }

// newWorldOf is newWorld with a pool of so many connections.
func newWorldOf(t *testing.T, connections int) *world {
	return makeWorld(t, connections, casework.Settings{})
}

// newWorldSet is newWorld with settings of its own.
func newWorldSet(t *testing.T, settings casework.Settings) *world { return makeWorld(t, 8, settings) }

func makeWorld(t *testing.T, connections int, settings casework.Settings) *world {
	t.Helper()
	database := pgtest.New(t)
	ctx := t.Context()
	db, err := store.Open(ctx, database.AppURL, connections)
	must(t, err)
	t.Cleanup(db.Close)
	owner, err := pgxpool.New(ctx, database.OwnerURL)
	must(t, err)
	t.Cleanup(owner.Close)
	w := &world{t: t, ctx: ctx, db: db, appURL: database.AppURL, owner: owner, bell: &bell{}, desk: &desk{xml: invoiceXML("120.00", "R-1")}, bank: &bank{},
		blobs: folder{t.TempDir()}}
	t.Cleanup(w.holdToContracts)
	w.hall = w.hallOn(w.blobs, settings)
	must(t, w.hall.PublishBuiltins(ctx))
	for currency, micros := range map[string]int64{"EUR": 1_100_000, "USD": 1_000_000} {
		must(t, w.hall.PutRate(ctx, domain.SystemActor(), currency, micros))
	}
	return w
}

// hallOn is a hall on the world's database and ports, and the given blobs. It holds nothing of what others have loaded.
func (w *world) hallOn(blobs casework.Blobs, settings casework.Settings) *casework.Hall {
	w.t.Helper()
	hall, err := casework.New(w.db, casework.Ports{Reader: w.desk, Blobs: blobs, Bell: w.bell, Connector: w.bank}, settings,
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(w.t, err)
	w.t.Cleanup(func() { hall.Close(context.WithoutCancel(w.ctx)) })
	return hall
}

// holdToContracts holds, when a test is over, the body of every event that it has written against its contract, whoever
// wrote it and on whatever stream.
func (w *world) holdToContracts() {
	rows, err := w.owner.Query(context.WithoutCancel(w.ctx), `SELECT case_id::text, seq, type, schema_version, body FROM events`)
	if err != nil {
		w.t.Errorf("the events cannot be read: %v", err)
		return
	}
	var stream, body string
	var seq int64
	var kind domain.EventType
	var version int
	_, err = pgx.ForEachRow(rows, []any{&stream, &seq, &kind, &version, &body}, func() error {
		if err := events.Validate(kind, version, []byte(body)); err != nil {
			w.t.Errorf("event %d of stream %s, %s: %v", seq, stream, kind, err)
		}
		return nil
	})
	if err != nil {
		w.t.Errorf("the events cannot be read: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// person makes a person with roles; reviewers get the queues of their roles.
func (w *world) person(name string, roles ...domain.Role) domain.Actor {
	w.t.Helper()
	user := domain.User{Email: name + "@example.com", Name: name, Roles: roles}
	for _, role := range roles {
		switch role {
		case domain.RoleL1, domain.RoleSenior:
			user.Queues = append(user.Queues, domain.QueueL1)
		case domain.RoleManager:
			user.Queues = append(user.Queues, domain.QueueL1, domain.QueueL2)
		case domain.RoleL2:
			user.Queues = append(user.Queues, domain.QueueL2)
		}
	}
	id, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(w.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// upload is a small file that is a PDF by its first bytes.
func upload(content string) casework.Upload {
	text := []byte("%PDF-1.7\n" + content)
	sum := sha256.Sum256(text)
	return casework.Upload{FileName: "invoice.pdf", Size: int64(len(text)), SHA256: sum[:],
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
}

func (w *world) submit(by domain.Actor, content string) domain.ID {
	w.t.Helper()
	submitted, err := w.hall.SubmitDocument(w.ctx, by, casework.SubmitDocument{File: upload(content)})
	must(w.t, err)
	return submitted.CaseID
}

// work does everything that was rung and is due, each task twice, until nothing is left.
func (w *world) work() {
	w.t.Helper()
	for range 100 {
		due := w.due()
		if len(due) == 0 {
			return
		}
		for _, wake := range due {
			for range 2 {
				must(w.t, w.hall.RunStage(w.ctx, casework.Waking{CaseID: wake.CaseID, RunID: wake.RunID, Worker: "worker-1"}))
			}
		}
	}
	w.t.Fatal("the work does not end")
}

// due takes from the bell what is due. When nothing is, the clock is turned on to what is tried again within the minute;
// what is due later stays rung.
func (w *world) due() []domain.Wake {
	w.t.Helper()
	for {
		now, err := w.db.Reader().Clock(w.ctx)
		must(w.t, err)
		due, early := part(w.bell.take(), now)
		w.bell.Ring(w.ctx, early)
		if len(due) > 0 || len(early) == 0 || early[0].RunAfter.After(now.Add(time.Minute)) {
			return due
		}
		w.later(w.ahead + early[0].RunAfter.Sub(now))
	}
}

// part parts the wakes by the database's clock, each run once, as the queue holds it; the early ones by their time.
func part(wakes []domain.Wake, now time.Time) (due, early []domain.Wake) {
	known := map[domain.ID]bool{}
	for _, wake := range wakes {
		switch {
		case known[wake.RunID]:
		case wake.RunAfter.After(now):
			early = append(early, wake)
		default:
			due = append(due, wake)
		}
		known[wake.RunID] = true
	}
	slices.SortStableFunc(early, func(a, b domain.Wake) int { return a.RunAfter.Compare(b.RunAfter) })
	return due, early
}

// later turns the database's clock on by so long from real time.
func (w *world) later(by time.Duration) {
	w.t.Helper()
	w.ahead = by
	_, err := w.owner.Exec(w.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d microseconds'''`, by.Microseconds()+1))
	must(w.t, err)
}

func (w *world) kase(id domain.ID) domain.Case {
	w.t.Helper()
	c, err := w.db.Reader().Case(w.ctx, id)
	must(w.t, err)
	return c
}

// openReview returns the case's open or claimed review.
func (w *world) openReview(id domain.ID) domain.Review {
	w.t.Helper()
	reviews, err := w.db.Reader().ReviewsOf(w.ctx, id)
	must(w.t, err)
	for _, review := range reviews {
		if review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed {
			return review
		}
	}
	w.t.Fatalf("case %s has no open review; it is %s", id, w.kase(id).Status)
	return domain.Review{}
}

func (w *world) claim(by domain.Actor, caseID domain.ID) domain.Review {
	w.t.Helper()
	review := w.openReview(caseID)
	_, err := w.hall.ClaimReview(w.ctx, by, casework.OnReview{ReviewID: review.ID})
	must(w.t, err)
	return w.openReview(caseID)
}

func (w *world) decide(by domain.Actor, reviewID domain.ID, verdict domain.Verdict, reason string) error {
	_, err := w.hall.DecideReview(w.ctx, by, casework.DecideReview{OnReview: casework.OnReview{ReviewID: reviewID}, Verdict: verdict, Reason: reason})
	return err
}

// types lists the event types of the case in order.
func (w *world) types(id domain.ID) []domain.EventType {
	w.t.Helper()
	reading, err := w.db.Reader().EventsAfter(w.ctx, id, 0, 1000)
	must(w.t, err)
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

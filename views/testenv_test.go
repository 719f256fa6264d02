package views_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/internal/pgtest"
	"countersign/rules"
	"countersign/store"
	"countersign/views"
	"countersign/workflow"
)

// testEnv is the read side over the real service layer, on a database of its own.
type testEnv struct {
	t        *testing.T
	ctx      context.Context
	db       *store.DB
	owner    *pgxpool.Pool // may change any row, to create states directly
	database *pgtest.DB
	service  *casework.Service
	views    *views.Views
	notifier *recordingNotifier
	people   map[string]domain.Actor
	files    int
	// shared by the service layer and the read side
	definitions domain.VersionCache[*workflow.Definition]
	ruleSets    domain.VersionCache[*rules.Set]
	types       domain.VersionCache[*domain.DocumentType]
}

// recordingNotifier keeps pending runs until the test executes them.
type recordingNotifier struct {
	mu      sync.Mutex
	pending []domain.PendingRun
}

func (n *recordingNotifier) Enqueue(_ context.Context, runs []domain.PendingRun) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pending = append(n.pending, runs...)
}

func (*recordingNotifier) PublishHints(context.Context, []domain.Hint) {}

// takeDue returns the runs that are due now; the tests do not wait for later ones.
func (n *recordingNotifier) takeDue() []domain.PendingRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	soon := time.Now().Add(time.Minute)
	runs := slices.DeleteFunc(n.pending, func(run domain.PendingRun) bool {
		return run.RunAfter.After(soon) || run.Queue == domain.QueueTimers
	})
	n.pending = nil
	return runs
}

// fakeReader reads a file of lines: the total in EUR and the vendor, or "damaged".
type fakeReader struct{}

func (fakeReader) Open(_ context.Context, request casework.ReadRequest) (
	casework.OpenedDocument, error) {
	content, err := request.Open()
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	defer func() { _ = content.Close() }()
	body, err := io.ReadAll(content)
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	lines := strings.Split(string(body), "\n")
	if lines[1] == "damaged" {
		return casework.OpenedDocument{}, domain.Errorf(domain.DamagedFile, "The file is damaged.")
	}
	total, err := domain.ParseMoney(lines[1], "EUR")
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	printed := einvoice.Invoice{Number: "R-" + lines[3], Seller: lines[2], Total: total.Minor}
	page := domain.Page{Number: 1, Width: 100, Height: 100, DPI: 150, Source: domain.SourceText,
		Text: "invoice", Words: printed.Words()}
	return casework.OpenedDocument{XML: printed.XML(),
		Pages: func(context.Context, bool) ([]casework.ScannedPage, error) {
			return []casework.ScannedPage{{Page: page, OpenRaster: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("\x89PNG\r\n\x1a\n")), nil
			}}}, nil
		}}, nil
}

func newTestEnv(t *testing.T) *testEnv {
	t.Helper()
	database := pgtest.New(t)
	db, err := store.Open(t.Context(), database.AppURL, 4)
	must(t, err)
	t.Cleanup(db.Close)
	blobs, err := blob.OpenFolder(t.TempDir())
	must(t, err)
	t.Cleanup(func() { _ = blobs.Close() })
	env := &testEnv{t: t, ctx: t.Context(), db: db, owner: database.Owner(t), database: database,
		notifier: &recordingNotifier{}, people: map[string]domain.Actor{}}
	ports := casework.Ports{Reader: fakeReader{}, Blobs: blobs, Notifier: env.notifier,
		Definitions: &env.definitions, RuleSets: &env.ruleSets,
		DocumentTypes: &env.types}
	log := slog.New(slog.DiscardHandler)
	env.service, err = casework.New(db, ports, casework.Settings{}, log)
	must(t, err)
	t.Cleanup(func() { env.service.Close(context.WithoutCancel(env.ctx)) })
	env.views = views.NewWithCaches(db.Reader(), env.service.Authorizer, &env.definitions,
		&env.ruleSets, &env.types)
	must(t, env.service.PublishBuiltins(env.ctx))
	for currency, micros := range map[string]int64{"EUR": 1_100_000, "USD": 1_000_000} {
		must(t, env.service.SeedRate(env.ctx, currency, micros))
	}
	return env
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code domain.Code) {
	t.Helper()
	if !domain.HasCode(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

// person creates a user; reviewers get the queues of their roles.
func (env *testEnv) person(name string, roles ...domain.Role) domain.Actor {
	env.t.Helper()
	user := domain.User{Email: name + "@example.com", Name: name, Roles: roles}
	for _, role := range roles {
		switch role {
		case domain.RoleL1, domain.RoleSenior:
			user.Queues = append(user.Queues, domain.QueueL1)
		case domain.RoleL2:
			user.Queues = append(user.Queues, domain.QueueL2)
		case domain.RoleManager:
			user.Queues = append(user.Queues, domain.QueueL1, domain.QueueL2)
		}
	}
	id, err := env.service.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(env.t, err)
	actor := domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
	env.people[name] = actor
	return actor
}

// disable disables the user.
func (env *testEnv) disable(actor domain.Actor) {
	env.t.Helper()
	user, err := env.db.Reader().User(env.ctx, actor.UserID)
	must(env.t, err)
	user.Disabled = true
	_, err = env.service.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(env.t, err)
}

// submit submits an invoice over the total and runs its stages. The vendor is optional.
func (env *testEnv) submit(by domain.Actor, total string, vendor ...string) domain.ID {
	env.t.Helper()
	env.files++
	name := fmt.Sprintf("Vendor %d GmbH", env.files)
	if len(vendor) > 0 {
		name = vendor[0]
	}
	content := fmt.Appendf(nil, "%%PDF-1.7\n%s\n%s\n%d\n", total, name, env.files)
	sum := sha256.Sum256(content)
	submitted, err := env.service.SubmitDocument(env.ctx, by, casework.SubmitDocument{
		File: casework.Upload{FileName: "invoice.pdf", Size: int64(len(content)), SHA256: sum[:],
			Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(content)), nil
			}},
	})
	must(env.t, err)
	env.runPending()
	return submitted.CaseID
}

// runPending executes due runs until none are left.
func (env *testEnv) runPending() {
	env.t.Helper()
	for range 50 {
		runs := env.notifier.takeDue()
		if len(runs) == 0 {
			return
		}
		for _, run := range runs {
			request := casework.RunRequest{CaseID: run.CaseID, RunID: run.RunID, Worker: "w"}
			must(env.t, env.service.RunStage(env.ctx, request))
		}
	}
	env.t.Fatal("the runs do not end")
}

// sql changes rows as the owner of the database.
func (env *testEnv) sql(statement string, args ...any) {
	env.t.Helper()
	_, err := env.owner.Exec(env.ctx, statement, args...)
	must(env.t, err)
}

// setClockOffset moves the database's clock.
func (env *testEnv) setClockOffset(by time.Duration) {
	env.t.Helper()
	env.sql(fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql
		VOLATILE PARALLEL SAFE AS 'SELECT clock_timestamp() + interval ''%d seconds'''`,
		int(by.Seconds())))
}

// reviewOf returns the undecided review of the case.
func (env *testEnv) reviewOf(caseID domain.ID) domain.Review {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, caseID)
	must(env.t, err)
	at := slices.IndexFunc(reviews, func(review domain.Review) bool {
		return review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
	})
	if at < 0 {
		env.t.Fatalf("case %s has no undecided review: %+v", caseID, reviews)
	}
	return reviews[at]
}

// submitReviews submits n cases and returns their open reviews.
func (env *testEnv) submitReviews(by domain.Actor, n int, total string) []domain.Review {
	env.t.Helper()
	reviews := make([]domain.Review, 0, n)
	for range n {
		reviews = append(reviews, env.reviewOf(env.submit(by, total)))
	}
	return reviews
}

func (env *testEnv) claim(by domain.Actor, review domain.Review) {
	env.t.Helper()
	_, err := env.service.ClaimReview(env.ctx, by, casework.ReviewTarget{ReviewID: review.ID})
	must(env.t, err)
}

func (env *testEnv) decide(by domain.Actor, review domain.Review, verdict domain.Verdict) {
	env.t.Helper()
	env.claim(by, review)
	_, err := env.service.DecideReview(env.ctx, by, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Verdict: verdict,
		Reason: "because",
	})
	must(env.t, err)
	env.runPending()
}

func (env *testEnv) assign(by domain.Actor, to domain.Actor, reviews ...domain.Review) {
	env.t.Helper()
	results, err := env.service.ReassignReviews(env.ctx, by, casework.ReassignReviews{
		Reviews: idsOf(reviews), To: to.UserID, Reason: "because",
	})
	must(env.t, err)
	for _, result := range results {
		must(env.t, result.Err)
	}
}

func (env *testEnv) declareConflict(person domain.Actor, party string) {
	env.t.Helper()
	_, err := env.service.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: person.UserID, Party: party, Reason: "because",
	})
	must(env.t, err)
}

func (env *testEnv) now() time.Time {
	env.t.Helper()
	now, err := env.db.Reader().Clock(env.ctx)
	must(env.t, err)
	return now
}

func idsOf(reviews []domain.Review) []domain.ID {
	ids := make([]domain.ID, 0, len(reviews))
	for _, review := range reviews {
		ids = append(ids, review.ID)
	}
	return ids
}

func namesOf(users []domain.User) []string {
	names := make([]string, 0, len(users))
	for _, user := range users {
		names = append(names, user.Name)
	}
	slices.Sort(names)
	return names
}

// sorted returns the ids in a canonical order, to compare sets.
func sorted(ids []domain.ID) []domain.ID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b domain.ID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

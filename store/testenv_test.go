package store_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// testEnv is a test's database and the objects that create its rows.
type testEnv struct {
	t        testing.TB
	ctx      context.Context
	database *pgtest.DB
	db       *store.DB
	owner    *pgxpool.Pool // the schema's owner, for writes that the application may not make
	counter  atomic.Int64
}

func newTestEnv(t testing.TB) *testEnv {
	t.Helper()
	return newTestEnvOn(t, pgtest.New(t))
}

func newTestEnvOn(t testing.TB, names *pgtest.DB) *testEnv {
	t.Helper()
	w := &testEnv{t: t, ctx: t.Context(), database: names, owner: names.Owner(t)}
	w.db = w.open(names.AppURL)
	return w
}

func (w *testEnv) open(url string) *store.DB {
	w.t.Helper()
	db, err := store.Open(context.Background(), url, 24)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(db.Close)
	return db
}

func (w *testEnv) read() store.Reader { return w.db.Reader() }

// must fails the test on an error.
func (w *testEnv) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// inTx runs fn in a transaction that must commit.
func (w *testEnv) inTx(fn func(*store.Tx) error) {
	w.t.Helper()
	w.must(w.db.InTx(w.ctx, fn))
}

// asOwner runs SQL as the schema's owner.
func (w *testEnv) asOwner(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.owner.Exec(w.ctx, sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// shiftClock moves the database's clock by the offset from real time.
func (w *testEnv) shiftClock(offset time.Duration) {
	w.t.Helper()
	w.asOwner(
		fmt.Sprintf(
			`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d milliseconds'''`, offset.Milliseconds()))
}

// stopClock stops the database's clock at the time, so that deadlines do not pass while the test
// runs.
func (w *testEnv) stopClock(at time.Time) {
	w.t.Helper()
	w.asOwner(
		fmt.Sprintf(
			`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT timestamptz ''%s'''`, at.UTC().Format(time.RFC3339Nano)))
}

func (w *testEnv) now() time.Time {
	w.t.Helper()
	now, err := w.read().Clock(w.ctx)
	w.must(err)
	return now
}

// person creates a user with the roles, who works on the queues L1 and L2.
func (w *testEnv) person(roles ...domain.Role) domain.User {
	w.t.Helper()
	n := w.counter.Add(1)
	user := domain.User{ID: domain.NewID(), Email: fmt.Sprintf("p%d@example.com", n),
		Name:  fmt.Sprintf("Person %03d", n),
		Roles: roles, Queues: []string{domain.QueueL1, domain.QueueL2}}
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "") })
	return user
}

// party creates a counterparty.
func (w *testEnv) party(key string) domain.ID {
	w.t.Helper()
	var id domain.ID
	w.inTx(func(tx *store.Tx) (err error) {
		id, _, err = tx.EnsureParty(w.ctx, key, key)
		return err
	})
	return id
}

func hash32() []byte {
	sum := make([]byte, 32)
	_, _ = rand.Read(sum)
	return sum
}

// event is an event of the stream with made-up hashes; the store does not check the chain.
func event(stream domain.ID, seq int64, kind domain.EventType, at time.Time) domain.Event {
	return domain.Event{Stream: stream, Seq: seq, Type: kind, SchemaVersion: 1,
		Actor: domain.SystemUserID, CorrelationID: "corr-1",
		At: at, StatusBefore: domain.Received, StatusAfter: domain.Processing,
		MarkingBefore: domain.EmptyMarking,
		MarkingAfter:  `{"notes":{"join<&>":{"seats":[1,2]}},"tokens":[{"node":"read","visit":1}],"visits":{"read":1}}`, PrevHash: hash32(), BodyHash: hash32(), Hash: hash32(), Salt: hash32()[:16],
		Body: json.RawMessage(`{"text":"a <b> & ü 你"}`)}
}

// stageRun is a pending run of the light queue, due immediately.
func stageRun(caseID domain.ID, node string, now time.Time) domain.StageRun {
	return domain.StageRun{ID: domain.NewID(), CaseID: caseID, Node: node, Visit: 1,
		Kind: domain.RunKindStage, Attempt: 1,
		Queue: "light", RunAfter: now, Status: domain.RunPending, CreatedAt: now}
}

// newCaseChange is the change that creates a case, with its document, its first run and two events.
func (w *testEnv) newCaseChange(submitter, party domain.ID) *store.Change {
	now := w.now()
	id := domain.NewID()
	c := domain.Case{ID: id, Reference: fmt.Sprintf("CS-T-%06d", w.counter.Add(1)),
		ProcessKey: "document_approval", ProcessVersion: 1,
		DocumentType: "invoice", Channel: domain.ChannelWeb, Counterparty: "Acme <GmbH>",
		PartyID: party, DocumentNumber: "R-1",
		Country: "DE", Amount: domain.Money{Minor: 123456, Currency: "EUR"}, AmountKnown: true,
		BaseMinor: 130000,
		RateID:    domain.NewID(), DeclaredAmount: domain.Money{Minor: 123456, Currency: "EUR"},
		Marking: domain.Marking{Tokens: []domain.Token{{Node: "read", Visit: 1}},
			Visits: map[string]int{"read": 1}},
		Status: domain.Received, Risk: 7, Submitter: submitter, CorrelationID: "corr-" +
			id.String(), Version: 1, FactsRevision: 1,
		LastSeq: 2, HeadHash: hash32(), CreatedAt: now, UpdatedAt: now}
	document := domain.Document{ID: domain.NewID(), CaseID: id, Revision: 1,
		FileName: "Rechnung 你好.pdf", MediaType: "application/pdf",
		Size: 99, SHA256: hash32(), BlobKey: id.String() + "/aa", CreatedAt: now,
		CreatedBy: submitter}
	return &store.Change{New: true, Case: c, Document: &document,
		Events: []domain.Event{event(id, 1, domain.CaseSubmitted, now),
			event(id, 2, domain.StageStarted, now)},
		Runs: []domain.StageRun{stageRun(id, "read", now)},
		Interests: []domain.Interest{{CaseID: id, Person: submitter,
			Reason: domain.InterestSubmitter}}}
}

// apply writes a change that must succeed.
func (w *testEnv) apply(change *store.Change) {
	w.t.Helper()
	w.inTx(func(tx *store.Tx) error {
		written, err := tx.Apply(w.ctx, change)
		if err == nil && !written {
			w.t.Fatal("the change was not written")
		}
		return err
	})
}

// createCase creates a case and returns it with its run.
func (w *testEnv) createCase() (domain.Case, domain.StageRun) {
	w.t.Helper()
	change := w.newCaseChange(w.person(domain.RoleSubmitter).ID,
		w.party(fmt.Sprintf("party %d", w.counter.Add(1))))
	w.apply(change)
	return change.Case, change.Runs[0]
}

// nextChange is a change of the case to its next version, with one event.
func nextChange(c domain.Case, at time.Time) *store.Change {
	was := c.Version
	c.Version++
	c.LastSeq++
	c.HeadHash = hash32()
	c.UpdatedAt = at
	return &store.Change{Case: c, ExpectedVersion: was,
		Events: []domain.Event{event(c.ID, c.LastSeq, domain.StageCompleted, at)}}
}

// openReview is an open level-1 review of the case.
func openReview(c domain.Case, node string, now time.Time) domain.Review {
	return domain.Review{ID: domain.NewID(), CaseID: c.ID, Node: node, Visit: 1, Seat: 1,
		Queue: domain.QueueL1, Level: 1, Duty: "approval",
		Status: domain.ReviewOpen, ClaimBy: now.Add(2 * time.Hour),
		DecideBy: now.Add(24 * time.Hour), AtRiskFrom: now.Add(20 * time.Hour), Priority: 3,
		Version:   1,
		Submitter: c.Submitter, PartyID: c.PartyID, BaseMinor: c.BaseMinor,
		AmountKnown: c.AmountKnown, Band: domain.BandOf(c.BaseMinor),
		DocumentType: c.DocumentType, Country: c.Country}
}

// underReview creates a case with one open review.
func (w *testEnv) underReview() (domain.Case, domain.Review) {
	w.t.Helper()
	c, _ := w.createCase()
	change := nextChange(c, w.now())
	change.Case.Status = domain.InReview
	review := openReview(c, "review", change.Case.UpdatedAt)
	change.NewReviews = []domain.Review{review}
	w.apply(change)
	return change.Case, review
}

// claim assigns the review to the person for ten minutes.
func (w *testEnv) claim(c domain.Case, review domain.Review,
	person domain.ID) (domain.Case, domain.Review) {
	w.t.Helper()
	now := w.now()
	change := nextChange(c, now)
	review.Assignee, review.Status, review.ClaimedAt, review.ClaimUntil = person,
		domain.ReviewClaimed, now, now.Add(10*time.Minute)
	review.Version++
	change.ReviewUpdates = []domain.Review{review}
	w.apply(change)
	return change.Case, review
}

// joinGroup joins the groups of two parties by two administrators.
func (w *testEnv) joinGroup(party, other domain.ID) {
	w.t.Helper()
	version, err := w.read().PartyGroupVersion(w.ctx, party)
	w.must(err)
	proposal := w.confirmed(domain.Proposal{Kind: domain.ControlPartyJoin, Key: party.String(),
		Base: version, Document: fmt.Sprintf(`{"with": %q}`, other)},
		w.person(domain.RoleAdmin).ID)
	w.inTx(func(tx *store.Tx) error { return tx.JoinGroup(w.ctx, party, other, proposal) })
}

// endingOf adds the proposal to end a conflict, by an administrator of its own and confirmed by the
// given person.
func (w *testEnv) endingOf(conflict, confirmer domain.ID) domain.ID {
	w.t.Helper()
	return w.confirmed(domain.Proposal{Kind: domain.ControlConflictEnd, Key: conflict.String(),
		Document: "{}"}, confirmer)
}

// confirmed adds a proposal by an administrator of its own, confirmed by the given person.
func (w *testEnv) confirmed(proposal domain.Proposal, confirmer domain.ID) domain.ID {
	w.t.Helper()
	proposal.ID, proposal.ProposedBy = domain.NewID(), w.person(domain.RoleAdmin).ID
	proposal.Report = []byte("{}")
	w.inTx(func(tx *store.Tx) error {
		if err := tx.PutProposal(w.ctx, proposal); err != nil {
			return err
		}
		return tx.EndProposal(w.ctx, proposal.ID, domain.ProposalPublished, confirmer, "")
	})
	return proposal.ID
}

// rows counts rows of a table as the owner.
func (w *testEnv) rows(table, where string, args ...any) int {
	w.t.Helper()
	var n int
	w.must(w.owner.QueryRow(w.ctx, "SELECT count(*) FROM "+table+" WHERE "+where, args...).Scan(&n))
	return n
}

// wantCode fails unless the error has the code.
func wantCode(t testing.TB, err error, code domain.Code) {
	t.Helper()
	if got := domain.CodeOf(err); got != code {
		t.Fatalf("code %q, want %q (%v)", got, code, err)
	}
}

// machineSources are the sources of fields that a new reading replaces.
var machineSources = []domain.FieldSource{domain.SourceXML, domain.SourceText, domain.SourceOCR,
	domain.SourceLLM, domain.SourceDeclared}

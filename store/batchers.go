package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
)

// batchers execute the hot statements of one DB for several callers at a time, so that the reads of
// a hundred workers and subscriptions cost Postgres a few statements. A Reader on the pool uses
// them; a Reader inside a transaction does not.
type batchers struct {
	slots        batch.Semaphore
	steps        *batch.Batcher[*Change, bool]
	leases       *batch.Batcher[leaseRequest, LeasedRun]
	clock        *batch.Batcher[struct{}, time.Time]
	authority    *batch.Batcher[struct{}, AuthorityVersions]
	rights       *batch.Batcher[struct{}, domain.RightsVersion]
	users        *batch.Batcher[domain.ID, domain.User]
	cases        *batch.Batcher[domain.ID, domain.Case]
	documents    *batch.Batcher[domain.ID, []domain.Document]
	fields       *batch.Batcher[domain.ID, []CaseField]
	findings     *batch.Batcher[domain.ID, []CaseFinding]
	reviews      *batch.Batcher[domain.ID, []domain.Review]
	decisions    *batch.Batcher[domain.ID, []domain.Decision]
	exclusions   *batch.Batcher[exclusionsQuery, Exclusions]
	relatedCases *batch.Batcher[RelatedQuery, RelatedCases]
	rates        *batch.Batcher[rateQuery, Rate]
	parties      *batch.Batcher[PartyNames, FoundParty]
	eventPages   *batch.Batcher[eventsAfterQuery, domain.StreamPage]
}

func newBatchers(db *DB) *batchers {
	// without batchers, otherwise a batch would wait for itself
	r := Reader{q: db.pool, partitions: db.partitions}
	slots := batch.NewSemaphore()
	return &batchers{
		slots: slots,
		steps: batch.NewWrites(slots, maxStepBatch,
			func(c *Change) any { return c.Case.ID }, db.writeSteps),

		leases:  batch.NewWrites(slots, maxLeaseBatch, nil, db.leaseBatch),
		parties: batch.NewWrites(slots, batch.MaxReads, nil, db.ensureParties),

		clock:     batch.NewReads(slots, batch.Shared(r.Clock)),
		authority: batch.NewReads(slots, batch.Shared(r.AuthorityVersion)),
		rights:    batch.NewReads(slots, batch.Shared(r.RightsVersion)),

		users: batch.NewReads(slots, batch.Rows(r.usersByID,
			func(u domain.User) domain.ID { return u.ID }, notFound("user"))),
		cases: batch.NewReads(slots, batch.Rows(r.Cases,
			func(c domain.Case) domain.ID { return c.ID }, notFound("case"))),

		documents: batch.NewReads(slots, batch.Lists(r.documents,
			func(d domain.Document) domain.ID { return d.CaseID })),
		fields: batch.NewReads(slots, batch.Lists(r.fields,
			func(f CaseField) domain.ID { return f.CaseID })),
		findings: batch.NewReads(slots, batch.Lists(r.findings,
			func(f CaseFinding) domain.ID { return f.CaseID })),
		reviews: batch.NewReads(slots, batch.Lists(r.reviewsOf,
			func(v domain.Review) domain.ID { return v.CaseID })),
		decisions: batch.NewReads(slots, batch.Lists(r.decisions,
			func(d domain.Decision) domain.ID { return d.CaseID })),

		exclusions:   batch.NewReads(slots, batch.Ordered(r.exclusionsBatch)),
		relatedCases: batch.NewReads(slots, batch.Ordered(r.relatedCasesBatch)),
		rates:        batch.NewReads(slots, batch.Ordered(r.ratesBatch)),
		eventPages:   batch.NewReads(slots, batch.Ordered(r.eventsAfterBatch)),
	}
}

// notFound returns the error of a row that does not exist, as a query for it alone would.
func notFound(op string) func() error {
	return func() error { return translate(pgx.ErrNoRows, op) }
}

// noBatchers are those of a Reader inside a transaction: none.
var noBatchers = &batchers{}

// availableBatchers returns the batchers of the Reader; their fields are nil inside a transaction.
func (r Reader) availableBatchers() *batchers {
	if r.batchers == nil {
		return noBatchers
	}
	return r.batchers
}

// batchedOr executes the request through the batcher, or individually if there is no batcher or the
// batch could not serve it.
func batchedOr[I, O any](ctx context.Context, b *batch.Batcher[I, O], input I,
	individually func() (O, error)) (O, error) {
	if b != nil {
		if value, err := batched(ctx, b, input); !errors.Is(err, batch.ErrNotBatched) {
			return value, err
		}
	}
	return individually()
}

// batched executes the request through the batcher. The end of the caller's context is translated
// as it is for a query.
func batched[I, O any](ctx context.Context, b *batch.Batcher[I, O], input I) (O, error) {
	value, err := b.Do(ctx, input)
	var canceled *batch.CanceledError
	if errors.As(err, &canceled) {
		err = translate(canceled.Err, "batch")
	}
	return value, err
}

// ErrNotBatched is the error of a request that its batch could not serve; the caller executes the
// request individually.
var ErrNotBatched = batch.ErrNotBatched

// Batcher executes concurrent commands that may share a transaction. It does not delay a command to
// wait for others.
type Batcher[I, O any] struct{ writes *batch.Batcher[I, O] }

// NewBatcher returns a batcher that shares the slots of the DB's own batches. A batch holds at most
// maxSize inputs; execute must return a value and an error for each of them.
func NewBatcher[I, O any](db *DB, maxSize int,
	execute func(context.Context, []I) ([]O, []error)) *Batcher[I, O] {
	return &Batcher[I, O]{batch.NewWrites(db.batchers.slots, maxSize, nil, execute)}
}

// Do returns the result of the input. If the context ends before a batch has claimed the input,
// nothing is executed; after that Do waits for the result.
func (b *Batcher[I, O]) Do(ctx context.Context, input I) (O, error) {
	return batched(ctx, b.writes, input)
}

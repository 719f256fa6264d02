package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// maxReadBatch is how many questions of one kind share a statement.
const maxReadBatch = 128

// batchers are the batch statements of one DB. A Reader on the pool asks through them, so that what a hundred workers and
// live pages read one by one costs Postgres a few statements; a Reader inside a transaction never does.
type batchers struct {
	slots        semaphore
	steps        *batcher[*Change, bool]
	leases       *batcher[leaseRequest, LeasedRun]
	clock        *batcher[struct{}, time.Time]
	authority    *batcher[struct{}, AuthorityVersions]
	rights       *batcher[struct{}, domain.RightsVersion]
	users        *batcher[domain.ID, domain.User]
	cases        *batcher[domain.ID, domain.Case]
	documents    *batcher[domain.ID, []domain.Document]
	fields       *batcher[domain.ID, []CaseField]
	findings     *batcher[domain.ID, []CaseFinding]
	reviews      *batcher[domain.ID, []domain.Review]
	decisions    *batcher[domain.ID, []domain.Decision]
	exclusions   *batcher[exclusionsQuery, Exclusions]
	relatedCases *batcher[relatedCasesQuery, RelatedCases]
	rates        *batcher[rateQuery, Rate]
	parties      *batcher[partyQuery, partyResult]
	eventPages   *batcher[eventsAfterQuery, domain.StreamPage]
}

func newBatchers(db *DB) *batchers {
	r := Reader{q: db.pool, partitions: db.partitions} // without gathers: what is asked together must not be asked together again
	l := newSemaphore()
	steps := newWriteBatcher(l, maxStepBatch, db.writeSteps)
	steps.conflictKey = func(c *Change) any { return c.Case.ID }
	return &batchers{slots: l,
		steps: steps, leases: newWriteBatcher(l, maxLeaseBatch, db.leaseBatch), parties: newWriteBatcher(l, maxReadBatch, db.ensureParties),
		clock: newSharedBatcher(l, r.Clock), authority: newSharedBatcher(l, r.AuthorityVersion), rights: newSharedBatcher(l, r.RightsVersion),
		users:      newRowBatcher(l, "user", r.usersByID, func(u domain.User) domain.ID { return u.ID }),
		cases:      newRowBatcher(l, "case", r.Cases, func(c domain.Case) domain.ID { return c.ID }),
		documents:  newListBatcher(l, r.documents, func(d domain.Document) domain.ID { return d.CaseID }),
		fields:     newListBatcher(l, r.fields, func(f CaseField) domain.ID { return f.CaseID }),
		findings:   newListBatcher(l, r.findings, func(f CaseFinding) domain.ID { return f.CaseID }),
		reviews:    newListBatcher(l, r.reviewsOf, func(v domain.Review) domain.ID { return v.CaseID }),
		decisions:  newListBatcher(l, r.decisions, func(d domain.Decision) domain.ID { return d.CaseID }),
		exclusions: newOrderedBatcher(l, r.exclusionsBatch), relatedCases: newOrderedBatcher(l, r.relatedCasesBatch), rates: newOrderedBatcher(l, r.ratesBatch), eventPages: newOrderedBatcher(l, r.eventsAfterBatch),
	}
}

// noBatchers are those of a reader inside a transaction.
var noBatchers = &batchers{}

// availableBatchers are the gathers of the reader, or none.
func (r Reader) availableBatchers() *batchers {
	if r.batchers == nil {
		return noBatchers
	}
	return r.batchers
}

// newSharedBatcher gathers a question without arguments: one answer serves everybody.
func newSharedBatcher[A any](l semaphore, load func(context.Context) (A, error)) *batcher[struct{}, A] {
	return newReadBatcher(l, func(ctx context.Context, questions []struct{}) ([]A, []error) {
		value, err := load(ctx)
		values, errs := uniformResults[A](len(questions), err)
		for i := range values {
			values[i] = value
		}
		return values, errs
	})
}

// newListBatcher gathers questions for the rows of one case each.
func newListBatcher[R any](l semaphore, load func(context.Context, ...domain.ID) ([]R, error), idOf func(R) domain.ID) *batcher[domain.ID, []R] {
	return newReadBatcher(l, func(ctx context.Context, ids []domain.ID) ([][]R, []error) {
		rows, err := load(ctx, distinctIDs(ids)...)
		values, errs := uniformResults[[]R](len(ids), batchError(err, len(ids)))
		if err != nil {
			return values, errs
		}
		by := make(map[domain.ID][]R, len(ids))
		for _, row := range rows {
			by[idOf(row)] = append(by[idOf(row)], row)
		}
		for i, id := range ids {
			values[i] = append([]R(nil), by[id]...) // to each its own
		}
		return values, errs
	})
}

// newRowBatcher gathers questions for one row each. A row that does not exist is NotFound without a second question, so that it
// takes the time of one that does.
func newRowBatcher[R any](l semaphore, op string, load func(context.Context, []domain.ID) ([]R, error), idOf func(R) domain.ID) *batcher[domain.ID, R] {
	return newReadBatcher(l, func(ctx context.Context, ids []domain.ID) ([]R, []error) {
		rows, err := load(ctx, distinctIDs(ids))
		values, errs := uniformResults[R](len(ids), batchError(err, len(ids)))
		if err != nil {
			return values, errs
		}
		by := make(map[domain.ID]R, len(ids))
		for _, row := range rows {
			by[idOf(row)] = row
		}
		for i, id := range ids {
			value, ok := by[id]
			if values[i] = value; !ok {
				errs[i] = translate(pgx.ErrNoRows, op)
			}
		}
		return values, errs
	})
}

// newOrderedBatcher gathers questions whose answers come in their order.
func newOrderedBatcher[Q, A any](l semaphore, load func(context.Context, []Q) ([]A, []error, error)) *batcher[Q, A] {
	return newReadBatcher(l, func(ctx context.Context, questions []Q) ([]A, []error) {
		values, errs, err := load(ctx, questions)
		if err != nil {
			return uniformResults[A](len(questions), batchError(err, len(questions)))
		}
		return values, errs
	})
}

// batchError is what an error of a batch statement means to each: a question alone has its answer, the others ask again alone.
func batchError(err error, questions int) error {
	if err == nil || questions == 1 || domain.HasCode(err, domain.Unavailable) {
		return err
	}
	return errNotBatched
}

// singleResult is the answer to a question that was asked alone.
func singleResult[A any](values []A, errs []error, err error) (A, error) {
	if err == nil && len(values) == 1 {
		return values[0], errs[0]
	}
	var none A
	return none, err
}

func distinctIDs(ids []domain.ID) []domain.ID {
	seen := make(map[domain.ID]bool, len(ids))
	unique := make([]domain.ID, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			unique = append(unique, id)
		}
	}
	return unique
}

// batchedOr asks through the batcher, or alone where the batch statement could not serve or there is none.
func batchedOr[Q, A any](ctx context.Context, g *batcher[Q, A], question Q, alone func() (A, error)) (A, error) {
	if g != nil {
		if value, err := g.submit(ctx, question); !errors.Is(err, errNotBatched) {
			return value, err
		}
	}
	return alone()
}

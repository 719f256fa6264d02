package store

import (
	"context"
	"errors"
	"time"

	"countersign/domain"
)

// readsTogether is how many questions of one kind share a statement.
const readsTogether = 128

// gathers are the joint statements of one DB. A Reader on the pool asks through them, so that what a hundred workers and
// live pages read one by one costs Postgres a few statements; a Reader inside a transaction never does.
type gathers struct {
	lane      lane
	steps     *gather[*Change, bool]
	leases    *gather[leaseOf, Leased]
	clock     *gather[struct{}, time.Time]
	authority *gather[struct{}, Authority]
	users     *gather[domain.ID, domain.User]
	cases     *gather[domain.ID, domain.Case]
	documents *gather[domain.ID, []domain.Document]
	fields    *gather[domain.ID, []FieldOf]
	findings  *gather[domain.ID, []FindingOf]
	reviews   *gather[domain.ID, []domain.Review]
	decisions *gather[domain.ID, []domain.Decision]
	bars      *gather[barsOf, Bars]
	kin       *gather[kinOf, Kin]
	rates     *gather[rateAt, Rate]
	parties   *gather[partyNamed, partyFound]
	logs      *gather[logAfter, domain.LogReading]
}

func newGathers(db *DB) *gathers {
	r := Reader{q: db.pool, months: db.months} // without gathers: what is asked together must not be asked together again
	l := newLane()
	steps := writing(l, stepsTogether, db.steps)
	steps.apart = func(c *Change) any { return c.Case.ID }
	return &gathers{lane: l,
		steps: steps, leases: writing(l, leasesTogether, db.leaseMany), parties: writing(l, readsTogether, db.ensureParties),
		clock: oneAnswer(l, r.Clock), authority: oneAnswer(l, r.AuthorityVersion),
		users:     found(l, r.usersOf, func(u domain.User) domain.ID { return u.ID }),
		cases:     found(l, r.Cases, func(c domain.Case) domain.ID { return c.ID }),
		documents: listed(l, r.documents, func(d domain.Document) domain.ID { return d.CaseID }),
		fields:    listed(l, r.fields, func(f FieldOf) domain.ID { return f.CaseID }),
		findings:  listed(l, r.findings, func(f FindingOf) domain.ID { return f.CaseID }),
		reviews:   listed(l, r.reviewsOf, func(v domain.Review) domain.ID { return v.CaseID }),
		decisions: listed(l, r.decisions, func(d domain.Decision) domain.ID { return d.CaseID }),
		bars:      inOrder(l, r.barsOf), kin: inOrder(l, r.kinOf), rates: inOrder(l, r.ratesAt), logs: inOrder(l, r.logsAfter),
	}
}

// noGathers are those of a reader inside a transaction.
var noGathers = &gathers{}

// ask are the gathers of the reader, or none.
func (r Reader) ask() *gathers {
	if r.joint == nil {
		return noGathers
	}
	return r.joint
}

// oneAnswer gathers a question without arguments: one answer serves everybody.
func oneAnswer[A any](l lane, load func(context.Context) (A, error)) *gather[struct{}, A] {
	return reading(l, func(ctx context.Context, questions []struct{}) ([]A, []error) {
		value, err := load(ctx)
		values, errs := all[A](len(questions), err)
		for i := range values {
			values[i] = value
		}
		return values, errs
	})
}

// listed gathers questions for the rows of one case each.
func listed[R any](l lane, load func(context.Context, ...domain.ID) ([]R, error), idOf func(R) domain.ID) *gather[domain.ID, []R] {
	return reading(l, func(ctx context.Context, ids []domain.ID) ([][]R, []error) {
		rows, err := load(ctx, distinct(ids)...)
		values, errs := all[[]R](len(ids), shared(err, len(ids)))
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

// found gathers questions for one row each.
func found[R any](l lane, load func(context.Context, []domain.ID) ([]R, error), idOf func(R) domain.ID) *gather[domain.ID, R] {
	return reading(l, func(ctx context.Context, ids []domain.ID) ([]R, []error) {
		rows, err := load(ctx, distinct(ids))
		values, errs := all[R](len(ids), shared(err, len(ids)))
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
				errs[i] = errAlone // the single question words the refusal
			}
		}
		return values, errs
	})
}

// inOrder gathers questions whose answers come in their order.
func inOrder[Q, A any](l lane, load func(context.Context, []Q) ([]A, []error, error)) *gather[Q, A] {
	return reading(l, func(ctx context.Context, questions []Q) ([]A, []error) {
		values, errs, err := load(ctx, questions)
		if err != nil {
			return all[A](len(questions), shared(err, len(questions)))
		}
		return values, errs
	})
}

// shared is what an error of a joint statement means to each: a question alone has its answer, the others ask again alone.
func shared(err error, questions int) error {
	if err == nil || questions == 1 || domain.HasCode(err, domain.Unavailable) {
		return err
	}
	return errAlone
}

// sole is the answer to a question that was asked alone.
func sole[A any](values []A, errs []error, err error) (A, error) {
	if err == nil && len(values) == 1 {
		return values[0], errs[0]
	}
	var none A
	return none, err
}

func distinct(ids []domain.ID) []domain.ID {
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

// askOr asks through the gather, or alone where the joint statement could not serve or there is none.
func askOr[Q, A any](ctx context.Context, g *gather[Q, A], question Q, alone func() (A, error)) (A, error) {
	if g != nil {
		if value, err := g.ask(ctx, question); !errors.Is(err, errAlone) {
			return value, err
		}
	}
	return alone()
}

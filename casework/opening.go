package casework

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// openTogether is how many submissions share a transaction.
const openTogether = 32

// submission is a checked submission whose file is kept.
type submission struct {
	actor    domain.Actor
	kase     domain.Case
	document domain.Document
	upload   domain.ID // that the file came by, or NoID
}

// opened is what came of it; after is nil for a repeated command.
type opened struct {
	result Submitted
	after  *transition
}

// openOf opens the case. Submissions of the same moment share one transaction, in which each is judged by itself on the
// rows that the transaction holds; they touch no row of each other. One with an idempotency key or an upload, which may
// have to wait for its twin, has its own; so has each of a transaction that failed.
func (h *Hall) openOf(ctx context.Context, s submission, once Once, request any) (opened, error) {
	if once.Key == "" && s.upload == domain.NoID {
		got, err := h.openings.Ask(ctx, s)
		if !errors.Is(err, store.ErrAlone) {
			return got, err
		}
	}
	var got opened
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := h.replay(ctx, tx, s.actor, "submit", once, request, &got.result)
		if err != nil || replayed {
			return err
		}
		all, refusals, err := h.openIn(ctx, tx, []submission{s})
		if err == nil {
			err = refusals[0]
		}
		if err != nil {
			return err
		}
		got = all[0]
		return h.keep(ctx, tx, s.actor, "submit", once, got.result)
	})
	return got, err
}

// openMany opens the cases in one transaction.
func (h *Hall) openMany(ctx context.Context, batch []submission) ([]opened, []error) {
	var all []opened
	var refusals []error
	err := h.db.InTx(ctx, func(tx *store.Tx) (err error) {
		all, refusals, err = h.openIn(ctx, tx, batch)
		return err
	})
	if err == nil {
		return all, refusals
	}
	if !domain.HasCode(err, domain.Unavailable) && !domain.HasCode(err, domain.Busy) {
		err = store.ErrAlone
	}
	refusals = make([]error, len(batch))
	for i := range refusals {
		refusals[i] = err
	}
	return make([]opened, len(batch)), refusals
}

// openIn holds the authority and the persons, judges every submission and writes the ones that may be. A refusal of one
// is its own; an error is everybody's.
func (h *Hall) openIn(ctx context.Context, tx *store.Tx, batch []submission) ([]opened, []error, error) {
	var people []domain.ID
	asked := make([]store.NewCase, len(batch))
	for i, s := range batch {
		people = append(people, behind(s.actor)...)
		asked[i] = store.NewCase{CaseID: s.kase.ID, Process: s.kase.ProcessKey, SHA256: s.document.SHA256}
	}
	slices.SortFunc(people, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	hold, err := h.hold(ctx, tx, slices.Compact(people)...)
	if err != nil {
		return nil, nil, err
	}
	openings, err := tx.Openings(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	all, refusals := make([]opened, len(batch)), make([]error, len(batch))
	var changes []*store.Change
	for i, s := range batch {
		if all[i], refusals[i] = h.openOne(ctx, tx, hold, s, openings[i]); refusals[i] == nil {
			changes = append(changes, &all[i].after.change)
		}
	}
	if len(changes) == 0 {
		return all, refusals, nil
	}
	return all, refusals, tx.ApplyAll(ctx, changes)
}

// openOne judges a submission and makes its case's rows and first events.
func (h *Hall) openOne(ctx context.Context, tx *store.Tx, hold *holding, s submission, opening store.Opening) (opened, error) {
	c, err := hold.command(ctx, tx, h, s.actor)
	if err != nil {
		return opened{}, err
	}
	if _, err := c.held.judge.AuthorizePlain(c.persons[0], domain.ActSubmit); err != nil {
		return opened{}, err
	}
	if err := c.take(s.upload, s.kase.ID, store.UploadSubmitted); err != nil {
		return opened{}, err
	}
	if opening.Definition == 0 {
		return opened{}, domain.Invalid("process", "there is no process %q", s.kase.ProcessKey)
	}
	def, err := h.definitions.get(ctx, tx.Reader, s.kase.ProcessKey, opening.Definition)
	if err != nil {
		return opened{}, err
	}
	if err := c.open(s.kase, s.document, def, opening); err != nil {
		return opened{}, err
	}
	return opened{Submitted{CaseID: s.kase.ID, Reference: opening.Reference, Twins: opening.Twins}, c.transition}, nil
}

// open puts together the case's rows and first events.
func (c *command) open(kase domain.Case, document domain.Document, def *workflow.Definition, opening store.Opening) error {
	kase.Reference, kase.ProcessVersion = opening.Reference, def.Version
	kase.Status, kase.CreatedAt, document.CreatedAt = domain.Received, opening.Now, opening.Now
	before := kase
	before.Version = 0
	c.transition.start(before, def, opening.Now)
	c.change.New, c.change.Document = true, &document
	c.change.Interests = []domain.Interest{{CaseID: kase.ID, Person: c.actor.UserID, Reason: domain.InterestSubmitter}}
	body := generated.CaseSubmittedV1{Channel: string(kase.Channel), DocumentType: kase.DocumentType, DuplicateOf: opening.Twins,
		FileName: document.FileName, MediaType: document.MediaType, Process: kase.ProcessKey, ProcessVersion: int64(def.Version),
		Reference: kase.Reference, SHA256: hex.EncodeToString(document.SHA256), Size: document.Size}
	if kase.DeclaredAmount.Currency != "" {
		body.DeclaredAmount, body.DeclaredCurrency = kase.DeclaredAmount.Decimal(), kase.DeclaredAmount.Currency
	}
	c.tell(body)
	if err := c.transition.advance(workflow.Event{Kind: workflow.Started}, processFacts(kase, nil, nil)); err != nil {
		return err
	}
	return c.finish(c.hall.salts)
}

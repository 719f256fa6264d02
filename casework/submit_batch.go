package casework

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/internal/tracing"
	"countersign/store"
	"countersign/workflow"
)

// maxSubmissionBatch is the maximum number of submissions in one transaction.
const maxSubmissionBatch = 32

// submission is a validated submission whose file is stored.
type submission struct {
	actor    domain.Actor
	record   domain.Case
	document domain.Document
	upload   domain.ID // the upload of the file, or NoID
	order    *domain.Order
	// supporting are the supporting documents, and uploads those of them that were uploaded before.
	supporting []domain.SupportingDocument
	uploads    []domain.ID
	ground     *domain.OrderGround // of the order, as the submitter stated it
	// stated are the attributes as the submitter entered them.
	stated []domain.StatedAttribute
	// inherited are the statements about the file of the parent, for a part of it, or about the archived
	// case, for its correction.
	inherited []domain.AssertionSet
	// traceparent is the span of the submission in a transaction that it shares with others.
	traceparent string
}

// inherits reports whether the case has the statements of another one instead of a declaration.
func (s submission) inherits() bool { return s.record.Part.IsPart() || len(s.inherited) > 0 }

// submissionOutcome is the result of a submission; transition is nil for a replayed command.
type submissionOutcome struct {
	result     SubmitResult
	transition *transition
}

// submitOne creates the case. Concurrent submissions share one transaction, in which each is
// checked independently; they write no common rows. A submission with an idempotency key or an
// upload runs alone, because it may have to wait for a repetition of itself. So does each
// submission of a failed batch.
func (svc *Service) submitOne(
	ctx context.Context, s submission, once Once, request any,
) (submissionOutcome, error) {
	if once.Key == "" && s.upload == domain.NoID && len(s.uploads) == 0 {
		traced, span := tracing.Begin(ctx, "command submit", slog.Any("case", s.record.ID))
		s.traceparent = tracing.Traceparent(traced)
		outcome, err := svc.submissions.Do(traced, s)
		span.End(spanCode(err))
		if !errors.Is(err, store.ErrNotBatched) {
			return outcome, err
		}
		s.traceparent = ""
	}
	var outcome submissionOutcome
	// insertCases locks the authority, because in a batch it locks the users of every submission.
	// The caller notifies and logs refusals, as it does for a batch.
	spec := workSpec{operation: "submit", once: once, request: request, result: &outcome.result,
		callerLogsRefusal: true}
	err := svc.runUnitOfWork(ctx, s.actor, spec, func(w *unitOfWork) error {
		all, refusals, err := svc.insertCases(ctx, w.tx, []submission{s})
		if err == nil {
			err = refusals[0]
		}
		if err != nil {
			return err
		}
		outcome = all[0]
		return nil
	})
	return outcome, err
}

// submitBatch creates the cases in one transaction.
func (svc *Service) submitBatch(
	ctx context.Context, batch []submission,
) ([]submissionOutcome, []error) {
	var all []submissionOutcome
	var refusals []error
	err := svc.db.InTx(ctx, func(tx *store.Tx) (err error) {
		all, refusals, err = svc.insertCases(ctx, tx, batch)
		return err
	})
	if err == nil {
		return all, refusals
	}
	if !domain.HasCode(err, domain.Unavailable) && !domain.HasCode(err, domain.Busy) {
		err = store.ErrNotBatched
	}
	refusals = make([]error, len(batch))
	for i := range refusals {
		refusals[i] = err
	}
	return make([]submissionOutcome, len(batch)), refusals
}

// insertCases locks the authority and the users, checks every submission and inserts those that are
// allowed. A refusal concerns one submission; an error concerns all.
func (svc *Service) insertCases(
	ctx context.Context, tx *store.Tx, batch []submission,
) ([]submissionOutcome, []error, error) {
	var users []domain.ID
	requests := make([]store.NewCaseRequest, len(batch))
	for i, s := range batch {
		users = append(users, actingUserIDs(s.actor)...)
		requests[i] = store.NewCaseRequest{CaseID: s.record.ID, Process: s.record.ProcessKey,
			DocumentType: s.record.DocumentType, SHA256: s.document.SHA256}
	}
	slices.SortFunc(users, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	locked, err := svc.lockAuthority(ctx, tx, slices.Compact(users)...)
	if err != nil {
		return nil, nil, err
	}
	newCases, err := tx.PrepareNewCases(ctx, requests)
	if err != nil {
		return nil, nil, err
	}
	all, refusals := make([]submissionOutcome, len(batch)), make([]error, len(batch))
	var changes []*store.Change
	for i, s := range batch {
		if all[i], refusals[i] = svc.buildSubmission(ctx, tx, locked, s,
			newCases[i]); refusals[i] == nil {
			changes = append(changes, &all[i].transition.change)
		}
	}
	if len(changes) == 0 {
		return all, refusals, nil
	}
	return all, refusals, tx.ApplyAll(ctx, changes)
}

// buildSubmission checks a submission and builds the rows and first events of its case.
func (svc *Service) buildSubmission(
	ctx context.Context, tx *store.Tx, locked *lockedAuthority, s submission,
	newCase store.NewCaseData,
) (submissionOutcome, error) {
	c, err := locked.newCommand(ctx, tx, svc, s.actor)
	if err != nil {
		return submissionOutcome{}, err
	}
	if s.traceparent != "" {
		c.traceparent = s.traceparent
	}
	if _, err := c.snapshot.authorizer.AuthorizeGlobal(c.persons[0], domain.ActSubmit); err != nil {
		return submissionOutcome{}, err
	}
	if err := c.consumeUpload(s.upload, s.record.ID, store.UploadSubmitted); err != nil {
		return submissionOutcome{}, err
	}
	for _, id := range s.uploads {
		if err := c.consumeUpload(id, s.record.ID, store.UploadSupporting); err != nil {
			return submissionOutcome{}, err
		}
	}
	if newCase.DefinitionVersion == 0 {
		return submissionOutcome{}, noProcess(s.record.ProcessKey)
	}
	def, err := svc.definitions.get(ctx, tx.Reader, s.record.ProcessKey, newCase.DefinitionVersion)
	if err != nil {
		return submissionOutcome{}, err
	}
	svc.definitions.note(def)
	if def.Callable {
		return submissionOutcome{}, noCases(def.Key)
	}
	if err := checkOrderRule(def, s.order); err != nil {
		return submissionOutcome{}, err
	}
	if err := checkTypeAccepted(def, s); err != nil {
		return submissionOutcome{}, err
	}
	if s.record.Attributes, err = s.attributesFor(def); err != nil {
		return submissionOutcome{}, err
	}
	if s.supporting, err = s.supportingFor(def, s.document.SHA256); err != nil {
		return submissionOutcome{}, err
	}
	if err := c.buildCase(s, def, newCase); err != nil {
		return submissionOutcome{}, err
	}
	return submissionOutcome{SubmitResult{CaseID: s.record.ID, Reference: newCase.Reference,
		Twins: newCase.Duplicates}, c.transition}, nil
}

// buildCase builds the case's rows and first events.
func (c *command) buildCase(
	s submission, def *workflow.Definition, newCase store.NewCaseData,
) error {
	record, document := s.record, s.document
	record.Reference, record.ProcessVersion = newCase.Reference, def.Version
	record.DocumentTypeVersion = newCase.DocumentTypeVersion
	kind, err := c.svc.documentType(c.ctx, c.tx.Reader, record)
	if err != nil {
		return err
	}
	if err := checkTypeFits(def, kind); err != nil {
		return err
	}
	record.Status, record.CreatedAt, document.CreatedAt = domain.Received, newCase.Now, newCase.Now
	declared := facts.Declared(record)
	if s.order != nil {
		declared.Assertions = facts.OrderAssertions(*s.order)
	}
	statements := []domain.AssertionSet{declared}
	if s.inherits() {
		statements = s.inherited
	}
	record.Missing, record.Unstated = missingFacts(def, record, withSets(nil, statements...))
	before := record
	before.Version = 0
	c.start(before, def, newCase.Now)
	c.change.New, c.change.Document = true, &document
	c.change.Interests = []domain.Interest{{CaseID: record.ID, Person: c.actor.UserID,
		Reason: domain.InterestSubmitter}}
	if err := c.stateAtSubmission(s, declared); err != nil {
		return err
	}
	if err := c.addOrder(s); err != nil {
		return err
	}
	body := generated.CaseSubmittedV1{Channel: string(record.Channel),
		DocumentType: record.DocumentType, DuplicateOf: newCase.Duplicates,
		FileName: document.FileName, MediaType: document.MediaType, Process: record.ProcessKey,
		ProcessVersion: int64(def.Version),
		Reference:      record.Reference, SHA256: hex.EncodeToString(document.SHA256),
		Size: document.Size, Assertions: assertionHashes(c.change.Assertions),
		Attributes: attributesBody(record.Attributes), Inherited: s.inheritedBody(c.change.Assertions)}
	if part := record.Part; part.IsPart() {
		body.ParentCaseID = part.Parent
		first, last := int64(part.First), int64(part.Last)
		body.FirstPage, body.LastPage = &first, &last
	}
	if record.DeclaredAmount.Currency != "" {
		body.DeclaredAmount, body.DeclaredCurrency = record.DeclaredAmount.Decimal(),
			record.DeclaredAmount.Currency
	}
	facts := processFacts(def, record, kind, nil, nil)
	facts.Unseen = len(s.supporting) > 0
	if err := c.applyEvent(workflow.Event{Kind: workflow.Started}, facts, body); err != nil {
		return err
	}
	c.addSupporting(s.supporting)
	return c.chainEvents(c.svc.salts)
}

package casework

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// heritage is what the cases of a file that is split, or whose parts are merged, inherit.
type heritage struct {
	origin     domain.Case // the case that had all pages
	document   domain.Document
	statements []domain.AssertionSet
	reviews    []domain.KeptReview
	excluded   []domain.ID
	duplicates []domain.ID // cases with a copy of the file
}

// partOf returns the part with some pages of the newest document of the origin.
func (h *heritage) partOf(pages PageRange) domain.CasePart {
	origin := h.origin
	part := domain.CasePart{Parent: origin.ID, Origin: origin.ID, First: pages.First,
		Last: pages.Last, Reviews: h.reviews}
	if origin.Part.PagesOf(h.document) {
		part.Origin = origin.Part.Origin
		part.First += origin.Part.First - 1
		part.Last += origin.Part.First - 1
	}
	return part
}

// inheritedFrom returns what parts inherit of the assertions about a case: everything that the submitter,
// people, programs and e-invoices stated, with its author, its time and whether it resolves or waits
// for a second person. Of readings it is the unresolved amounts, because limits and levels depend on them.
// A part reads everything else from its own pages, but not from a document that was replaced.
func inheritedFrom(id domain.ID, history facts.History) []domain.AssertionSet {
	var sets []domain.AssertionSet
	for i := range history {
		set := history[i]
		counts := func(a domain.Assertion) bool { return true }
		if set.Source.IsMachine() {
			counts = countingReading(history, &history[i])
		}
		set.Assertions = nil
		for _, a := range history[i].Assertions {
			if !counts(a) {
				continue
			}
			if a.InheritedFrom == domain.NoID {
				a.InheritedFrom = id
			}
			a.Page, a.Box, a.Grounded = 0, nil, false // the pages have other numbers in a part
			set.Assertions = append(set.Assertions, a)
		}
		if len(set.Assertions) > 0 {
			set.DocumentRevision = 0
			sets = append(sets, set)
		}
	}
	return sets
}

// countingReading returns whether an assertion of the set, a reading, is inherited: a total that is unresolved, or
// a currency that it may have, which is that of its set, or of another reading if its own has none, as that of a
// corrected total has; and of a document that was replaced, which is not read again, an unresolved country or
// name, because the review by country and conflicts of interest depend on them.
func countingReading(history facts.History, set *domain.AssertionSet) func(domain.Assertion) bool {
	unresolved := func(a domain.Assertion) bool {
		return a.Value != "" && slices.ContainsFunc(history.Unresolved(a.Field),
			func(e facts.Entry) bool { return e.Set == set && e.Value == a.Value })
	}
	hasTotal := slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool {
		return a.Field == domain.FieldTotal && unresolved(a)
	})
	mayHave := hasTotal || slices.ContainsFunc(history.Unresolved(domain.FieldTotal), func(e facts.Entry) bool {
		return e.Value != "" && !slices.ContainsFunc(history.Unresolved(domain.FieldCurrency),
			func(c facts.Entry) bool { return c.Set == e.Set && c.Value != "" })
	})
	earlier := history.OfEarlierDocument(set)
	return func(a domain.Assertion) bool {
		counts := mayHave && (a.Field == domain.FieldTotal || a.Field == domain.FieldCurrency) ||
			earlier && (a.Field == domain.FieldVendor || facts.HasCountry(a.Field))
		return counts && unresolved(a)
	}
}

// runSplitCommand runs a command under a claim that changes the cases of a file, and notifies of the
// other cases after the commit; after a replay there are none.
func runSplitCommand[R any](
	ctx context.Context, svc *Service, actor domain.Actor, operation string, on ReviewTarget,
	request any, change func(*command, domain.Review) ([]*transition, R, error),
) (R, error) {
	var others []*transition
	result, err := runReviewCommand(ctx, svc, actor, operation, on, request,
		func(c *command, review domain.Review) (result R, err error) {
			others, result, err = change(c, review)
			return result, err
		})
	if err == nil {
		for _, other := range others {
			svc.notifyCommitted(ctx, other)
		}
	}
	return result, err
}

// onAnotherCase returns a command of the same person on another case, in the same transaction.
func (c *command) onAnotherCase() *command {
	other := &command{svc: c.svc, ctx: c.ctx, tx: c.tx, snapshot: c.snapshot,
		authority: c.authority, persons: c.persons}
	other.transition = &transition{actor: c.actor, traceparent: c.traceparent, deadlineSpeed: c.deadlineSpeed,
		queueConfig: c.queueConfig, observe: c.svc.observe}
	return other
}

// insertParts inserts a case for each part.
func (c *command) insertParts(h *heritage, parts []domain.CasePart) ([]*transition, error) {
	records := make([]domain.Case, len(parts))
	requests := make([]store.NewCaseRequest, len(parts))
	for i, part := range parts {
		records[i] = h.recordOf(part)
		requests[i] = store.NewCaseRequest{CaseID: records[i].ID, Process: records[i].ProcessKey,
			DocumentType: records[i].DocumentType, SHA256: h.document.SHA256}
	}
	data, err := c.tx.PrepareNewCases(c.ctx, requests)
	if err != nil {
		return nil, err
	}
	def, err := c.svc.definitions.get(c.ctx, c.tx.Reader, h.origin.ProcessKey,
		h.origin.ProcessVersion)
	if err != nil {
		return nil, err
	}
	transitions := make([]*transition, len(parts))
	changes := make([]*store.Change, len(parts))
	for i, record := range records {
		data[i].Duplicates = h.duplicates
		data[i].DocumentTypeVersion = h.origin.DocumentTypeVersion
		if transitions[i], err = c.buildPart(h, def, record, data[i]); err != nil {
			return nil, err
		}
		changes[i] = &transitions[i].change
	}
	return transitions, c.tx.ApplyAll(c.ctx, changes)
}

// recordOf returns the new case of a part.
func (h *heritage) recordOf(part domain.CasePart) domain.Case {
	origin := h.origin
	record := domain.Case{ID: domain.NewID(), ProcessKey: origin.ProcessKey,
		DocumentType: origin.DocumentType, Channel: origin.Channel,
		DeclaredAmount: origin.DeclaredAmount, Submitter: origin.Submitter, Part: part,
		Attributes: origin.Attributes,
		Version:    1, FactsRevision: h.firstRevision(), Country: h.declaredCountry()}
	record.CorrelationID = record.ID.String()
	return record
}

// firstRevision returns the facts revision of a new case that inherits the statements.
func (h *heritage) firstRevision() int64 { return max(2, int64(len(h.statements))) }

// declaredCountry returns the country that the submitter of the origin declared, "" without one.
func (h *heritage) declaredCountry() (country string) {
	for _, entry := range facts.History(h.statements).Of(domain.FieldCountry) {
		if entry.Set.Source == domain.SourceDeclared && entry.Set.By == h.origin.Submitter {
			country = entry.Value
		}
	}
	return country
}

// buildPart builds the rows and first events of a part.
func (c *command) buildPart(
	h *heritage, def *workflow.Definition, record domain.Case, data store.NewCaseData,
) (*transition, error) {
	document := domain.Document{ID: domain.NewID(), CaseID: record.ID, Revision: 1,
		FileName: h.document.FileName, MediaType: h.document.MediaType, Size: h.document.Size,
		SHA256: h.document.SHA256, BlobKey: h.document.BlobKey, CreatedBy: h.document.CreatedBy}
	part := c.onAnotherCase()
	built := submission{actor: c.actor, record: record, document: document,
		inherited: h.statements}
	if err := part.buildCase(built, def, data); err != nil {
		return nil, err
	}
	part.change.Interests = []domain.Interest{{CaseID: record.ID, Person: record.Submitter,
		Reason: domain.InterestSubmitter}}
	excluded := slices.Clone(h.excluded)
	slices.SortFunc(excluded, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	for _, person := range slices.Compact(excluded) {
		if person != record.Submitter {
			part.change.Interests = append(part.change.Interests, domain.Interest{
				CaseID: record.ID, Person: person, Reason: domain.InterestSplit})
		}
	}
	return part.transition, nil
}

// inherit adds inherited statements to a new case, each as a facts revision of its own, with its author
// and its time.
func (c *command) inherit(statements []domain.AssertionSet) error {
	for i, set := range statements {
		if err := sealSet(&set, c.svc.salts); err != nil {
			return fmt.Errorf("casework: inherited statement %d: %w", i+1, err)
		}
		set.CaseID, set.Revision = c.change.Case.ID, int64(i+1)
		if set.At.IsZero() { // of a case from before statements were stored
			set.At = c.now
		}
		c.change.Assertions = append(c.change.Assertions, set)
	}
	return nil
}

// inheritedBody returns who stated each inherited set, and when. The hash of a set covers only its values.
func (s submission) inheritedBody(sets []domain.AssertionSet) []generated.CaseSubmittedV1Inherited {
	if !s.inherits() {
		return nil
	}
	inherited := make([]generated.CaseSubmittedV1Inherited, 0, len(sets))
	for i := range sets {
		set := &sets[i]
		inherited = append(inherited, generated.CaseSubmittedV1Inherited{
			Assertions: hex.EncodeToString(set.Hash), Source: string(set.Source), By: set.By, At: set.At,
			Revision: set.Revision})
	}
	return inherited
}

// stateAtSubmission adds what is stated about a new case: the declaration, or what a part or a
// correction inherits.
func (c *command) stateAtSubmission(s submission, declared domain.AssertionSet) error {
	if s.inherits() {
		return c.inherit(s.inherited)
	}
	return c.assert(declared, c.svc.salts)
}

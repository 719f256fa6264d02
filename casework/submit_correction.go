package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/facts"
	"countersign/store"
)

// correctionStage is the stage of the finding of a correction case. No node of a process writes its
// findings, so the finding stays.
const correctionStage = "correction"

// prepareSettled stores the document of a case that the caller found archived wrongly as that of a new
// case. It returns an empty submission if the command needs none.
func (svc *Service) prepareSettled(
	ctx context.Context, actor domain.Actor, in SettleSample,
) (submission, error) {
	if in.ArchivedRightly || in.Reason == "" {
		return submission{}, nil
	}
	sample, err := svc.db.Reader().AssignedSample(ctx, actor.UserID)
	if err != nil || sample.ID != in.SampleID || sample.Status != domain.SampleDisputed {
		return submission{}, nil //nolint:nilerr // the command itself refuses, or replays its result
	}
	return svc.prepareCorrection(ctx, actor, sample.CaseID)
}

// prepareCorrection stores the newest document of a case as that of a new case. If the command fails
// later, the file is an orphan, which SweepFiles removes.
func (svc *Service) prepareCorrection(
	ctx context.Context, actor domain.Actor, caseID domain.ID,
) (submission, error) {
	r := svc.db.Reader()
	corrected, err := r.Case(ctx, caseID)
	if err != nil {
		return submission{}, err
	}
	original, err := r.Document(ctx, caseID)
	if err != nil {
		return submission{}, err
	}
	content, _, err := svc.ports.Blobs.Open(ctx, original.BlobKey)
	if err != nil {
		return submission{}, err
	}
	defer func() { _ = content.Close() }()
	c := domain.Case{ID: domain.NewID(), ProcessKey: corrected.ProcessKey,
		DocumentType: corrected.DocumentType, Channel: corrected.Channel,
		Country: corrected.Country, DeclaredAmount: corrected.DeclaredAmount,
		ProcessVersion: corrected.ProcessVersion, Attributes: corrected.Attributes,
		Submitter: actor.UserID, Version: 1, FactsRevision: 1}
	c.CorrelationID = c.ID.String()
	key, hash, size, err := svc.ports.Blobs.Put(ctx, c.ID, content)
	if err != nil {
		return submission{}, err
	}
	supporting, err := svc.copySupporting(ctx, actor, caseID, c.ID)
	if err != nil {
		return submission{}, err
	}
	return submission{actor: actor, record: c, supporting: supporting, document: domain.Document{ID: domain.NewID(),
		CaseID: c.ID, Revision: 1, FileName: original.FileName, MediaType: original.MediaType,
		Size: size, SHA256: hash, BlobKey: key, CreatedBy: actor.UserID}}, nil
}

// submitCorrection creates the correction case of an archived one: in the same process with the same
// document, with a blocking finding, and closed to the submitter of the archived case. It has no
// payment order, because it pays nothing. The caller has locked the archived case, which is not
// erased. The sample is NoID if a person found it wrong without one.
func (w *unitOfWork) submitCorrection(
	s submission, corrected domain.Case, sample domain.ID, reason string,
) (domain.ID, error) {
	if s.record.ID == domain.NoID {
		return domain.NoID, domain.Errorf(domain.Busy,
			"The case was changed at the same moment.").WithRemedy("Try again.")
	}
	data, err := w.tx.PrepareNewCases(w.ctx, []store.NewCaseRequest{{CaseID: s.record.ID,
		Process: s.record.ProcessKey, DocumentType: s.record.DocumentType,
		SHA256: s.document.SHA256}})
	if err != nil {
		return domain.NoID, err
	}
	def, err := w.svc.definitions.get(w.ctx, w.tx.Reader, s.record.ProcessKey,
		data[0].DefinitionVersion)
	if err == nil && !acceptsCopies(def, s) {
		// The version of the archived case still accepts what its submitter stated.
		def, err = w.svc.definitions.get(w.ctx, w.tx.Reader, s.record.ProcessKey,
			s.record.ProcessVersion)
	}
	if err != nil {
		return domain.NoID, err
	}
	// Older cases may have a document equal to a supporting one, and must stay correctable.
	if s.supporting, err = s.supportingFor(def, nil); err != nil {
		return domain.NoID, err
	}
	c := w.command
	if err := w.inheritArchived(&s, corrected); err != nil {
		return domain.NoID, err
	}
	if err := c.buildCase(s, def, data[0]); err != nil {
		return domain.NoID, err
	}
	submitters, err := submittersOf(w.ctx, w.tx.Reader, corrected)
	if err != nil {
		return domain.NoID, err
	}
	for _, submitter := range submitters {
		c.change.Interests = append(c.change.Interests, domain.Interest{CaseID: s.record.ID,
			Person: submitter, Reason: domain.InterestSubmitter})
	}
	c.change.StageFindings = append(c.change.StageFindings, store.StageFindings{
		Stage: correctionStage, Findings: []domain.Finding{correctionFinding(corrected, reason)}})
	if err := w.tx.ApplyAll(w.ctx, []*store.Change{&c.change}); err != nil {
		return domain.NoID, err
	}
	w.transitions = append(w.transitions, c.transition)
	return s.record.ID, w.tx.PutCorrection(w.ctx, s.record.ID, corrected.ID, sample)
}

// submittersOf returns who submitted a case, the archived case that it corrects if any, and so on, and the
// file of which one of them is a part.
func submittersOf(ctx context.Context, r store.Reader, record domain.Case) ([]domain.ID, error) {
	submitters := []domain.ID{record.Submitter}
	for {
		earlier, err := r.Corrects(ctx, record.ID)
		if err != nil {
			return nil, err
		}
		if earlier == domain.NoID {
			earlier = record.Part.Parent
		}
		if earlier == domain.NoID {
			return submitters, nil
		}
		if record, err = r.Case(ctx, earlier); err != nil {
			return nil, err
		}
		if !slices.Contains(submitters, record.Submitter) {
			submitters = append(submitters, record.Submitter)
		}
	}
}

// inheritArchived adds what was stated about the archived case to its correction, as to the part of a
// file: it counts for the risk, so that a correction needs everybody whom the archived case needed.
func (w *unitOfWork) inheritArchived(s *submission, archived domain.Case) error {
	rows, err := w.tx.Fields(w.ctx, archived.ID)
	if err != nil {
		return err
	}
	history, err := historyOf(w.ctx, w.tx.Reader, archived, fieldsFromRows(rows))
	if err != nil {
		return err
	}
	h := &heritage{origin: archived, statements: inheritedFrom(archived.ID, withoutOrder(history))}
	if len(h.statements) == 0 {
		return nil
	}
	s.inherited, s.record.Country = h.statements, h.declaredCountry()
	s.record.FactsRevision = h.firstRevision()
	return nil
}

// withoutOrder returns the history with what still counts of the payment order as declarations about the
// document: a correction pays nothing, but the people who decided had to decide about the order. They follow
// everything else, because nothing that was stated about the document resolves a value of the order. A payee
// that a reviewer no longer lets count keeps counting, because it does for conflicts of interest.
func withoutOrder(history facts.History) facts.History {
	documented, ordered := make(facts.History, 0, len(history)), facts.History{}
	for i := range history {
		set, declared := history[i], history[i]
		set.Assertions, declared.Assertions = nil, nil
		declared.Source = domain.SourceDeclared // the acceptance of an order confirms nothing about a document
		for _, a := range history[i].Assertions {
			switch {
			case !a.Order:
				set.Assertions = append(set.Assertions, a)
			case a.Field == domain.FieldVendor || facts.IsOfRiskOfOrder(a.Field) &&
				slices.ContainsFunc(history.Unresolved(a.Field), func(e facts.Entry) bool {
					return e.Set == &history[i] && e.Order && e.Value == a.Value
				}):
				a.Order, a.Resolves, a.Pending = false, false, ""
				declared.Assertions = append(declared.Assertions, a)
			}
		}
		documented = append(documented, set)
		if len(declared.Assertions) > 0 {
			ordered = append(ordered, declared)
		}
	}
	return append(documented, ordered...)
}

func correctionFinding(corrected domain.Case, reason string) domain.Finding {
	reason = strings.TrimRight(reason, ".。 ")
	return domain.Finding{Rule: domain.RuleCorrection, RuleVersion: 1,
		Severity: domain.SeverityBlocking,
		Message: "This case corrects " + corrected.Reference + ", which was archived wrongly: " +
			reason + ". An approval archives the corrected values and pays nothing, because " +
			corrected.Reference + " may have been paid. A further payment needs a new payment order.",
		Evidence: map[string]string{"case": corrected.Reference, "reason": reason}, Revision: 1}
}

package casework

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// CorrectArchived asks to correct an archived case.
type CorrectArchived struct {
	Once   Once
	CaseID domain.ID
	Reason string
}

// CorrectionResult is an archived case with its correction case.
type CorrectionResult struct {
	CaseID       domain.ID
	CorrectionID domain.ID
}

// CorrectArchived submits the correction of a case that the caller found archived wrongly: a case of
// its own with the same document, which other people decide and which pays nothing. The archived case
// keeps every byte. The caller must be able to read the case and to decide documents of its process at
// its amount. Its submitter cannot correct it.
func (svc *Service) CorrectArchived(
	ctx context.Context, actor domain.Actor, in CorrectArchived,
) (CorrectionResult, error) {
	const operation = "correctArchivedCase"
	in.Reason = strings.TrimSpace(in.Reason)
	if err := svc.inScope(ctx, actor, operation, domain.ActDecide); err != nil {
		return CorrectionResult{}, err
	}
	if actor.System || actor.OnBehalfOf != domain.NoID {
		err := domain.Errorf(domain.NotPermitted, "You can correct a case only in your own name.")
		svc.logRefusal(ctx, actor, operation, in.CaseID, err)
		return CorrectionResult{}, err
	}
	var copied submission
	// If the check fails, the command refuses, or replays its result, and no file is stored.
	if checkCorrectionReason(in.Reason) == nil && svc.MayCorrectArchived(ctx, actor, in.CaseID) == nil {
		var err error
		if copied, err = svc.prepareCorrection(ctx, actor, in.CaseID); err != nil {
			return CorrectionResult{}, err
		}
	}
	var result CorrectionResult
	spec := workSpec{operation: operation, once: in.Once, request: in, result: &result,
		lock: lockShared, stream: domain.QualityStream, loggedCase: in.CaseID}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		archived, err := w.lockCorrectable(in.CaseID)
		if err != nil {
			return err
		}
		if err := checkCorrectionReason(in.Reason); err != nil {
			return err
		}
		result.CaseID = in.CaseID
		result.CorrectionID, err = w.submitCorrection(copied, archived, domain.NoID, in.Reason)
		w.emit(generated.QualityCaseCorrectedV1{CorrectionID: result.CorrectionID, By: actor.UserID,
			Reason: in.Reason})
		return err
	})
	return result, err
}

// MayCorrectArchived returns nil if the actor may correct the archived case now, otherwise why not.
func (svc *Service) MayCorrectArchived(
	ctx context.Context, actor domain.Actor, caseID domain.ID,
) error {
	if err := checkScope(actor, domain.ActDecide); err != nil {
		return err
	}
	spec := workSpec{operation: "mayCorrectArchivedCase", lock: lockShared, dryRun: true,
		callerLogsRefusal: true}
	return svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		_, err := w.lockCorrectable(caseID)
		return err
	})
}

// lockCorrectable locks an archived case that the caller may correct.
func (w *unitOfWork) lockCorrectable(id domain.ID) (domain.Case, error) {
	locked, absent, err := w.lockOrAbsent(id)
	if err != nil {
		return locked, err
	}
	found, err := w.readSampled(locked)
	if err != nil {
		return locked, err
	}
	person := w.command.persons[0]
	facts := store.NewCaseFacts(locked, found.reviews, found.exclusions)
	if err := w.command.snapshot.authorizer.AuthorizeCaseRead(person, nil, facts); err != nil {
		if !domain.HasCode(err, domain.ConflictOfInterest) {
			err = domain.NewNotFound()
		}
		return locked, err
	}
	if absent {
		return locked, domain.NewNotFound()
	}
	def, err := w.svc.definitions.get(w.ctx, w.tx.Reader, locked.ProcessKey, locked.ProcessVersion)
	if err != nil {
		return locked, err
	}
	if person.IsSamePerson(locked.Submitter) {
		return locked, domain.Errorf(domain.FourEyes,
			"You submitted this case, so another person must find it wrong.")
	}
	// Who decided the case, or entered values of it, may say that it is wrong: others decide the correction.
	found.exclusions = store.Exclusions{Conflicted: found.exclusions.Conflicted}
	if err := w.mayDecideSome(person, found, def, func(*workflow.Node) bool { return true }); err != nil {
		return locked, err
	}
	existing, err := w.tx.CorrectionOf(w.ctx, id)
	switch {
	case err != nil:
		return locked, err
	case locked.Status != domain.Archived:
		return locked, domain.Errorf(domain.StateMismatch, "Only an archived case can be corrected.").
			WithDetail("status", string(locked.Status))
	case !locked.ErasedAt.IsZero():
		return locked, erasedCase(locked)
	case existing != domain.NoID:
		return locked, domain.Errorf(domain.StateMismatch, "This case was already corrected.").
			WithRemedy("Open the correction case.")
	}
	return locked, nil
}

func checkCorrectionReason(reason string) error {
	if reason == "" {
		missing := domain.Errorf(domain.ValidationFailed, "A reason is required to correct a case.").
			WithDetail("reason", "missing")
		missing.Field = "reason"
		return missing
	}
	if domain.Longer(reason, maxCaseReason) {
		return tooLong("reason", maxCaseReason)
	}
	return domain.CheckText("reason", reason)
}

func erasedCase(c domain.Case) error {
	return domain.Errorf(domain.StateMismatch, "The personal data of %s was erased.", c.Reference)
}

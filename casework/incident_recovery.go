package casework

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// CaseTarget asks for a command on one case. ExpectedVersion is the case's facts revision that the person saw; for a retry
// the attempt of the incident. "" asks for nothing.
type CaseTarget struct {
	Once            Once
	CaseID          domain.ID
	ExpectedVersion string
}

// CaseResult names the case that was changed and its version after.
type CaseResult struct {
	CaseID  domain.ID
	Version string
}

// CaseVersion is the opaque version of a case: that of its facts.
func CaseVersion(c domain.Case) string { return strconv.FormatInt(c.FactsRevision, 10) }

func (c *command) caseResult() CaseResult {
	return CaseResult{CaseID: c.change.Case.ID, Version: CaseVersion(c.change.Case)}
}

// RetryIncident runs the failed step again. The answer means "queued again", not "it works now": the case stays in view
// until the step has passed or failed once more.
func (svc *Service) RetryIncident(ctx context.Context, actor domain.Actor, in CaseTarget) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "retry", domain.ActRetry); err != nil {
		return CaseResult{}, err
	}
	return runCaseCommand(ctx, svc, actor, "retry", in.CaseID, in.Once, in, func(c *command) (CaseResult, error) {
		if err := c.authorizeCase(domain.ActRetry); err != nil {
			return CaseResult{}, err
		}
		run, err := c.incident()
		if err != nil {
			return CaseResult{}, err
		}
		if err := checkExpectedVersion(in.ExpectedVersion, strconv.Itoa(run.Attempt)); err != nil {
			return CaseResult{}, err
		}
		c.change.CancelNodes = append(c.change.CancelNodes, store.NodeRuns{Node: run.Node, Kind: run.Kind})
		c.resolveIncident(run, "retry")
		c.change.Case.Status = c.statusWithIncidents(workflow.StatusOf(c.def, c.before.Marking))
		again := run
		again.ID, again.Attempt, again.RunAfter, again.Status, again.CreatedAt = domain.NewID(), run.Attempt+1, c.now, domain.RunPending, c.now
		again.Failures, again.ErrorCode, again.ErrorText, again.EndedAt = 0, "", "", time.Time{}
		again.LeaseToken, again.LeaseUntil, again.Worker = domain.NoID, time.Time{}, ""
		c.addRun(again)
		c.emitRestart(run)
		return c.caseResult(), nil
	})
}

// emitRestart tells that a stage restarts with its next attempt.
func (c *command) emitRestart(run domain.StageRun) {
	behaviour := run.Node
	if node, ok := c.def.Node(run.Node); ok {
		behaviour = node.Behaviour
	}
	c.emit(generated.StageStartedV1{Attempt: int64(run.Attempt + 1), Behaviour: behaviour, Node: run.Node, Queue: run.Queue, Visit: int64(run.Visit)})
}

// incident returns the run that waits for a person; StateMismatch if there is none.
func (c *command) incident() (domain.StageRun, error) {
	if c.before.Status == domain.Incident {
		if err := c.loadIncidents(); err != nil {
			return domain.StageRun{}, err
		}
		if len(c.incidents) > 0 {
			return c.incidents[0], nil
		}
	}
	return domain.StageRun{}, domain.Errorf(domain.StateMismatch, "Nothing has failed on this case.").WithDetail("status", string(c.before.Status))
}

func (c *command) resolveIncident(run domain.StageRun, how string) {
	c.emitStatusEvent(generated.IncidentResolvedV1{By: c.actor.UserID, How: how, Node: run.Node, Visit: int64(run.Visit)})
}

// resolveOpenIncident tells that an incident was answered, when there is one.
func (c *command) resolveOpenIncident(how string) error {
	if c.before.Status != domain.Incident {
		return nil
	}
	run, err := c.incident()
	if err == nil {
		c.resolveIncident(run, how)
	}
	return err
}

// AbandonCase gives a case up: all open work is withdrawn and the case is sealed as abandoned.
type AbandonCase struct {
	CaseTarget
	Reason string
}

// AbandonCase gives the case up.
func (svc *Service) AbandonCase(ctx context.Context, actor domain.Actor, in AbandonCase) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "abandon", domain.ActAbandon); err != nil {
		return CaseResult{}, err
	}
	if domain.Longer(in.Reason, maxCaseReason) {
		return CaseResult{}, tooLong("reason", maxCaseReason)
	}
	return runCaseCommand(ctx, svc, actor, "abandon", in.CaseID, in.Once, in, func(c *command) (CaseResult, error) {
		if err := c.authorizeCase(domain.ActAbandon); err != nil {
			return CaseResult{}, err
		}
		if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return CaseResult{}, err
		}
		if err := c.resolveOpenIncident("abandon"); err != nil {
			return CaseResult{}, err
		}
		c.reason = strings.TrimSpace(in.Reason)
		return c.caseResult(), c.advanceProcess(workflow.Event{Kind: workflow.Abandoned})
	})
}

// advanceProcess moves the process on by a person's act that changes no facts.
func (c *command) advanceProcess(event workflow.Event) error {
	facts, err := c.currentFacts()
	if err != nil {
		return err
	}
	return c.advanceWithFacts(event, facts)
}

// ReplaceDocument puts a new file in the place of the case's document: reading restarts, results of the old one are
// refused, votes are revoked. On a returned case it only keeps the file; resubmitting starts the process again.
type ReplaceDocument struct {
	CaseTarget
	// File, or UploadID of an upload that came whole before: exactly one.
	File     Upload
	UploadID domain.ID
}

// ReplaceDocument replaces the case's file.
func (svc *Service) ReplaceDocument(ctx context.Context, actor domain.Actor, in ReplaceDocument) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "replace", domain.ActReplace); err != nil {
		return CaseResult{}, err
	}
	if err := svc.authorizeCaseUnlocked(ctx, actor, domain.ActReplace, in.CaseID); err != nil {
		svc.logRefusal(ctx, actor, "replace", in.CaseID, err)
		return CaseResult{}, err
	}
	if in.UploadID != domain.NoID {
		file, before, err := svc.findUpload(ctx, actor, in.UploadID, store.UploadReplaced)
		if err != nil {
			return CaseResult{}, err
		}
		if before != domain.NoID {
			return svc.replayReplacement(ctx, in.CaseID, before)
		}
		in.File = file
	}
	mediaType, err := svc.checkFile(in.File)
	if err != nil {
		return CaseResult{}, err
	}
	return svc.replaceFile(ctx, actor, in, mediaType)
}

// replayReplacement answers a replacement whose upload this case has taken before.
func (svc *Service) replayReplacement(ctx context.Context, caseID, taken domain.ID) (CaseResult, error) {
	if taken != caseID {
		return CaseResult{}, uploadNotFound()
	}
	c, err := svc.db.Reader().Case(ctx, caseID)
	return CaseResult{CaseID: caseID, Version: CaseVersion(c)}, err
}

// replaceFile judges the command without the file, then keeps the file and puts it in the place of the old one.
func (svc *Service) replaceFile(ctx context.Context, actor domain.Actor, in ReplaceDocument, mediaType string) (CaseResult, error) {
	request := []string{in.CaseID.String(), in.ExpectedVersion, in.File.FileName, in.File.requestIdentity(in.UploadID)}
	var done CaseResult
	if replayed, err := svc.findReplay(ctx, actor, "replace", in.Once, request, &done); err != nil || replayed {
		return done, err
	}
	unkept := domain.Document{CaseID: in.CaseID, FileName: safeFileName(in.File.FileName), MediaType: mediaType, Size: in.File.Size, SHA256: in.File.SHA256}
	if err := svc.tryOnCase(ctx, actor, "replace", in.CaseID, in.Once, func(c *command) error {
		_, err := c.replaceWith(in, unkept)
		return err
	}); err != nil {
		return CaseResult{}, err
	}
	kept, err := svc.storeFile(ctx, actor, in.CaseID, 0, in.File, mediaType)
	if err != nil {
		return CaseResult{}, err
	}
	done, err = runCaseCommand(ctx, svc, actor, "replace", in.CaseID, in.Once, request, func(c *command) (CaseResult, error) {
		return c.replaceWith(in, kept)
	})
	if err == nil {
		svc.removeUpload(ctx, in.UploadID)
	}
	return done, err
}

// replaceWith judges the replacement and puts the document in the place of the present one.
func (c *command) replaceWith(in ReplaceDocument, kept domain.Document) (CaseResult, error) {
	if err := c.authorizeCase(domain.ActReplace); err != nil {
		return CaseResult{}, err
	}
	if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
		return CaseResult{}, err
	}
	if err := c.consumeUpload(in.UploadID, in.CaseID, store.UploadReplaced); err != nil {
		return CaseResult{}, err
	}
	return c.insertRevision(kept)
}

// insertRevision makes the document the newest revision and restarts the case from it.
func (c *command) insertRevision(kept domain.Document) (CaseResult, error) {
	present, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return CaseResult{}, err
	}
	kept.Revision, kept.CreatedAt = present.Revision+1, c.now
	c.change.Document = &kept
	c.change.DeleteFieldSources = []domain.FieldSource{domain.SourceExternal} // said of the old file, by whom the new one is not asked of yet
	c.change.Case.FactsRevision++
	if err := c.resolveOpenIncident("replace"); err != nil {
		return CaseResult{}, err
	}
	c.emit(generated.DocumentReplacedV1{FileName: kept.FileName, MediaType: kept.MediaType, Revision: int64(kept.Revision),
		SHA256: hex.EncodeToString(kept.SHA256), Size: kept.Size})
	if !slices.Equal(kept.SHA256, present.SHA256) {
		if err := c.revokeVotes(func(domain.Vote) bool { return true }, "the document was replaced"); err != nil {
			return CaseResult{}, err
		}
	}
	if c.before.Status == domain.Returned {
		return c.caseResult(), nil
	}
	return c.caseResult(), c.advanceProcess(workflow.Event{Kind: workflow.Replaced})
}

// ResubmitCase answers a return: with a comment, after corrections, or after a new file.
type ResubmitCase struct {
	CaseTarget
	Comment string
}

// ResubmitCase brings a returned case back into the process.
func (svc *Service) ResubmitCase(ctx context.Context, actor domain.Actor, in ResubmitCase) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "resubmit", domain.ActResubmit); err != nil {
		return CaseResult{}, err
	}
	if domain.Longer(in.Comment, maxCaseReason) {
		return CaseResult{}, tooLong("comment", maxCaseReason)
	}
	return runCaseCommand(ctx, svc, actor, "resubmit", in.CaseID, in.Once, in, func(c *command) (CaseResult, error) {
		if err := c.authorizeCase(domain.ActResubmit); err != nil {
			return CaseResult{}, err
		}
		if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return CaseResult{}, err
		}
		if c.before.Status != domain.Returned {
			return CaseResult{}, domain.Errorf(domain.StateMismatch, "This case was not returned to you.").WithDetail("status", string(c.before.Status))
		}
		replaced, err := c.replacedSinceReturn()
		if err != nil {
			return CaseResult{}, err
		}
		event := workflow.Event{Kind: workflow.Resubmitted, ReplacedDocument: replaced}
		at := workflow.ReEntryNode(c.before.Marking)
		if replaced {
			at = c.def.OnReplace
		}
		c.emitStatusEvent(generated.CaseResubmittedV1{Comment: strings.TrimSpace(in.Comment), ReenterAt: at})
		return c.caseResult(), c.advanceProcess(event)
	})
}

// replacedSinceReturn reports whether the newest document has not been read yet.
func (c *command) replacedSinceReturn() (bool, error) {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return false, err
	}
	return document.ReadAt.IsZero(), nil
}

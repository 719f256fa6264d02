package casework

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// CaseTarget identifies the case of a command. ExpectedVersion is the version of the case that the
// user saw, or for a retry the attempt of the incident; "" disables the check.
type CaseTarget struct {
	Once            Once
	CaseID          domain.ID
	ExpectedVersion string
}

// CaseResult is the case that was changed and its new version.
type CaseResult struct {
	CaseID  domain.ID
	Version string
}

// CaseVersion returns the opaque version of a case, which is its facts revision.
func CaseVersion(c domain.Case) string { return strconv.FormatInt(c.FactsRevision, 10) }

func (c *command) caseResult() CaseResult {
	return CaseResult{CaseID: c.change.Case.ID, Version: CaseVersion(c.change.Case)}
}

// RetryIncident enqueues the failed step again. A result means that it is queued, not that it has
// succeeded.
func (svc *Service) RetryIncident(
	ctx context.Context, actor domain.Actor, in CaseTarget,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "retry", domain.ActRetry); err != nil {
		return CaseResult{}, err
	}
	return runCaseCommand(ctx, svc, actor, "retry", in.CaseID, in.Once, in,
		func(c *command) (CaseResult, error) {
			if err := c.authorizeCase(domain.ActRetry); err != nil {
				return CaseResult{}, err
			}
			run, err := c.currentIncident()
			if err != nil {
				return CaseResult{}, err
			}
			if err := checkExpectedVersion(in.ExpectedVersion,
				strconv.Itoa(run.Attempt)); err != nil {
				return CaseResult{}, err
			}
			c.change.CancelNodes = append(c.change.CancelNodes,
				store.NodeRuns{Node: run.Node, Kind: run.Kind})
			c.resolveIncident(run, "retry")
			c.change.Case.Status = c.statusWithIncidents(workflow.StatusOf(c.def, c.before.Marking))
			next := run
			next.ID, next.Attempt, next.Status = domain.NewID(), run.Attempt+1, domain.RunPending
			next.RunAfter, next.CreatedAt = c.now, c.now
			next.Failures, next.ErrorCode, next.ErrorText, next.EndedAt = 0, "", "", time.Time{}
			next.LeaseToken, next.LeaseUntil, next.Worker = domain.NoID, time.Time{}, ""
			c.addRun(next)
			c.emitRestart(run)
			return c.caseResult(), nil
		})
}

// emitRestart emits the start of the next attempt of a stage.
func (c *command) emitRestart(run domain.StageRun) {
	behaviour := run.Node
	if node, ok := c.def.Node(run.Node); ok {
		behaviour = node.Behaviour
	}
	c.emit(generated.StageStartedV1{Attempt: int64(run.Attempt + 1), Behaviour: behaviour,
		Node: run.Node, Queue: run.Queue, Visit: int64(run.Visit)})
}

// currentIncident returns the run that waits for recovery, or StateMismatch if there is none.
func (c *command) currentIncident() (domain.StageRun, error) {
	if c.before.Status == domain.Incident {
		if err := c.loadIncidents(); err != nil {
			return domain.StageRun{}, err
		}
		if len(c.incidents) > 0 {
			return c.incidents[0], nil
		}
	}
	return domain.StageRun{}, domain.Errorf(domain.StateMismatch, "This case has no incident.").
		WithDetail("status", string(c.before.Status))
}

func (c *command) resolveIncident(run domain.StageRun, how string) {
	c.emitStatusEvent(generated.IncidentResolvedV1{By: c.actor.UserID, How: how, Node: run.Node,
		Visit: int64(run.Visit)})
}

// resolveOpenIncident emits that the open incident, if any, was resolved.
func (c *command) resolveOpenIncident(how string) error {
	if c.before.Status != domain.Incident {
		return nil
	}
	run, err := c.currentIncident()
	if err == nil {
		c.resolveIncident(run, how)
	}
	return err
}

// AbandonCase ends a case without a decision: it cancels all open work and archives the case as
// abandoned.
type AbandonCase struct {
	CaseTarget
	Reason string
}

// AbandonCase abandons the case.
func (svc *Service) AbandonCase(
	ctx context.Context, actor domain.Actor, in AbandonCase,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "abandon", domain.ActAbandon); err != nil {
		return CaseResult{}, err
	}
	if domain.Longer(in.Reason, maxCaseReason) {
		return CaseResult{}, tooLong("reason", maxCaseReason)
	}
	return runCaseCommand(ctx, svc, actor, "abandon", in.CaseID, in.Once, in,
		func(c *command) (CaseResult, error) {
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

// advanceProcess advances the process by the event, with the current facts of the case. The bodies
// are emitted before the events of the step, and only if the step succeeds.
func (c *command) advanceProcess(event workflow.Event, bodies ...events.Body) error {
	facts, err := c.currentFacts()
	if err != nil {
		return err
	}
	return c.advanceWithFacts(event, facts, bodies...)
}

// ReplaceDocument replaces the case's document: reading restarts, pending results for the old
// document are refused and votes are revoked. On a returned case it only stores the file;
// resubmitting restarts the process.
type ReplaceDocument struct {
	CaseTarget
	// Exactly one of File and UploadID, the id of a complete upload, is set.
	File     Upload
	UploadID domain.ID
}

// ReplaceDocument replaces the document of the case.
func (svc *Service) ReplaceDocument(
	ctx context.Context, actor domain.Actor, in ReplaceDocument,
) (CaseResult, error) {
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

// replayReplacement returns the result of a replacement that has already consumed the upload.
func (svc *Service) replayReplacement(
	ctx context.Context, caseID, taken domain.ID,
) (CaseResult, error) {
	if taken != caseID {
		return CaseResult{}, uploadNotFound()
	}
	c, err := svc.db.Reader().Case(ctx, caseID)
	return CaseResult{CaseID: caseID, Version: CaseVersion(c)}, err
}

// replaceFile checks the command without the file, then stores the file and replaces the document.
func (svc *Service) replaceFile(
	ctx context.Context, actor domain.Actor, in ReplaceDocument, mediaType string,
) (CaseResult, error) {
	request := []string{in.CaseID.String(), in.ExpectedVersion, in.File.FileName,
		in.File.requestIdentity(in.UploadID)}
	var done CaseResult
	if replayed, err := svc.findReplay(ctx, actor, "replace", in.Once, request,
		&done); err != nil || replayed {
		return done, err
	}
	unstored := domain.Document{CaseID: in.CaseID, FileName: safeFileName(in.File.FileName),
		MediaType: mediaType, Size: in.File.Size, SHA256: in.File.SHA256}
	if err := svc.dryRunCaseCommand(ctx, actor, "replace", in.CaseID, in.Once,
		func(c *command) error {
			_, err := c.replaceWith(in, unstored)
			return err
		}); err != nil {
		return CaseResult{}, err
	}
	stored, err := svc.storeFile(ctx, actor, in.CaseID, 0, in.File, mediaType)
	if err != nil {
		return CaseResult{}, err
	}
	done, err = runCaseCommand(ctx, svc, actor, "replace", in.CaseID, in.Once, request,
		func(c *command) (CaseResult, error) {
			return c.replaceWith(in, stored)
		})
	if err == nil {
		svc.removeUpload(ctx, in.UploadID)
	}
	return done, err
}

// replaceWith checks the command and replaces the current document.
func (c *command) replaceWith(in ReplaceDocument, stored domain.Document) (CaseResult, error) {
	if err := firstError(c.authorizeCase(domain.ActReplace), c.refuseExcluded()); err != nil {
		return CaseResult{}, err
	}
	if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
		return CaseResult{}, err
	}
	if err := c.consumeUpload(in.UploadID, in.CaseID, store.UploadReplaced); err != nil {
		return CaseResult{}, err
	}
	return c.insertRevision(stored)
}

// insertRevision adds the document as the newest revision and restarts the case from it.
func (c *command) insertRevision(stored domain.Document) (CaseResult, error) {
	present, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return CaseResult{}, err
	}
	if err := c.refuseEqualSupporting(stored); err != nil {
		return CaseResult{}, err
	}
	stored.Revision, stored.CreatedAt = present.Revision+1, c.now
	c.change.Document = &stored
	// Values from external programs describe the old file.
	c.change.DeleteFieldSources = []domain.FieldSource{domain.SourceExternal}
	c.change.Case.FactsRevision++
	if err := c.resolveOpenIncident("replace"); err != nil {
		return CaseResult{}, err
	}
	c.emit(generated.DocumentReplacedV1{FileName: stored.FileName, MediaType: stored.MediaType,
		Revision: int64(stored.Revision),
		SHA256:   hex.EncodeToString(stored.SHA256), Size: stored.Size})
	if !slices.Equal(stored.SHA256, present.SHA256) {
		if err := c.revokeVotes(func(domain.Vote) bool { return true },
			"the document was replaced"); err != nil {
			return CaseResult{}, err
		}
	}
	if c.before.Status == domain.Returned {
		return c.caseResult(), nil
	}
	return c.caseResult(), c.advanceProcess(workflow.Event{Kind: workflow.Replaced})
}

// ResubmitCase sends a returned case back with a comment, after corrections or a new file.
type ResubmitCase struct {
	CaseTarget
	Comment string
	// ReturnedAt is when the return was that is answered; its zero value is any.
	ReturnedAt time.Time `json:",omitzero"`
}

// ResubmitCase resubmits a returned case.
func (svc *Service) ResubmitCase(
	ctx context.Context, actor domain.Actor, in ResubmitCase,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "resubmit", domain.ActResubmit); err != nil {
		return CaseResult{}, err
	}
	if domain.Longer(in.Comment, maxCaseReason) {
		return CaseResult{}, tooLong("comment", maxCaseReason)
	}
	return runCaseCommand(ctx, svc, actor, "resubmit", in.CaseID, in.Once, in,
		func(c *command) (CaseResult, error) {
			if err := c.authorizeCase(domain.ActResubmit); err != nil {
				return CaseResult{}, err
			}
			if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
				return CaseResult{}, err
			}
			if c.before.Status != domain.Returned {
				return CaseResult{}, domain.Errorf(domain.StateMismatch,
					"This case was not returned to the submitter.").
					WithDetail("status", string(c.before.Status))
			}
			if err := c.requireSameReturn(in.ReturnedAt); err != nil {
				return CaseResult{}, err
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
			c.emitStatusEvent(generated.CaseResubmittedV1{Comment: strings.TrimSpace(in.Comment),
				ReenterAt: at})
			if err := c.applyPresentRates(); err != nil {
				return CaseResult{}, err
			}
			return c.caseResult(), c.advanceProcess(event)
		})
}

// replacedSinceReturn reports whether the newest document has not been read yet, or a supporting document
// was added after it was read.
func (c *command) replacedSinceReturn() (bool, error) {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil || document.ReadAt.IsZero() {
		return true, err
	}
	return c.tx.SupportingAfter(c.ctx, c.before.ID, document.ReadAt)
}

// requireSameReturn refuses an answer to an earlier return than the newest: facts and status are the same after both.
func (c *command) requireSameReturn(answered time.Time) error {
	if answered.IsZero() {
		return nil
	}
	events, err := c.tx.LastEventsOfTypes(c.ctx, 1, []domain.EventType{domain.CaseReturned}, c.before.ID)
	if err != nil || len(events) == 1 && events[0].Type == domain.CaseReturned && events[0].At.Equal(answered) {
		return err
	}
	return domain.Errorf(domain.StaleVersion, "The document was returned again. Other questions are open now.").
		WithRemedy("Read the present questions, then answer them.").
		WithDetail("currentVersion", CaseVersion(c.before))
}

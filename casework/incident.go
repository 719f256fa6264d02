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

// OnCase asks for a command on one case. ExpectedVersion is the case's facts revision that the person saw; for a retry
// the attempt of the incident. "" asks for nothing.
type OnCase struct {
	Once            Once
	CaseID          domain.ID
	ExpectedVersion string
}

// Changed names the case that was changed and its version after.
type Changed struct {
	CaseID  domain.ID
	Version string
}

// CaseVersion is the opaque version of a case: that of its facts.
func CaseVersion(c domain.Case) string { return strconv.FormatInt(c.FactsRevision, 10) }

func (c *command) changed() Changed {
	return Changed{CaseID: c.change.Case.ID, Version: CaseVersion(c.change.Case)}
}

// RetryIncident runs the failed step again. The answer means "queued again", not "it works now": the case stays in view
// until the step has passed or failed once more.
func (h *Hall) RetryIncident(ctx context.Context, actor domain.Actor, in OnCase) (Changed, error) {
	return onCase(ctx, h, actor, "retry", in.CaseID, in.Once, in, func(c *command) (Changed, error) {
		if err := c.mayCase(domain.ActRetry); err != nil {
			return Changed{}, err
		}
		run, err := c.incident()
		if err != nil {
			return Changed{}, err
		}
		if err := expect(in.ExpectedVersion, strconv.Itoa(run.Attempt)); err != nil {
			return Changed{}, err
		}
		c.change.CancelNodes = append(c.change.CancelNodes, store.NodeRuns{Node: run.Node, Kind: run.Kind})
		c.resolve(run, "retry")
		c.change.Case.Status = c.statusBeside(workflow.StatusOf(c.def, c.before.Marking))
		again := run
		again.ID, again.Attempt, again.RunAfter, again.Status, again.CreatedAt = domain.NewID(), run.Attempt+1, c.now, domain.RunPending, c.now
		again.Failures, again.ErrorCode, again.ErrorText, again.EndedAt = 0, "", "", time.Time{}
		again.LeaseToken, again.LeaseUntil, again.Worker = domain.NoID, time.Time{}, ""
		c.addRun(again)
		c.tellRestart(run)
		return c.changed(), nil
	})
}

// tellRestart tells that a stage begins anew with its next attempt.
func (c *command) tellRestart(run domain.StageRun) {
	behaviour := run.Node
	if node, ok := c.def.Node(run.Node); ok {
		behaviour = node.Behaviour
	}
	c.tell(generated.StageStartedV1{Attempt: int64(run.Attempt + 1), Behaviour: behaviour, Node: run.Node, Queue: run.Queue, Visit: int64(run.Visit)})
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
	return domain.StageRun{}, domain.Fail(domain.StateMismatch, "Nothing has failed on this case.").WithDetail("status", string(c.before.Status))
}

func (c *command) resolve(run domain.StageRun, how string) {
	c.tellMain(generated.IncidentResolvedV1{By: c.actor.UserID, How: how, Node: run.Node, Visit: int64(run.Visit)})
}

// resolveIfAny tells that an incident was answered, when there is one.
func (c *command) resolveIfAny(how string) error {
	if c.before.Status != domain.Incident {
		return nil
	}
	run, err := c.incident()
	if err == nil {
		c.resolve(run, how)
	}
	return err
}

// AbandonCase gives a case up: all open work is withdrawn and the case is sealed as abandoned.
type AbandonCase struct {
	OnCase
	Reason string
}

// AbandonCase gives the case up.
func (h *Hall) AbandonCase(ctx context.Context, actor domain.Actor, in AbandonCase) (Changed, error) {
	return onCase(ctx, h, actor, "abandon", in.CaseID, in.Once, in, func(c *command) (Changed, error) {
		if err := c.mayCase(domain.ActAbandon); err != nil {
			return Changed{}, err
		}
		if err := expect(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return Changed{}, err
		}
		if err := c.resolveIfAny("abandon"); err != nil {
			return Changed{}, err
		}
		c.why = strings.TrimSpace(in.Reason)
		return c.changed(), c.goOn(workflow.Event{Kind: workflow.Abandoned})
	})
}

// goOn moves the process on by a person's act that changes no facts.
func (c *command) goOn(event workflow.Event) error {
	facts, err := c.facts()
	if err != nil {
		return err
	}
	return c.advance(event, facts)
}

// ReplaceDocument puts a new file in the place of the case's document: reading starts anew, results of the old one are
// refused, votes fall. On a returned case it only keeps the file; resubmitting starts the process again.
type ReplaceDocument struct {
	OnCase
	// File, or UploadID of an upload that came whole before: exactly one.
	File     Upload
	UploadID domain.ID
}

// ReplaceDocument replaces the case's file.
func (h *Hall) ReplaceDocument(ctx context.Context, actor domain.Actor, in ReplaceDocument) (Changed, error) {
	if err := h.mayCaseNow(ctx, actor, domain.ActReplace, in.CaseID); err != nil {
		h.refused(ctx, actor, "replace", in.CaseID, err)
		return Changed{}, err
	}
	if in.UploadID != domain.NoID {
		file, before, err := h.uploaded(ctx, actor, in.UploadID, store.UploadReplaced)
		if err != nil {
			return Changed{}, err
		}
		if before != domain.NoID {
			return h.replacedBefore(ctx, in.CaseID, before)
		}
		in.File = file
	}
	mediaType, err := h.checkFile(in.File)
	if err != nil {
		return Changed{}, err
	}
	return h.replaceFile(ctx, actor, in, mediaType)
}

// replacedBefore answers a replacement whose upload this case has taken before.
func (h *Hall) replacedBefore(ctx context.Context, caseID, taken domain.ID) (Changed, error) {
	if taken != caseID {
		return Changed{}, noUpload()
	}
	kase, err := h.db.Reader().Case(ctx, caseID)
	return Changed{CaseID: caseID, Version: CaseVersion(kase)}, err
}

// replaceFile keeps the file and puts it in the place of the old one.
func (h *Hall) replaceFile(ctx context.Context, actor domain.Actor, in ReplaceDocument, mediaType string) (Changed, error) {
	request := []string{in.CaseID.String(), in.ExpectedVersion, in.File.FileName, in.File.proof(in.UploadID)}
	var done Changed
	if replayed, err := h.replayed(ctx, actor, "replace", in.Once, request, &done); err != nil || replayed {
		return done, err
	}
	kept, err := h.keepFile(ctx, actor, in.CaseID, 0, in.File, mediaType)
	if err != nil {
		return Changed{}, err
	}
	done, err = onCase(ctx, h, actor, "replace", in.CaseID, in.Once, request, func(c *command) (Changed, error) {
		if err := c.mayCase(domain.ActReplace); err != nil {
			return Changed{}, err
		}
		if err := expect(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return Changed{}, err
		}
		if err := c.take(in.UploadID, in.CaseID, store.UploadReplaced); err != nil {
			return Changed{}, err
		}
		return c.replace(kept)
	})
	if err == nil {
		h.dropUpload(ctx, in.UploadID)
	}
	return done, err
}

func (c *command) replace(kept domain.Document) (Changed, error) {
	present, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return Changed{}, err
	}
	kept.Revision, kept.CreatedAt = present.Revision+1, c.now
	c.change.Document = &kept
	c.change.DropFields = []domain.FieldSource{domain.SourceExternal} // said of the old file, by whom the new one is not asked of yet
	c.change.Case.FactsRevision++
	if err := c.resolveIfAny("replace"); err != nil {
		return Changed{}, err
	}
	c.tell(generated.DocumentReplacedV1{FileName: kept.FileName, MediaType: kept.MediaType, Revision: int64(kept.Revision),
		SHA256: hex.EncodeToString(kept.SHA256), Size: kept.Size})
	if !slices.Equal(kept.SHA256, present.SHA256) {
		if err := c.fell(func(domain.Vote) bool { return true }, "the document was replaced"); err != nil {
			return Changed{}, err
		}
	}
	if c.before.Status == domain.Returned {
		return c.changed(), nil
	}
	return c.changed(), c.goOn(workflow.Event{Kind: workflow.Replaced})
}

// ResubmitCase answers a return: with a comment, after corrections, or after a new file.
type ResubmitCase struct {
	OnCase
	Comment string
}

// ResubmitCase brings a returned case back into the process.
func (h *Hall) ResubmitCase(ctx context.Context, actor domain.Actor, in ResubmitCase) (Changed, error) {
	return onCase(ctx, h, actor, "resubmit", in.CaseID, in.Once, in, func(c *command) (Changed, error) {
		if err := c.mayCase(domain.ActResubmit); err != nil {
			return Changed{}, err
		}
		if err := expect(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return Changed{}, err
		}
		if c.before.Status != domain.Returned {
			return Changed{}, domain.Fail(domain.StateMismatch, "This case was not returned to you.").WithDetail("status", string(c.before.Status))
		}
		replaced, err := c.replacedSinceReturn()
		if err != nil {
			return Changed{}, err
		}
		event := workflow.Event{Kind: workflow.Resubmitted, ReplacedDocument: replaced}
		at := workflow.ReEntry(c.before.Marking)
		if replaced {
			at = c.def.OnReplace
		}
		c.tellMain(generated.CaseResubmittedV1{Comment: strings.TrimSpace(in.Comment), ReenterAt: at})
		return c.changed(), c.goOn(event)
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

package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// maxNoteBytes bounds the note of a proposal and the reason of a withdrawal, in characters.
const maxNoteBytes = 2000

// propose validates the text outside of any transaction and then stores it as a proposal.
func (svc *Service) propose(
	ctx context.Context, actor domain.Actor, s publishable, in Propose, restores int,
) (ProposalResult, error) {
	operation := "propose " + string(s.kind())
	result, err := svc.tryPropose(ctx, actor, s, operation, in, restores)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryPropose(
	ctx context.Context, actor domain.Actor, s publishable, operation string, in Propose,
	restores int,
) (ProposalResult, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return ProposalResult{}, err
	}
	if in.Note = strings.TrimSpace(in.Note); domain.Longer(in.Note, maxNoteBytes) {
		return ProposalResult{}, domain.Invalid("note", "The note is longer than %d characters.",
			maxNoteBytes)
	}
	var previous ProposalResult
	replayed, err := svc.findReplay(ctx, actor, operation, in.Once, in, &previous)
	if err != nil || replayed {
		return previous, err
	}
	document, key, parsed, err := svc.completeText(ctx, s, in.Document, restores)
	if err != nil || parsed.Refusal != nil {
		return ProposalResult{Kind: s.kind(), Report: parsed.Report}, firstError(err, parsed.Refusal)
	}
	base, err := s.newestVersion(ctx, svc.db.Reader(), key)
	if err != nil {
		return ProposalResult{}, err
	}
	if err := checkBaseVersion(in.ExpectedVersion, strconv.Itoa(base),
		"Version %d is now in force.", base); err != nil {
		return ProposalResult{}, err
	}
	document = s.withVersion(document, base+1)
	validated, err := svc.validateVersion(ctx, s, document, base+1)
	result := ProposalResult{ProposalID: domain.NewID(), Kind: s.kind(), Key: key,
		Version: base + 1, Report: validated.Report}
	if err != nil || validated.Refusal != nil {
		return result, firstError(err, validated.Refusal)
	}
	report, err := json.Marshal(validated.Report)
	if err != nil {
		return result, fmt.Errorf("casework: encode the report: %w", err)
	}
	proposal := domain.Proposal{ID: result.ProposalID, Kind: s.kind(), Key: key, Base: base,
		Restores: restores, Document: document, Report: report, Note: in.Note,
		ProposedBy: actor.UserID}
	spec := workSpec{operation: operation, once: in.Once, request: in,
		authorize: mayPublishText(s, document)}
	err = svc.runProposalCommand(ctx, actor, s, key, spec, &result,
		func(tx *store.Tx) ([]events.Body, error) {
			return addProposal(ctx, tx, s, actor, proposal, in.Replaces)
		})
	return result, err
}

// addProposal stores a validated proposal, in place of the one that it replaces if there is one.
func addProposal(ctx context.Context, tx *store.Tx, s publishable, actor domain.Actor,
	p domain.Proposal, replaces domain.ID) ([]events.Body, error) {
	if now, err := s.newestVersion(ctx, tx.Reader, p.Key); err != nil || now != p.Base {
		return nil, firstError(err,
			staleVersion(strconv.Itoa(now), "Version %d is now in force.", now))
	}
	bodies, err := replaceProposal(ctx, tx, actor, p, replaces)
	if err != nil {
		return nil, err
	}
	if err := tx.PutProposal(ctx, p); err != nil {
		return nil, err
	}
	return append(bodies, generated.DefinitionProposedV1{Kind: string(p.Kind), Key: p.Key,
		ProposalID: p.ID, By: actor.UserID, Base: int64(p.Base),
		DefinitionVersion: int64(p.Base + 1), SHA256: sha256Hex(p.Document), Note: p.Note,
		RestoredFrom: optionalVersion(p.Restores)}), nil
}

// completeText returns the text as it is stored, and its key. An earlier version is complete, and is
// restored as it was.
func (svc *Service) completeText(
	ctx context.Context, s publishable, document string, restores int,
) (text, key string, result validationResult, err error) {
	if restores == 0 {
		document, result, err = s.complete(ctx, svc.db.Reader(), document)
		if err != nil || result.Refusal != nil {
			return "", "", result, err
		}
	}
	key, result = s.parseKey(document)
	return document, key, result, nil
}

// restore proposes an earlier version as the next one.
func (svc *Service) restore(
	ctx context.Context, actor domain.Actor, s publishable, in Restore,
) (ProposalResult, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		svc.logRefusal(ctx, actor, "propose "+string(s.kind()), domain.NoID, err)
		return ProposalResult{}, err
	}
	document, err := s.document(ctx, svc.db.Reader(), in.Key, in.Version)
	if err != nil {
		return ProposalResult{}, err
	}
	return svc.propose(ctx, actor, s,
		Propose{Once: in.Once, Document: document, Note: in.Note,
			ExpectedVersion: in.ExpectedVersion}, in.Version)
}

// publish makes a proposal the next version. A proposal's text never changes, so it is validated
// before the transaction. The proposer, the base version and the actor's right are checked inside
// it.
func (svc *Service) publish(
	ctx context.Context, actor domain.Actor, s publishable, in EndProposal,
) (ProposalResult, error) {
	operation := "publish " + string(s.kind())
	result, err := svc.tryPublish(ctx, actor, s, operation, in)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryPublish(
	ctx context.Context, actor domain.Actor, s publishable, operation string, in EndProposal,
) (ProposalResult, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return ProposalResult{}, err
	}
	proposal, err := svc.loadProposal(ctx, s, in.ProposalID)
	if err != nil {
		return ProposalResult{}, err
	}
	result := resultOf(proposal)
	// A text that took effect can be invalid now, so a repeated command is answered first.
	replayed, err := svc.findReplay(ctx, actor, operation, in.Once, in, &result)
	if err != nil || replayed {
		return result, err
	}
	if more, ok := s.(consequential); ok && in.ExpectedEffect != "" {
		if s, err = more.expecting(ctx, proposal.Document, in.ExpectedEffect); err != nil {
			return result, err
		}
	}
	validated, err := s.validate(ctx, svc.db.Reader(), proposal.Document)
	if result.Report = validated.Report; err != nil || validated.Refusal != nil {
		return result, firstError(err, validated.Refusal)
	}
	spec := workSpec{operation: operation, once: in.Once, request: in,
		authorize: mayPublishText(s, proposal.Document), then: afterPublishing(s, proposal.Document)}
	err = svc.runProposalCommand(ctx, actor, s, proposal.Key, spec, &result,
		func(tx *store.Tx) ([]events.Body, error) {
			current, err := svc.lockOpenProposal(ctx, tx, in)
			if err != nil {
				return nil, err
			}
			if err := svc.checkPublishing(ctx, tx, s, actor, current, validated, in); err != nil {
				return nil, err
			}
			return svc.publishProposal(ctx, tx, s, actor, current, in.WithoutOwners)
		})
	return result, err
}

// checkPublishing refuses a proposal of the person who acts, one that is based on an earlier version,
// and one with cautions or comments that the person did not confirm.
func (svc *Service) checkPublishing(ctx context.Context, tx *store.Tx, s publishable, actor domain.Actor,
	current domain.Proposal, validated validationResult, in EndProposal) error {
	if current.ProposedBy == actor.UserID {
		return domain.Errorf(domain.FourEyes, "You cannot publish your own proposal.").
			WithRemedy(askAnotherAdministrator)
	}
	if err := requireIndependent(ctx, tx.Reader, current.ProposedBy, actor.UserID); err != nil {
		return err
	}
	if now, err := s.newestVersion(ctx, tx.Reader, current.Key); err != nil || now != current.Base {
		return firstError(err, staleVersion(strconv.Itoa(now),
			"The proposal is based on version %d, but version %d is now in force.", current.Base, now))
	}
	if validated.Caution != "" && !in.Confirm {
		return domain.Errorf(domain.ConfirmationNeeded, "%s", validated.Caution).
			WithRemedy("Correct this first, or confirm to publish anyway.")
	}
	return confirmUnresolved(ctx, tx, current, in)
}

// publishProposal ends a proposal that the owners approved, and inserts its text as the next version.
func (svc *Service) publishProposal(ctx context.Context, tx *store.Tx, s publishable, actor domain.Actor,
	current domain.Proposal, withoutOwners string) ([]events.Body, error) {
	without, err := svc.requireOwners(ctx, tx.Reader, current, actor.UserID, withoutOwners)
	if err != nil {
		return nil, err
	}
	if err := tx.EndProposal(ctx, current.ID, domain.ProposalPublished, actor.UserID,
		without.reason); err != nil {
		return nil, err
	}
	if inserted, err := s.publish(ctx, tx, current, actor.UserID); err != nil || !inserted {
		return nil, firstError(err, staleVersion(strconv.Itoa(current.Base+1),
			"Version %d already exists.", current.Base+1))
	}
	rehearsals, err := rehearsalsOf(ctx, tx.Reader, current)
	if err != nil {
		return nil, err
	}
	rehearsed := len(rehearsals) > 0
	return append(without.bodies, generated.DefinitionPublishedV2{Kind: string(s.kind()),
		Key: current.Key, DefinitionVersion: int64(current.Base + 1), Base: int64(current.Base),
		SHA256: sha256Hex(current.Document), By: actor.UserID, ProposedBy: current.ProposedBy,
		ProposalID: current.ID, RestoredFrom: optionalVersion(current.Restores),
		Rehearsed: &rehearsed, Rehearsals: rehearsals}), nil
}

// withdraw ends a proposal without publishing it. The proposer and any other administrator may
// withdraw it.
func (svc *Service) withdraw(
	ctx context.Context, actor domain.Actor, s publishable, in EndProposal,
) (ProposalResult, error) {
	operation := "withdraw " + string(s.kind())
	// checked first, so that a refused user does not learn which proposals exist
	err := svc.authorizePublishing(ctx, actor)
	var proposal domain.Proposal
	if err == nil {
		proposal, err = svc.loadProposal(ctx, s, in.ProposalID)
	}
	result := ProposalResult{ProposalID: in.ProposalID, Kind: s.kind(), Key: proposal.Key,
		Version: proposal.Base + 1}
	if in.Reason = strings.TrimSpace(in.Reason); err == nil &&
		domain.Longer(in.Reason, maxNoteBytes) {
		err = domain.Invalid("reason", reasonTooLong, maxNoteBytes)
	}
	if err == nil {
		spec := workSpec{operation: operation, once: in.Once, request: in, authorize: mayPublish}
		err = svc.runProposalCommand(ctx, actor, s, proposal.Key, spec, &result,
			func(tx *store.Tx) ([]events.Body, error) {
				current, err := svc.lockOpenProposal(ctx, tx, in)
				if err != nil {
					return nil, err
				}
				return withdrawProposal(ctx, tx, actor, current, in.Reason)
			})
	}
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

// runProposalCommand runs a command on one key, which authorize of the spec permits.
func (svc *Service) runProposalCommand(ctx context.Context, actor domain.Actor, s publishable,
	key string, spec workSpec, result *ProposalResult, fn func(*store.Tx) ([]events.Body, error),
) error {
	spec.result, spec.stream = result, s.stream(key)
	return svc.runOnKey(ctx, actor, s, spec, result, fn)
}

// mayPublish requires the right to publish.
func mayPublish(w *unitOfWork) error {
	_, err := w.command.snapshot.authorizer.AuthorizeGlobal(w.command.persons[0], domain.ActPublish)
	return err
}

// runOnKey runs a unit of work on the stream of one key. It locks the stream before fn reads the newest
// version, so commands on one key run one after another.
func (svc *Service) runOnKey(ctx context.Context, actor domain.Actor, s publishable, spec workSpec,
	result *ProposalResult, fn func(*store.Tx) ([]events.Body, error)) error {
	spec.lock, spec.callerLogsRefusal = lockShared, true
	return svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		if _, err := w.tx.LockStream(ctx, spec.stream); err != nil {
			return err
		}
		bodies, err := fn(w.tx)
		if err != nil {
			return err
		}
		w.emit(translateEvents(ctx, w.tx, s, bodies, result)...)
		if spec.then != nil {
			return spec.then(w)
		}
		return nil
	})
}

// authorizePublishing checks the right to publish before anything slow is done. Publishing on
// behalf of another user is never permitted.
func (svc *Service) authorizePublishing(ctx context.Context, actor domain.Actor) error {
	if actor.OnBehalfOf != domain.NoID {
		return domain.Errorf(domain.NotPermitted, "You cannot publish on behalf of another user.")
	}
	return svc.Authorize(ctx, actor, domain.ActPublish)
}

func (svc *Service) loadProposal(
	ctx context.Context, s publishable, id domain.ID,
) (domain.Proposal, error) {
	proposal, err := svc.db.Reader().Proposal(ctx, id)
	if err == nil && proposal.Kind != s.kind() {
		err = domain.Errorf(domain.NotFound, "The proposal was not found.")
	}
	return proposal, err
}

// lockOpenProposal locks the proposal, which must be open and have the expected version, if one is
// given.
func (svc *Service) lockOpenProposal(
	ctx context.Context, tx *store.Tx, in EndProposal,
) (domain.Proposal, error) {
	proposal, err := tx.LockProposal(ctx, in.ProposalID)
	if err != nil {
		return proposal, err
	}
	if proposal.Status == domain.ProposalOpen {
		return proposal, checkBaseVersion(in.ExpectedVersion, ProposalVersion(proposal),
			"The proposal is now %s.", proposal.Status)
	}
	by, err := tx.User(ctx, proposal.DecidedBy)
	if err != nil {
		return proposal, err
	}
	if err := checkBaseVersion(in.ExpectedVersion, ProposalVersion(proposal),
		"The proposal is now %s, by %s.", proposal.Status, by.Name); err != nil {
		return proposal, err
	}
	return proposal, domain.Errorf(domain.StateMismatch, "The proposal is already %s, by %s.",
		proposal.Status, by.Name).WithDetail("status", string(proposal.Status))
}

// checkBaseVersion refuses a command that is based on another version than the present one.
func checkBaseVersion(expected, present, format string, args ...any) error {
	if expected == "" || expected == present {
		return nil
	}
	return staleVersion(present, format, args...)
}

func staleVersion(present, format string, args ...any) error {
	return domain.Errorf(domain.StaleVersion, format, args...).
		WithRemedy("Check the current version, then propose again.").
		WithDetail("currentVersion", present)
}

// firstError returns the first error that is not nil.
func firstError(first, otherwise error) error {
	if first != nil {
		return first
	}
	return otherwise
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func optionalVersion(version int) *int64 {
	if version == 0 {
		return nil
	}
	number := int64(version)
	return &number
}

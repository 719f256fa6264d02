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
	"countersign/workflow"
)

// publishable is one kind of what is data with a life of versions: process definitions, rule sets. All kinds share one life:
// a text is proposed by one administrator, judged, and published by another, or withdrawn; an earlier version becomes
// the newest again on the same way.
type publishable interface {
	kind() domain.ProposalKind
	stream(key string) domain.SystemStream
	// parseKey reads the key off a text; a text that does not parse is refused with its problems.
	parseKey(document string) (string, validationResult)
	// withVersion returns the text with its version set.
	withVersion(document string, version int) string
	// validate proves the text and asks whatever else it must hold; slow, on a pool's reader.
	validate(ctx context.Context, r store.Reader, document string) (validationResult, error)
	// newestVersion is the newest published version, 0 for none; text is the document of a version.
	newestVersion(ctx context.Context, r store.Reader, key string) (int, error)
	document(ctx context.Context, r store.Reader, key string, version int) (string, error)
	// publish adds the version; false when it stands already.
	publish(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error)
}

// validationResult is what a subject found out about a text.
type validationResult struct {
	Report  ValidationReport
	Refusal error  // the text cannot be published
	Caution string // it can, but only by whoever says so knowing this
	key     string // key
	version int    // version the text names
}

// ValidationReport is what was found when a text was proposed, as it is kept with the proposal.
type ValidationReport struct {
	Markings int                `json:"markings,omitempty"` // distinct markings that the proof reached
	Problems []workflow.Problem `json:"problems,omitempty"`
	Warnings []workflow.Problem `json:"warnings,omitempty"`
	// Understaffed are ways for which there are not enough distinct persons.
	Understaffed []workflow.Problem `json:"understaffed,omitempty"`
}

// Propose asks that a text become the next version.
type Propose struct {
	Once
	Document string
	Note     string
	// ExpectedVersion is the version that the text was made from, "0" for none; "" asks for nothing.
	ExpectedVersion string
}

// Restore asks that an earlier version become the newest again.
type Restore struct {
	Once
	Key             string
	Version         int
	Note            string
	ExpectedVersion string
}

// EndProposal asks to publish or to withdraw a proposal.
type EndProposal struct {
	Once
	ProposalID domain.ID
	Reason     string // of a withdrawal
	// Confirm publishes although the text is cautioned against.
	Confirm         bool
	ExpectedVersion string // as ProposalVersion gives it; "" asks for nothing
}

// ProposalResult is what a command on a proposal led to. Report tells why a text was refused.
type ProposalResult struct {
	ProposalID domain.ID
	Kind       domain.ProposalKind
	Key        string
	Version    int // the version it would become, or became
	Report     ValidationReport
}

// ProposalVersion is the opaque version of a proposal.
func ProposalVersion(p domain.Proposal) string { return string(p.Status) }

// maxNoteBytes bounds what is written with a proposal, in characters.
const maxNoteBytes = 2000

// propose judges the text outside of any transaction and then keeps it as a proposal.
func (svc *Service) propose(ctx context.Context, actor domain.Actor, s publishable, in Propose, restores int) (ProposalResult, error) {
	operation := "propose " + string(s.kind())
	done, err := svc.tryPropose(ctx, actor, s, operation, in, restores)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return done, err
}

func (svc *Service) tryPropose(ctx context.Context, actor domain.Actor, s publishable, operation string, in Propose, restores int) (ProposalResult, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return ProposalResult{}, err
	}
	if in.Note = strings.TrimSpace(in.Note); domain.Longer(in.Note, maxNoteBytes) {
		return ProposalResult{}, domain.Invalid("note", "a note has at most %d characters", maxNoteBytes)
	}
	var before ProposalResult
	if replayed, err := svc.findReplay(ctx, actor, operation, in.Once, in, &before); err != nil || replayed {
		return before, err
	}
	key, first := s.parseKey(in.Document)
	if first.Refusal != nil {
		return ProposalResult{Kind: s.kind(), Report: first.Report}, first.Refusal
	}
	base, err := s.newestVersion(ctx, svc.db.Reader(), key)
	if err != nil {
		return ProposalResult{}, err
	}
	if err := checkBaseVersion(in.ExpectedVersion, strconv.Itoa(base), "Version %d is in force by now.", base); err != nil {
		return ProposalResult{}, err
	}
	document := s.withVersion(in.Document, base+1)
	judged, err := s.validate(ctx, svc.db.Reader(), document)
	if err == nil && judged.Refusal == nil && judged.version != base+1 {
		judged.Refusal = domain.Invalid("document", "The text names version %d; the next one is %d.", judged.version, base+1).
			WithRemedy("Leave the version out, or write %d.", base+1)
	}
	result := ProposalResult{ProposalID: domain.NewID(), Kind: s.kind(), Key: key, Version: base + 1, Report: judged.Report}
	if err != nil || judged.Refusal != nil {
		return result, firstError(err, judged.Refusal)
	}
	report, err := json.Marshal(judged.Report)
	if err != nil {
		return result, fmt.Errorf("casework: encode the report: %w", err)
	}
	proposal := domain.Proposal{ID: result.ProposalID, Kind: s.kind(), Key: key, Base: base, Restores: restores, Document: document,
		Report: report, Note: in.Note, ProposedBy: actor.UserID}
	err = svc.runProposalCommand(ctx, actor, s, key, operation, in.Once, in, &result, func(tx *store.Tx) ([]events.Body, error) {
		if now, err := s.newestVersion(ctx, tx.Reader, key); err != nil || now != base {
			return nil, firstError(err, staleVersion(strconv.Itoa(now), "Version %d has come into force meanwhile.", now))
		}
		if err := tx.PutProposal(ctx, proposal); err != nil {
			return nil, err
		}
		body := generated.DefinitionProposedV1{Kind: string(s.kind()), Key: key, ProposalID: proposal.ID, By: actor.UserID, Base: int64(base),
			DefinitionVersion: int64(base + 1), SHA256: sha256Hex(document), Note: in.Note}
		body.RestoredFrom = optionalVersion(restores)
		return []events.Body{body}, nil
	})
	return result, err
}

// restore proposes an earlier version as the newest.
func (svc *Service) restore(ctx context.Context, actor domain.Actor, s publishable, in Restore) (ProposalResult, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		svc.logRefusal(ctx, actor, "propose "+string(s.kind()), domain.NoID, err)
		return ProposalResult{}, err
	}
	document, err := s.document(ctx, svc.db.Reader(), in.Key, in.Version)
	if err != nil {
		return ProposalResult{}, err
	}
	return svc.propose(ctx, actor, s, Propose{Once: in.Once, Document: document, Note: in.Note, ExpectedVersion: in.ExpectedVersion}, in.Version)
}

// publish makes a proposal the next version. What was proposed never changes, so its proof is made before the
// transaction; who proposed, what it was made from and the right are judged in it.
func (svc *Service) publish(ctx context.Context, actor domain.Actor, s publishable, in EndProposal) (ProposalResult, error) {
	operation := "publish " + string(s.kind())
	result, err := svc.tryPublish(ctx, actor, s, operation, in)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryPublish(ctx context.Context, actor domain.Actor, s publishable, operation string, in EndProposal) (ProposalResult, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return ProposalResult{}, err
	}
	proposal, err := svc.loadProposal(ctx, s, in.ProposalID)
	if err != nil {
		return ProposalResult{}, err
	}
	result := ProposalResult{ProposalID: proposal.ID, Kind: s.kind(), Key: proposal.Key, Version: proposal.Base + 1}
	judged, err := s.validate(ctx, svc.db.Reader(), proposal.Document)
	if result.Report = judged.Report; err != nil || judged.Refusal != nil {
		return result, firstError(err, judged.Refusal)
	}
	err = svc.runProposalCommand(ctx, actor, s, proposal.Key, operation, in.Once, in, &result, func(tx *store.Tx) ([]events.Body, error) {
		held, err := svc.lockOpenProposal(ctx, tx, in)
		if err != nil {
			return nil, err
		}
		if held.ProposedBy == actor.UserID {
			return nil, domain.Errorf(domain.FourEyes, "You proposed it yourself; a second administrator publishes it.").
				WithRemedy("Ask another administrator.")
		}
		if now, err := s.newestVersion(ctx, tx.Reader, held.Key); err != nil || now != held.Base {
			return nil, firstError(err, staleVersion(strconv.Itoa(now), "It was made from version %d, but version %d is in force by now.", held.Base, now))
		}
		if judged.Caution != "" && !in.Confirm {
			return nil, domain.Errorf(domain.ConfirmationNeeded, "%s", judged.Caution).WithRemedy("Give the roles first, or confirm that it is meant so.")
		}
		if err := tx.EndProposal(ctx, held.ID, domain.ProposalPublished, actor.UserID, ""); err != nil {
			return nil, err
		}
		if fresh, err := s.publish(ctx, tx, held, actor.UserID); err != nil || !fresh {
			return nil, firstError(err, staleVersion(strconv.Itoa(held.Base+1), "Version %d stands already.", held.Base+1))
		}
		return []events.Body{generated.DefinitionPublishedV2{Kind: string(s.kind()), Key: held.Key, DefinitionVersion: int64(held.Base + 1),
			Base: int64(held.Base), SHA256: sha256Hex(held.Document), By: actor.UserID, ProposedBy: held.ProposedBy, ProposalID: held.ID,
			RestoredFrom: optionalVersion(held.Restores)}}, nil
	})
	return result, err
}

// withdraw ends a proposal without publishing it; who proposed may, and any other administrator.
func (svc *Service) withdraw(ctx context.Context, actor domain.Actor, s publishable, in EndProposal) (ProposalResult, error) {
	operation := "withdraw " + string(s.kind())
	err := svc.authorizePublishing(ctx, actor) // before it is looked for: whoever may not learns nothing of what there is
	var proposal domain.Proposal
	if err == nil {
		proposal, err = svc.loadProposal(ctx, s, in.ProposalID)
	}
	result := ProposalResult{ProposalID: in.ProposalID, Kind: s.kind(), Key: proposal.Key, Version: proposal.Base + 1}
	if in.Reason = strings.TrimSpace(in.Reason); err == nil && domain.Longer(in.Reason, maxNoteBytes) {
		err = domain.Invalid("reason", "a reason has at most %d characters", maxNoteBytes)
	}
	if err == nil {
		err = svc.runProposalCommand(ctx, actor, s, proposal.Key, operation, in.Once, in, &result, func(tx *store.Tx) ([]events.Body, error) {
			held, err := svc.lockOpenProposal(ctx, tx, in)
			if err != nil {
				return nil, err
			}
			if err := tx.EndProposal(ctx, held.ID, domain.ProposalWithdrawn, actor.UserID, in.Reason); err != nil {
				return nil, err
			}
			return []events.Body{generated.DefinitionWithdrawnV1{Kind: string(s.kind()), Key: held.Key, ProposalID: held.ID, By: actor.UserID,
				ProposedBy: held.ProposedBy, DefinitionVersion: int64(held.Base + 1), Reason: in.Reason}}, nil
		})
	}
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

// runProposalCommand runs a command on one key: the authority is held, the right asked on these rows, the key's stream locked,
// then fn, whose facts are emitted on the stream.
func (svc *Service) runProposalCommand(ctx context.Context, actor domain.Actor, s publishable, key, operation string, once Once, request any, result *ProposalResult,
	fn func(*store.Tx) ([]events.Body, error),
) error {
	var hint domain.Hint
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := svc.replayOrReserve(ctx, tx, actor, operation, once, request, result)
		if err != nil || replayed {
			return err
		}
		locked, err := svc.lockAuthority(ctx, tx, actor.UserID)
		if err != nil {
			return err
		}
		cmd, err := locked.newCommand(ctx, tx, svc, actor)
		if err != nil {
			return err
		}
		if _, err := locked.snapshot.authorizer.AuthorizeGlobal(cmd.persons[0], domain.ActPublish); err != nil {
			return err
		}
		if _, err := tx.LockStream(ctx, s.stream(key)); err != nil {
			return err
		}
		bodies, err := fn(tx)
		if err != nil {
			return err
		}
		if hint, err = svc.appendEvents(ctx, tx, s.stream(key), actor, translateEvents(ctx, tx, s, bodies, result)); err != nil {
			return err
		}
		return svc.storeOutcome(ctx, tx, actor, operation, once, result)
	})
	if err == nil && hint.Seq > 0 {
		svc.ports.Notifier.PublishHints(ctx, []domain.Hint{hint})
	}
	return err
}

// authorizePublishing asks, before anything slow is done, whether the person may change what is published. Nobody does on behalf of another user.
func (svc *Service) authorizePublishing(ctx context.Context, actor domain.Actor) error {
	if actor.OnBehalfOf != domain.NoID {
		return domain.Errorf(domain.NotPermitted, "Nobody publishes in another's name.")
	}
	return svc.Authorize(ctx, actor, domain.ActPublish)
}

func (svc *Service) loadProposal(ctx context.Context, s publishable, id domain.ID) (domain.Proposal, error) {
	proposal, err := svc.db.Reader().Proposal(ctx, id)
	if err == nil && proposal.Kind != s.kind() {
		err = domain.Errorf(domain.NotFound, "There is no such proposal.")
	}
	return proposal, err
}

// lockOpenProposal locks the proposal, which must still be open and, if asked, in the state that is expected.
func (svc *Service) lockOpenProposal(ctx context.Context, tx *store.Tx, in EndProposal) (domain.Proposal, error) {
	held, err := tx.LockProposal(ctx, in.ProposalID)
	if err != nil {
		return held, err
	}
	if err := checkBaseVersion(in.ExpectedVersion, ProposalVersion(held), "The proposal is %s by now.", held.Status); err != nil {
		return held, err
	}
	if held.Status != domain.ProposalOpen {
		return held, domain.Errorf(domain.StateMismatch, "The proposal is already %s.", held.Status).WithDetail("status", string(held.Status))
	}
	return held, nil
}

// checkBaseVersion refuses a command that was made from another version.
func checkBaseVersion(given, present, format string, args ...any) error {
	if given == "" || given == present {
		return nil
	}
	return staleVersion(present, format, args...)
}

func staleVersion(present, format string, args ...any) error {
	return domain.Errorf(domain.StaleVersion, format, args...).WithRemedy("Look at what is in force now and propose anew.").
		WithDetail("currentVersion", present)
}

// firstError is the first error that is one.
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

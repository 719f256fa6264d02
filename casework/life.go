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

// subject is one kind of what is data with a life of versions: process definitions, rule sets. All kinds share one life:
// a text is proposed by one administrator, judged, and published by another, or withdrawn; an earlier version becomes
// the newest again on the same way.
type subject interface {
	kind() domain.ProposalKind
	stream(key string) domain.SystemStream
	// keyOf reads the key off a text; a text that does not parse is refused with its problems.
	keyOf(document string) (string, judgedText)
	// withVersion returns the text with its version set.
	withVersion(document string, version int) string
	// judge proves the text and asks whatever else it must hold; slow, on a pool's reader.
	judge(ctx context.Context, r store.Reader, document string) (judgedText, error)
	// newest is the newest published version, 0 for none; text is the document of a version.
	newest(ctx context.Context, r store.Reader, key string) (int, error)
	text(ctx context.Context, r store.Reader, key string, version int) (string, error)
	// put adds the version; false when it stands already.
	put(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error)
}

// judgedText is what a subject found out about a text.
type judgedText struct {
	Report   Report
	Refusal  error  // the text cannot be published
	Caution  string // it can, but only by whoever says so knowing this
	of       string // key
	authored int    // version the text names
}

// Report is what was found when a text was proposed, as it is kept with the proposal.
type Report struct {
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

// Proposed is what a command on a proposal led to. Report tells why a text was refused.
type Proposed struct {
	ProposalID domain.ID
	Kind       domain.ProposalKind
	Key        string
	Version    int // the version it would become, or became
	Report     Report
}

// ProposalVersion is the opaque version of a proposal.
func ProposalVersion(p domain.Proposal) string { return string(p.Status) }

// longestNote bounds what is written with a proposal, in bytes.
const longestNote = 2000

// propose judges the text outside of any transaction and then keeps it as a proposal.
func (h *Hall) propose(ctx context.Context, actor domain.Actor, s subject, in Propose, restores int) (Proposed, error) {
	operation := "propose " + string(s.kind())
	done, err := h.proposing(ctx, actor, s, operation, in, restores)
	if err != nil {
		h.refused(ctx, actor, operation, domain.NoID, err)
	}
	return done, err
}

func (h *Hall) proposing(ctx context.Context, actor domain.Actor, s subject, operation string, in Propose, restores int) (Proposed, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		return Proposed{}, err
	}
	if in.Note = strings.TrimSpace(in.Note); len(in.Note) > longestNote {
		return Proposed{}, domain.Invalid("note", "a note has at most %d bytes", longestNote)
	}
	var before Proposed
	if replayed, err := h.replayed(ctx, actor, operation, in.Once, in, &before); err != nil || replayed {
		return before, err
	}
	key, first := s.keyOf(in.Document)
	if first.Refusal != nil {
		return Proposed{Kind: s.kind(), Report: first.Report}, first.Refusal
	}
	base, err := s.newest(ctx, h.db.Reader(), key)
	if err != nil {
		return Proposed{}, err
	}
	if err := expected(in.ExpectedVersion, strconv.Itoa(base), "Version %d is in force by now.", base); err != nil {
		return Proposed{}, err
	}
	document := s.withVersion(in.Document, base+1)
	judged, err := s.judge(ctx, h.db.Reader(), document)
	if err == nil && judged.Refusal == nil && judged.authored != base+1 {
		judged.Refusal = domain.Invalid("document", "The text names version %d; the next one is %d.", judged.authored, base+1).
			WithWayOut("Leave the version out, or write %d.", base+1)
	}
	result := Proposed{ProposalID: domain.NewID(), Kind: s.kind(), Key: key, Version: base + 1, Report: judged.Report}
	if err != nil || judged.Refusal != nil {
		return result, firstOf(err, judged.Refusal)
	}
	report, err := json.Marshal(judged.Report)
	if err != nil {
		return result, fmt.Errorf("casework: encode the report: %w", err)
	}
	proposal := domain.Proposal{ID: result.ProposalID, Kind: s.kind(), Key: key, Base: base, Restores: restores, Document: document,
		Report: report, Note: in.Note, ProposedBy: actor.UserID}
	err = h.onSubject(ctx, actor, s, key, operation, in.Once, in, &result, func(tx *store.Tx) ([]events.Body, error) {
		if now, err := s.newest(ctx, tx.Reader, key); err != nil || now != base {
			return nil, firstOf(err, stale(strconv.Itoa(now), "Version %d has come into force meanwhile.", now))
		}
		if err := tx.PutProposal(ctx, proposal); err != nil {
			return nil, err
		}
		body := generated.DefinitionProposedV1{Kind: string(s.kind()), Key: key, ProposalID: proposal.ID, By: actor.UserID, Base: int64(base),
			DefinitionVersion: int64(base + 1), SHA256: hashText(document), Note: in.Note}
		body.RestoredFrom = optionalVersion(restores)
		return []events.Body{body}, nil
	})
	return result, err
}

// restore proposes an earlier version as the newest.
func (h *Hall) restore(ctx context.Context, actor domain.Actor, s subject, in Restore) (Proposed, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		h.refused(ctx, actor, "propose "+string(s.kind()), domain.NoID, err)
		return Proposed{}, err
	}
	document, err := s.text(ctx, h.db.Reader(), in.Key, in.Version)
	if err != nil {
		return Proposed{}, err
	}
	return h.propose(ctx, actor, s, Propose{Once: in.Once, Document: document, Note: in.Note, ExpectedVersion: in.ExpectedVersion}, in.Version)
}

// publish makes a proposal the next version. What was proposed never changes, so its proof is made before the
// transaction; who proposed, what it was made from and the right are judged in it.
func (h *Hall) publish(ctx context.Context, actor domain.Actor, s subject, in EndProposal) (Proposed, error) {
	operation := "publish " + string(s.kind())
	result, err := h.publishing(ctx, actor, s, operation, in)
	if err != nil {
		h.refused(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (h *Hall) publishing(ctx context.Context, actor domain.Actor, s subject, operation string, in EndProposal) (Proposed, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		return Proposed{}, err
	}
	proposal, err := h.proposalOf(ctx, s, in.ProposalID)
	if err != nil {
		return Proposed{}, err
	}
	result := Proposed{ProposalID: proposal.ID, Kind: s.kind(), Key: proposal.Key, Version: proposal.Base + 1}
	judged, err := s.judge(ctx, h.db.Reader(), proposal.Document)
	if result.Report = judged.Report; err != nil || judged.Refusal != nil {
		return result, firstOf(err, judged.Refusal)
	}
	err = h.onSubject(ctx, actor, s, proposal.Key, operation, in.Once, in, &result, func(tx *store.Tx) ([]events.Body, error) {
		held, err := h.openProposal(ctx, tx, in)
		if err != nil {
			return nil, err
		}
		if held.ProposedBy == actor.UserID {
			return nil, domain.Fail(domain.FourEyes, "You proposed it yourself; a second administrator publishes it.").
				WithWayOut("Ask another administrator.")
		}
		if now, err := s.newest(ctx, tx.Reader, held.Key); err != nil || now != held.Base {
			return nil, firstOf(err, stale(strconv.Itoa(now), "It was made from version %d, but version %d is in force by now.", held.Base, now))
		}
		if judged.Caution != "" && !in.Confirm {
			return nil, domain.Fail(domain.ConfirmationNeeded, "%s", judged.Caution).WithWayOut("Give the roles first, or confirm that it is meant so.")
		}
		if err := tx.EndProposal(ctx, held.ID, domain.ProposalPublished, actor.UserID, ""); err != nil {
			return nil, err
		}
		if fresh, err := s.put(ctx, tx, held, actor.UserID); err != nil || !fresh {
			return nil, firstOf(err, stale(strconv.Itoa(held.Base+1), "Version %d stands already.", held.Base+1))
		}
		return []events.Body{generated.DefinitionPublishedV2{Kind: string(s.kind()), Key: held.Key, DefinitionVersion: int64(held.Base + 1),
			Base: int64(held.Base), SHA256: hashText(held.Document), By: actor.UserID, ProposedBy: held.ProposedBy, ProposalID: held.ID,
			RestoredFrom: optionalVersion(held.Restores)}}, nil
	})
	return result, err
}

// withdraw ends a proposal without publishing it; who proposed may, and any other administrator.
func (h *Hall) withdraw(ctx context.Context, actor domain.Actor, s subject, in EndProposal) (Proposed, error) {
	operation := "withdraw " + string(s.kind())
	err := h.mayAuthor(ctx, actor) // before it is looked for: whoever may not learns nothing of what there is
	var proposal domain.Proposal
	if err == nil {
		proposal, err = h.proposalOf(ctx, s, in.ProposalID)
	}
	result := Proposed{ProposalID: in.ProposalID, Kind: s.kind(), Key: proposal.Key, Version: proposal.Base + 1}
	if in.Reason = strings.TrimSpace(in.Reason); err == nil && len(in.Reason) > longestNote {
		err = domain.Invalid("reason", "a reason has at most %d bytes", longestNote)
	}
	if err == nil {
		err = h.onSubject(ctx, actor, s, proposal.Key, operation, in.Once, in, &result, func(tx *store.Tx) ([]events.Body, error) {
			held, err := h.openProposal(ctx, tx, in)
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
		h.refused(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

// onSubject runs a command on one key: the authority is held, the right asked on these rows, the key's stream locked,
// then fn, whose facts are told on the stream.
func (h *Hall) onSubject(ctx context.Context, actor domain.Actor, s subject, key, operation string, once Once, request any, result *Proposed,
	fn func(*store.Tx) ([]events.Body, error),
) error {
	var hint domain.Hint
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := h.replay(ctx, tx, actor, operation, once, request, result)
		if err != nil || replayed {
			return err
		}
		hold, err := h.hold(ctx, tx, actor.UserID)
		if err != nil {
			return err
		}
		cmd, err := hold.command(ctx, tx, h, actor)
		if err != nil {
			return err
		}
		if _, err := hold.held.judge.AuthorizePlain(cmd.persons[0], domain.ActPublish); err != nil {
			return err
		}
		if _, err := tx.LockStream(ctx, s.stream(key)); err != nil {
			return err
		}
		bodies, err := fn(tx)
		if err != nil {
			return err
		}
		if hint, err = h.append(ctx, tx, s.stream(key), actor, worded(ctx, tx, s, bodies, result)); err != nil {
			return err
		}
		return h.keep(ctx, tx, actor, operation, once, result)
	})
	if err == nil && hint.Seq > 0 {
		h.ports.Bell.Changed(ctx, []domain.Hint{hint})
	}
	return err
}

// mayAuthor asks, before anything slow is done, whether the person may change what is published. Nobody does in another's name.
func (h *Hall) mayAuthor(ctx context.Context, actor domain.Actor) error {
	if actor.OnBehalfOf != domain.NoID {
		return domain.Fail(domain.NotPermitted, "Nobody publishes in another's name.")
	}
	return h.May(ctx, actor, domain.ActPublish)
}

func (h *Hall) proposalOf(ctx context.Context, s subject, id domain.ID) (domain.Proposal, error) {
	proposal, err := h.db.Reader().Proposal(ctx, id)
	if err == nil && proposal.Kind != s.kind() {
		err = domain.Fail(domain.NotFound, "There is no such proposal.")
	}
	return proposal, err
}

// openProposal locks the proposal, which must still be open and, if asked, in the state that is expected.
func (h *Hall) openProposal(ctx context.Context, tx *store.Tx, in EndProposal) (domain.Proposal, error) {
	held, err := tx.LockProposal(ctx, in.ProposalID)
	if err != nil {
		return held, err
	}
	if err := expected(in.ExpectedVersion, ProposalVersion(held), "The proposal is %s by now.", held.Status); err != nil {
		return held, err
	}
	if held.Status != domain.ProposalOpen {
		return held, domain.Fail(domain.StateMismatch, "The proposal is already %s.", held.Status).WithDetail("status", string(held.Status))
	}
	return held, nil
}

// expected refuses a command that was made from another version.
func expected(given, present, format string, args ...any) error {
	if given == "" || given == present {
		return nil
	}
	return stale(present, format, args...)
}

func stale(present, format string, args ...any) error {
	return domain.Fail(domain.StaleVersion, format, args...).WithWayOut("Look at what is in force now and propose anew.").
		WithDetail("currentVersion", present)
}

// firstOf is the first error that is one.
func firstOf(first, otherwise error) error {
	if first != nil {
		return first
	}
	return otherwise
}

func hashText(text string) string {
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

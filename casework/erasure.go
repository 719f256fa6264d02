package casework

import (
	"context"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"countersign/audit"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ProposeErasure asks to erase the personal data of an ended case.
type ProposeErasure struct {
	Once   Once
	CaseID domain.ID
	Reason string
}

// ProposeErasure proposes to erase the personal data of a case, of the parts of its file and of their
// corrections. Another person must confirm it. Neither may have acted on one of the cases, the
// retention period must be over, and no case may have a legal hold. It requires the right to manage
// people.
func (svc *Service) ProposeErasure(ctx context.Context, actor domain.Actor, in ProposeErasure) (
	ControlResult, error) {
	const operation = "proposeErasure"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("caseId", []string{in.CaseID.String()}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (ControlResult, error) {
		reference, err := p.tx.CaseReference(p.ctx, in.CaseID)
		if err != nil {
			return ControlResult{}, err
		}
		cases, err := p.erasable(in.CaseID, p.actor.UserID)
		if err != nil {
			return ControlResult{}, err
		}
		listed, err := p.referencesOf(cases)
		if err != nil {
			return ControlResult{}, err
		}
		return p.proposeControl(domain.ControlErasure, in.CaseID.String(), reason,
			domain.ControlDocument{Before: listed, Name: reference})
	})
}

// referencesOf lists cases, so that who confirms sees all of them.
func (p *permissionChange) referencesOf(cases []domain.ID) (string, error) {
	states, err := p.tx.ErasureStates(p.ctx, cases)
	references := make([]string, 0, len(states))
	for i := range states {
		references = append(references, states[i].Reference)
	}
	return strings.Join(references, ", "), err
}

// erasable returns the cases that are erased together with the given one, or why they may not be erased
// by these people.
func (p *permissionChange) erasable(root domain.ID, people ...domain.ID) ([]domain.ID, error) {
	cases, err := p.tx.ErasedTogether(p.ctx, root)
	if err != nil {
		return nil, err
	}
	states, err := p.tx.ErasureStates(p.ctx, cases)
	if err != nil {
		return nil, err
	}
	now, err := p.tx.Clock(p.ctx)
	if err != nil {
		return nil, err
	}
	for i := range states {
		state := &states[i]
		if state.CaseID == root && state.ParentID != domain.NoID {
			return nil, p.erasePartRefusal(state.ParentID)
		}
		if err := erasureRefusal(state, now.Before(state.ErasableAt)); err != nil {
			return nil, err
		}
	}
	for _, person := range people {
		acted, err := p.tx.ActedOn(p.ctx, cases, person)
		if err != nil {
			return nil, err
		}
		if acted {
			return nil, domain.Errorf(domain.FourEyes,
				"A person who acted on this case cannot take part in erasing it.").
				WithRemedy("Let two administrators erase it who did not submit, review or change it.")
		}
	}
	return cases, nil
}

func (p *permissionChange) erasePartRefusal(parent domain.ID) error {
	reference, err := p.tx.CaseReference(p.ctx, parent)
	if err != nil {
		return err
	}
	return domain.Errorf(domain.StateMismatch,
		"This case is a part of the file of %s and is erased together with it.", reference).
		WithRemedy("Propose to erase %s.", reference)
}

// erasureRefusal returns why a case may not be erased, nil if it may.
func erasureRefusal(state *store.ErasureState, retained bool) error {
	switch {
	case state.Erased:
		return domain.Errorf(domain.StateMismatch, "The personal data of %s was already erased.",
			state.Reference)
	case state.EndedAt.IsZero():
		return domain.Errorf(domain.StateMismatch, "%s has not ended.", state.Reference).
			WithRemedy("Propose it again when the case and all parts of its file have ended.")
	case state.OnHold:
		return domain.Errorf(domain.StateMismatch, "%s has a legal hold.", state.Reference).
			WithRemedy("Two administrators can lift the hold.")
	case retained:
		return domain.Errorf(domain.StateMismatch, "%s ended on %s and is kept for %d days, until %s.",
			state.Reference, state.EndedAt.UTC().Format("2006-01-02"), state.Days,
			state.ErasableAt.UTC().Format("2006-01-02")).
			WithRemedy("Propose it again after that day.")
	case state.Sampled:
		return domain.Errorf(domain.StateMismatch, "%s is in the quality sample and not checked yet.",
			state.Reference).WithRemedy("Check the sample first.")
	}
	return nil
}

func erasureBase(ctx context.Context, r store.Reader, key string) (int, error) {
	id, err := domain.ParseID(key)
	if err != nil {
		return 0, domain.NewNotFound()
	}
	c, err := r.Case(ctx, id)
	return int(c.Version), err
}

// applyErasure erases the cases of a confirmed proposal. What happened to one of them since the
// proposal is checked again.
func (p *permissionChange) applyErasure(proposal domain.Proposal, change domain.ControlDocument) error {
	root, err := domain.ParseID(proposal.Key)
	if err != nil {
		return domain.Errorf(domain.Internal, "The case of the proposal cannot be read.").WithCause(err)
	}
	cases, err := p.tx.ErasedTogether(p.ctx, root)
	if err != nil {
		return err
	}
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	locked := make([]*command, len(cases))
	for i, id := range cases {
		if locked[i], err = p.onCase(authorizer, id); err != nil {
			return err
		}
	}
	// Checked under the locks, so that commands that committed before count too.
	again, err := p.erasable(root, proposal.ProposedBy, p.actor.UserID)
	if err != nil {
		return err
	}
	listed, err := p.referencesOf(again)
	if err != nil {
		return err
	}
	if !slices.Equal(again, cases) || listed != change.Before {
		return staleControlChange()
	}
	for _, c := range locked {
		if err := p.eraseCase(c, proposal); err != nil {
			return err
		}
	}
	return nil
}

// eraseCase erases one locked case with the event that records it.
func (p *permissionChange) eraseCase(c *command, proposal domain.Proposal) error {
	id := c.before.ID
	files, err := p.tx.FilesOf(p.ctx, id)
	if err != nil {
		return err
	}
	body := generated.CaseErasedV2{Reason: proposal.Note, RequestedBy: proposal.ProposedBy,
		ProposalID: proposal.ID, Files: fileHashes(files)}
	if body.Events, err = p.tx.EventsWithBodies(p.ctx, id); err != nil {
		return err
	}
	sets, err := p.tx.Assertions(p.ctx, id)
	if err != nil {
		return err
	}
	for i := range sets {
		body.Assertions = append(body.Assertions, hex.EncodeToString(sets[i].Hash))
	}
	notes, err := p.tx.Notes(p.ctx, id)
	if err != nil {
		return err
	}
	body.Notes = noteHashes(notes)
	erasure, err := p.erasureOf(id, &body)
	if err != nil {
		return err
	}
	c.emit(body)
	if err := p.write(c); err != nil {
		return err
	}
	erasure.Proposal = proposal.ID
	p.erasedFiles = append(p.erasedFiles, files...)
	return p.tx.EraseCase(p.ctx, erasure)
}

// erasureOf computes what is left of the decisions and votes of a case, and adds their hashes to the
// event.
func (p *permissionChange) erasureOf(id domain.ID, body *generated.CaseErasedV2) (store.CaseErasure,
	error) {
	erasure := store.CaseErasure{CaseID: id}
	decisions, err := p.tx.DecisionsAndHiddenVotes(p.ctx, id)
	if err != nil {
		return erasure, err
	}
	for i := range decisions {
		hash, err := audit.DecisionHash(&decisions[i])
		if err != nil {
			return erasure, err
		}
		erased, err := audit.EraseDecision(decisions[i])
		if err != nil {
			return erasure, err
		}
		erasure.Decisions = append(erasure.Decisions, erased)
		body.Decisions = append(body.Decisions, generated.CaseErasedV2Decision{
			ReviewID: erased.ReviewID, Person: erased.Actor, OnBehalfOf: erased.OnBehalfOf,
			Verdict: string(erased.Verdict), SHA256: hex.EncodeToString(hash)})
	}
	if erasure.Votes, err = p.tx.VotesOfCases(p.ctx, id); err != nil {
		return erasure, err
	}
	for _, vote := range erasure.Votes {
		hash := hex.EncodeToString(audit.VoteHash(vote))
		erasure.VoteHash = append(erasure.VoteHash, hash)
		body.Votes = append(body.Votes, generated.CaseErasedV2Vote{ReviewID: vote.ReviewID,
			Duty: vote.Duty, Person: vote.Person, SHA256: hash})
	}
	return erasure, nil
}

// fileHashes returns the hashes in the keys of files, each once.
func fileHashes(keys []string) []string {
	var hashes []string
	for _, key := range keys {
		hashes = append(hashes, path.Base(key))
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// removeFiles removes the files of erased cases. What cannot be removed now is removed by SweepFiles,
// because no row refers to it any more.
func (svc *Service) removeFiles(ctx context.Context, keys []string) {
	for _, key := range keys {
		if err := svc.ports.Blobs.Remove(ctx, key); err != nil {
			svc.log.WarnContext(ctx, "file of an erased case not removed yet", "key", key, "error", err)
		}
	}
}

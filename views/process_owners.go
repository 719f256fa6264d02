package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/store"
)

// maxOwnerChanges bounds the open changes that are listed with the owners of a process.
const maxOwnerChanges = 50

// ProcessOwners are the owners of a process, and the open changes that they decide about besides texts.
type ProcessOwners struct {
	domain.ProcessOwners
	Changes []domain.Proposal
}

// ProcessOwners reads the owners of a process for those who see proposals of processes.
func (v *Views) ProcessOwners(ctx context.Context, actor domain.Actor, process string) (ProcessOwners, error) {
	if err := v.requireProcessAccess(ctx, actor); err != nil {
		return ProcessOwners{}, err
	}
	owners, err := v.reader.ProcessOwners(ctx, process)
	if err != nil {
		return ProcessOwners{}, err
	}
	changes, err := v.reader.Proposals(ctx, store.ProposalQuery{Key: process,
		Kinds:  []domain.ProposalKind{domain.ControlOwners, domain.ControlMigration},
		Status: domain.ProposalOpen, Limit: maxOwnerChanges})
	return ProcessOwners{owners, changes}, err
}

// ownsProcess reports whether the viewer owns a process. An owner sees the texts and proposals of all
// processes, because a process may call another one or accept its document types.
func (v *Views) ownsProcess(ctx context.Context, viewer viewer) (bool, error) {
	return v.reader.OwnsProcess(ctx, viewer.user.ID)
}

// requireProcessAccess refuses viewers who may not see the proposals of processes.
func (v *Views) requireProcessAccess(ctx context.Context, actor domain.Actor) error {
	viewer, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ActPublish)
	if err != nil || viewer.seesDefinitions() {
		return err
	}
	owner, err := v.ownsProcess(ctx, viewer)
	if err == nil && !owner {
		err = domain.Errorf(domain.NotPermitted,
			"Only administrators, managers, auditors and owners of processes can see proposals.")
	}
	return err
}

// requireProposalAccess refuses viewers who may not see the proposals of these kinds.
func (v *Views) requireProposalAccess(ctx context.Context, actor domain.Actor,
	kinds ...domain.ProposalKind) error {
	if !slices.ContainsFunc(kinds, func(k domain.ProposalKind) bool { return k != domain.ProposeProcess }) {
		return v.requireProcessAccess(ctx, actor)
	}
	return v.requireDefinitionAccess(ctx, actor)
}

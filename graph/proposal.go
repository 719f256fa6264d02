package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) Proposals(ctx context.Context, first int, after *string,
	filter *donotuse.ProposalFilter) (*donotuse.ProposalConnection, error) {
	query := views.ProposalQuery{Limit: first}
	err := checkPageSize(first)
	if err == nil && after != nil {
		query.Before, err = parseCursor("p", *after)
	}
	if err != nil {
		return nil, err
	}
	if filter != nil {
		query.Key = valueOrEmpty(filter.Key)
		if filter.Kind != nil {
			query.Kind = *filter.Kind
		}
		if filter.Status != nil {
			query.Status = *filter.Status
		}
	}
	page, err := r.views.Proposals(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.ProposalConnection{Edges: []donotuse.ProposalEdge{},
		Nodes:    page.Proposals,
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for _, proposal := range page.Proposals {
		connection.Edges = append(connection.Edges,
			donotuse.ProposalEdge{Cursor: makeCursor("p", proposal.ID), Node: proposal})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func (r *resolver) proposalByID(ctx context.Context, id domain.ID) (*domain.Proposal, error) {
	proposal, err := r.views.Proposal(ctx, callerOf(ctx), id)
	return nullIfNotFound(&proposal, err)
}

func (proposalResolver) ID(_ context.Context, p *domain.Proposal) (string, error) {
	return scalar.GlobalID(scalar.KindProposal, p.ID), nil
}

func (proposalResolver) Version(_ context.Context, p *domain.Proposal) (string, error) {
	return casework.ProposalVersion(*p), nil
}

func (proposalResolver) NextVersion(_ context.Context, p *domain.Proposal) (int, error) {
	return p.Base + 1, nil
}

func (proposalResolver) Restores(_ context.Context, p *domain.Proposal) (*int, error) {
	if p.Restores == 0 {
		return nil, nil
	}
	return &p.Restores, nil
}

func (proposalResolver) ProposedBy(ctx context.Context, p *domain.Proposal) (*domain.User, error) {
	return loadPerson(ctx, p.ProposedBy)
}

func (proposalResolver) DecidedBy(ctx context.Context, p *domain.Proposal) (*domain.User, error) {
	return loadPerson(ctx, p.DecidedBy)
}

func (r proposalPayloadResolver) Proposal(ctx context.Context, payload *donotuse.ProposalPayload) (
	*domain.Proposal, error) {
	if payload.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, payload.ProposalID)
}

// proposalPayload converts the result of a command on a proposal.
func proposalPayload(done casework.ProposalResult, err error) (*donotuse.ProposalPayload, error) {
	payload := &donotuse.ProposalPayload{Problems: problemsOf(
		views.NewProblems(done.Report.Problems))}
	if err == nil {
		payload.ProposalID = done.ProposalID
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

// proposeText parses the arguments of a command that proposes a text, and runs it.
func proposeText(ctx context.Context, in donotuse.ProposeDefinitionInput,
	run func(context.Context, domain.Actor, casework.Propose) (casework.ProposalResult, error),
) (*donotuse.ProposalPayload, error) {
	command := casework.Propose{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Document: in.Document, Note: valueOrEmpty(in.Note),
		ExpectedVersion: valueOrEmpty(in.ExpectedVersion)}
	if in.Replaces != nil {
		var err error
		if command.Replaces, err = scalar.IDOf(scalar.KindProposal, "replaces", *in.Replaces); err != nil {
			return proposalPayload(casework.ProposalResult{}, err)
		}
	}
	return proposalPayload(run(ctx, callerOf(ctx), command))
}

func restoreCommand(in donotuse.RestoreDefinitionInput) casework.Restore {
	return casework.Restore{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Key: in.Key,
		Version: in.DefinitionVersion, Note: valueOrEmpty(in.Note),
		ExpectedVersion: valueOrEmpty(in.ExpectedVersion)}
}

// endProposal parses the arguments of a command that ends a proposal, and runs it.
func endProposal(ctx context.Context, id string, end casework.EndProposal,
	run func(context.Context, domain.Actor, casework.EndProposal) (casework.ProposalResult, error),
) (*donotuse.ProposalPayload, error) {
	var err error
	if end.ProposalID, err = scalar.IDOf(scalar.KindProposal, "proposalId", id); err != nil {
		return proposalPayload(casework.ProposalResult{}, err)
	}
	return proposalPayload(run(ctx, callerOf(ctx), end))
}

// publishProposal parses the arguments of a command that publishes a proposal, and runs it.
func publishProposal(ctx context.Context, in donotuse.PublishProposalInput,
	run func(context.Context, domain.Actor, casework.EndProposal) (casework.ProposalResult, error),
) (*donotuse.ProposalPayload, error) {
	end := casework.EndProposal{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Confirm: in.Confirm, ExpectedVersion: valueOrEmpty(in.ExpectedVersion),
		WithoutOwners: valueOrEmpty(in.WithoutOwners), ExpectedEffect: valueOrEmpty(in.ExpectedEffect)}
	for _, text := range in.Unresolved {
		id, err := scalar.IDOf(scalar.KindComment, "unresolved", text)
		if err != nil {
			return proposalPayload(casework.ProposalResult{}, err)
		}
		end.Unresolved = append(end.Unresolved, id)
	}
	return endProposal(ctx, in.ProposalID, end, run)
}

func withdrawCommand(in donotuse.WithdrawProposalInput) casework.EndProposal {
	return casework.EndProposal{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Reason: valueOrEmpty(in.Reason), ExpectedVersion: valueOrEmpty(in.ExpectedVersion)}
}

func (r mutationResolver) ProposeProcessDefinition(ctx context.Context,
	in donotuse.ProposeDefinitionInput) (*donotuse.ProposalPayload, error) {
	return proposeText(ctx, in, r.service.ProposeProcess)
}

func (r mutationResolver) RestoreProcessDefinition(ctx context.Context,
	in donotuse.RestoreDefinitionInput) (*donotuse.ProposalPayload, error) {
	return proposalPayload(r.service.RestoreProcess(ctx, callerOf(ctx), restoreCommand(in)))
}

func (r mutationResolver) PublishProcessDefinition(ctx context.Context,
	in donotuse.PublishProposalInput) (*donotuse.ProposalPayload, error) {
	return publishProposal(ctx, in, r.service.PublishProcess)
}

func (r mutationResolver) WithdrawProcessDefinition(ctx context.Context,
	in donotuse.WithdrawProposalInput) (*donotuse.ProposalPayload, error) {
	return endProposal(ctx, in.ProposalID, withdrawCommand(in), r.service.WithdrawProcess)
}

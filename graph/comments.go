package graph

import (
	"context"
	"reflect"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (proposalCommentResolver) ID(_ context.Context, c *views.ProposalComment) (string, error) {
	return scalar.GlobalID(scalar.KindComment, c.ID), nil
}

func (proposalCommentResolver) Author(ctx context.Context, c *views.ProposalComment) (*domain.User, error) {
	return loadPerson(ctx, c.Author)
}

func (proposalCommentResolver) Part(_ context.Context, c *views.ProposalComment) (*string, error) {
	if c.Part == "" {
		return nil, nil
	}
	return &c.Part, nil
}

func (proposalCommentResolver) ResolvedBy(ctx context.Context, c *views.ProposalComment) (*domain.User,
	error) {
	return loadPerson(ctx, c.ResolvedBy)
}

func (proposalCommentResolver) ResolvedAt(_ context.Context, c *views.ProposalComment) (*time.Time, error) {
	return timeOrNil(c.ResolvedAt), nil
}

func (r proposalResolver) Discussion(ctx context.Context, p *domain.Proposal) (*views.Discussion, error) {
	read, err := r.views.Discussion(ctx, callerOf(ctx), p.ID)
	return shownDiscussion(read), err
}

func (proposalDiscussionResolver) Parts(_ context.Context, read *views.Discussion) ([]string, error) {
	if !read.Writes {
		return []string{}, nil
	}
	return append([]string{}, casework.ProposalParts(read.Proposal.Kind, read.Proposal.Document)...), nil
}

// shownDiscussion returns the discussion with an empty list in place of nil.
func shownDiscussion(read views.Discussion) *views.Discussion {
	read.Comments = append([]views.ProposalComment{}, read.Comments...)
	return &read
}

func (r mutationResolver) AddProposalComment(ctx context.Context, in donotuse.AddProposalCommentInput) (
	*donotuse.ProposalPayload, error) {
	id, err := scalar.IDOf(scalar.KindProposal, "proposalId", in.ProposalID)
	if err != nil {
		return proposalPayload(casework.ProposalResult{}, err)
	}
	return proposalPayload(r.service.AddComment(ctx, callerOf(ctx), casework.AddComment{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, ProposalID: id,
		Part: valueOrEmpty(in.Part), Text: in.Text}))
}

func (r mutationResolver) ResolveProposalComment(ctx context.Context,
	in donotuse.ResolveProposalCommentInput) (*donotuse.ProposalPayload, error) {
	id, err := scalar.IDOf(scalar.KindComment, "commentId", in.CommentID)
	if err != nil {
		return proposalPayload(casework.ProposalResult{}, err)
	}
	return proposalPayload(r.service.ResolveComment(ctx, callerOf(ctx), casework.ResolveComment{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, CommentID: id}))
}

// ProposalDiscussion sends the comments as the subscriber may read them at that moment.
func (r subscriptionResolver) ProposalDiscussion(ctx context.Context, proposalID string) (
	<-chan *views.Discussion, error) {
	id, err := scalar.IDOf(scalar.KindProposal, "proposalId", proposalID)
	if err != nil {
		return nil, err
	}
	actor := callerOf(ctx)
	// It is read once before, so that a caller without the right is refused immediately.
	first, err := r.views.Discussion(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	stream, err := casework.ProposalStream(first.Proposal)
	if err != nil {
		return nil, err
	}
	list, err := r.hub.WatchList(ctx, actor, stream.ID)
	if err != nil {
		return nil, err
	}
	var sent *views.Discussion
	return watchTicks(ctx, list, shownList[views.Discussion]{forget: func() { sent = nil },
		read: func(ctx context.Context) (*views.Discussion, time.Time, error) {
			read, err := r.views.Discussion(ctx, actor, id)
			if err != nil || sent != nil && reflect.DeepEqual(*sent, read) {
				return nil, time.Time{}, err
			}
			sent = &read
			return shownDiscussion(read), time.Time{}, nil
		}}), nil
}

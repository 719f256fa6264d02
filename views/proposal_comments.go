package views

import (
	"context"
	"slices"

	"countersign/domain"
)

// ProposalComment is a comment on a proposal as its reader sees it.
type ProposalComment struct {
	domain.ProposalComment
	// EarlierText says that the comment was written about an earlier text.
	EarlierText bool
	Resolvable  bool // by the reader
}

// Discussion is what people wrote about a proposal.
type Discussion struct {
	Proposal domain.Proposal
	Comments []ProposalComment
	// Writes says that the reader may comment.
	Writes bool
}

// Discussion reads the comments on a proposal that the viewer may see.
func (v *Views) Discussion(ctx context.Context, actor domain.Actor, id domain.ID) (Discussion, error) {
	proposal, err := v.Proposal(ctx, actor, id)
	if err != nil {
		return Discussion{}, err
	}
	viewer, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ActPublish)
	if err != nil {
		return Discussion{}, err
	}
	comments, err := v.reader.ProposalComments(ctx, proposal)
	if err != nil {
		return Discussion{}, err
	}
	discusses, err := v.discusses(ctx, actor, viewer, proposal)
	if err != nil {
		return Discussion{}, err
	}
	read := Discussion{Proposal: proposal,
		Writes: discusses && proposal.Status == domain.ProposalOpen}
	for _, comment := range comments {
		read.Comments = append(read.Comments, ProposalComment{comment, comment.ProposalID != id,
			discusses && comment.ResolvableBy(viewer.user.ID, proposal)})
	}
	return read, nil
}

// discusses reports whether the viewer may comment on a proposal that they may see: with the right to publish,
// or as an owner of its process.
func (v *Views) discusses(ctx context.Context, actor domain.Actor, viewer viewer, proposal domain.Proposal) (
	bool, error) {
	_, refusal := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActPublish)
	if refusal == nil && actor.InScope(domain.ActPublish) {
		return true, nil
	}
	if proposal.Kind != domain.ProposeProcess || !actor.InScope(domain.ActPublish, domain.ActDecide) {
		return false, nil
	}
	owners, err := v.reader.ProcessOwners(ctx, proposal.Key)
	return slices.Contains(owners.Owners, viewer.user.ID), err
}

// proposalNames returns the kinds and keys of the proposals that the notices are about.
func (v *Views) proposalNames(ctx context.Context, notices []domain.Notice) (
	map[domain.ID]domain.Proposal, error) {
	var ids []domain.ID
	for i := range notices {
		if notices[i].Proposal != domain.NoID {
			ids = append(ids, notices[i].Proposal)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return v.reader.ProposalsByID(ctx, distinct(ids))
}

// nameProposal fills in what a notice is about.
func nameProposal(line *domain.NoticeLine, proposal domain.Proposal) {
	if line.Proposal == domain.NoID {
		return
	}
	line.ProposalKind, line.ProposalKey, line.ProposalVersion = proposal.Kind, proposal.Key, proposal.Base+1
	switch {
	case !proposal.Kind.IsControl():
	case line.Kind != domain.NoticeProposal: // of owners or cases: they are on the page of the process
		line.ProposalKind = domain.ProposeProcess
	default:
		line.ControlKind, line.ProposalKind, line.ProposalVersion = proposal.Kind, "", 0
		if !proposal.Kind.KeyNames() {
			line.ProposalKey = ""
		}
	}
}

package main

import (
	"context"

	"countersign/domain"
)

// discussed returns the newest open proposal of a process with its comments.
func discussed(ctx context.Context, client *api, key string) (discussedProposalRow, error) {
	answer, err := discussedProposal(ctx, client, key)
	if err != nil {
		return discussedProposalRow{}, err
	}
	if len(answer.Proposals.Nodes) == 0 {
		return discussedProposalRow{}, domain.Errorf(domain.NotFound,
			"The process %s has no open proposal.", key).
			WithRemedy("Run countersign process list to see the proposals.")
	}
	return answer.Proposals.Nodes[0], nil
}

// processComments lists comments.
type processComments struct {
	Key string `arg:"" help:"Key of the process."`
}

// Run prints the comments, the oldest first.
func (p *processComments) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	open, err := discussed(ctx, client, p.Key)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, comment := range open.Discussion.Nodes {
		state, by, part := "unresolved", "-", "-"
		if comment.ResolvedAt != nil {
			state = "resolved"
		}
		if comment.EarlierText {
			state += ", earlier text"
		}
		if comment.Author != nil {
			by = comment.Author.Name
		}
		if comment.Part != nil {
			part = *comment.Part
		}
		rows = append(rows, []string{comment.Id, localTime(comment.At), by, state, part, comment.Text})
	}
	return c.printTable(open, []string{"ID", "AT", "BY", "STATE", "ABOUT", "TEXT"}, rows)
}

// processComment comments on a proposal.
type processComment struct {
	Key  string `arg:"" help:"Key of the process."`
	Text string `arg:"" help:"The comment."`
	Part string `help:"Node of the process that it is about."`
}

// Run adds the comment.
func (p *processComment) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	open, err := discussed(ctx, client, p.Key)
	if err != nil {
		return err
	}
	answer, err := commentOnProposal(ctx, client, open.Id, p.Text, p.Part)
	return c.printProposal("comment added", answer.Done, err)
}

// processResolve resolves a comment.
type processResolve struct {
	ID string `arg:"" help:"Id of the comment, as listed by process comments."`
}

// Run resolves it.
func (p *processResolve) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := resolveComment(ctx, client, p.ID)
	return c.printProposal("comment resolved", answer.Done, err)
}

package main

import (
	"context"
	"fmt"
	"strings"

	"countersign/domain"
)

// processOwners lists the owners of a process and the proposals that wait for them.
type processOwners struct {
	Key string `arg:"" help:"Key of the process."`
}

// Run prints the owners, then the open proposals and changes with the hash of each.
func (p *processOwners) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listOwners(ctx, client, p.Key)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(answer)
	}
	owners := answer.ProcessOwners
	names := make([]string, 0, len(owners.Owners))
	for _, owner := range owners.Owners {
		names = append(names, owner.Name)
	}
	if len(names) == 0 {
		c.printLine("%s has no owners.", p.Key)
	} else {
		c.printLine("%s", printable(fmt.Sprintf("Owners of %s: %s; %d must approve.", p.Key,
			strings.Join(names, ", "), owners.Required)))
	}
	rows := [][]string{}
	for _, one := range answer.Proposals.Nodes {
		rows = append(rows, []string{one.Id, fmt.Sprintf("version %d", one.NextVersion),
			proposerName(one.ProposedBy), reviewText(one.OwnerReviews), one.Sha256})
	}
	for _, change := range owners.Changes {
		rows = append(rows, []string{change.Id, strings.ToLower(change.Kind) + " " + change.After,
			proposerName(change.ProposedBy), reviewText(change.OwnerReviews), change.Sha256})
	}
	if len(rows) == 0 {
		return nil
	}
	return c.printTable(answer, []string{"ID", "PROPOSED", "BY", "OWNERS", "SHA256"}, rows)
}

func proposerName(by *person) string {
	if by == nil {
		return "-"
	}
	return by.Name
}

// reviewText describes the decisions of owners.
func reviewText(reviews []ownerReviewRow) string {
	parts := []string{}
	for _, review := range reviews {
		part := fmt.Sprintf("%s: %d of %d", review.Process, review.Approved, review.Required)
		for _, owner := range review.Owners {
			if owner.Person != nil && owner.Decision != nil {
				part += fmt.Sprintf(", %s %s", owner.Person.Name, strings.ToLower(string(*owner.Decision)))
			}
		}
		parts = append(parts, part)
	}
	return orDash(strings.Join(parts, "; "))
}

// processApprove approves or rejects a proposal as an owner.
type processApprove struct {
	ID     string `arg:"" help:"Id of the proposal or change, as listed by process owners."`
	SHA256 string `arg:"" name:"sha256" help:"Hash of the text that you read, as listed by process owners."`
	Reject bool   `help:"Reject it. Needs a reason."`
	Reason string `help:"Reason."`
}

// Run sends the decision.
func (p *processApprove) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	decision, done := OwnerDecisionApproved, "approved"
	if p.Reject {
		decision, done = OwnerDecisionRejected, "rejected"
	}
	answer, err := decideProposal(ctx, client, p.ID, p.SHA256, decision, p.Reason)
	if err != nil {
		return err
	}
	if err := refused(answer.Done.UserErrors); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(answer.Done)
	}
	c.printLine("%s", done)
	return nil
}

// processSetOwners proposes other owners.
type processSetOwners struct {
	Key      string   `arg:"" help:"Key of the process."`
	Owner    []string `help:"E-mail address of an owner. Repeat it for each; without it, the process has none."`
	Required int      `help:"How many owners must approve; by default one."`
	Reason   string   `required:"" help:"Reason."`
}

// Run proposes them.
func (p *processSetOwners) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	ids := []string{}
	for _, email := range p.Owner {
		found, err := findPeople(ctx, client, email)
		if err != nil {
			return err
		}
		before := len(ids)
		for _, one := range found.People {
			if one.Email != nil && strings.EqualFold(*one.Email, email) {
				ids = append(ids, one.Id)
			}
		}
		if len(ids) == before {
			return domain.Errorf(domain.NotFound, "No person has the e-mail address %s.", email)
		}
	}
	if p.Required == 0 && len(ids) > 0 {
		p.Required = 1
	}
	answer, err := proposeOwners(ctx, client, p.Key, ids, p.Required, p.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}

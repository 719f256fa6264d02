package domain

import (
	"slices"
	"time"
)

// The bounds of comments on proposals. The text is bounded like a note.
const (
	MaxCommentPart      = 100 // characters
	MaxProposalComments = 200 // on one text
)

// ProposalComment is what a person wrote about a proposed text. It does not change the text.
type ProposalComment struct {
	ID         ID
	ProposalID ID // whose text it is about
	Author     ID
	Part       string // node of the process or rule of the rule set; "" = the whole text
	Text       string
	At         time.Time
	ResolvedBy ID // NoID while it is unresolved
	ResolvedAt time.Time

	// Proposer and Status are those of the proposal.
	Proposer ID
	Status   ProposalStatus
}

// Resolved reports whether the comment was resolved.
func (c *ProposalComment) Resolved() bool { return c.ResolvedBy != NoID }

// ResolvableBy reports whether a person may resolve the comment: its author, the person who proposed
// the text, and after that text was withdrawn the person who proposed the present one. A rival text
// that is open at the same time gives no right over the comments on another one.
func (c *ProposalComment) ResolvableBy(person ID, present Proposal) bool {
	if c.Resolved() || c.Status == ProposalPublished {
		return false
	}
	return person == c.Author || person == c.Proposer ||
		c.Status == ProposalWithdrawn && present.Status == ProposalOpen && person == present.ProposedBy
}

// UnresolvedComments returns the comments that are not resolved.
func UnresolvedComments(comments []ProposalComment) []ProposalComment {
	return slices.DeleteFunc(slices.Clone(comments),
		func(c ProposalComment) bool { return c.Resolved() })
}

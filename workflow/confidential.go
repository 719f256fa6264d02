package workflow

import (
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
)

// Confidential reports whether a case of the process can get into a confidential review.
func (d *Definition) Confidential() bool {
	return slices.ContainsFunc(d.Nodes, (*Node).Confidential)
}

// Confidential reports whether the node is a review that is, or can be escalated to become,
// confidential, also by one seat.
func (n *Node) Confidential() bool {
	return n.Kind == KindReview && (domain.ConfidentialQueue(n.Queue) ||
		domain.ConfidentialQueue(n.EscalateTo) || n.confidentialSeat())
}

// confidentialSeat reports whether a seat of the committee is in a confidential queue of its own.
func (n *Node) confidentialSeat() bool {
	return domain.ConfidentialQueue(n.ChairQueue) || domain.ConfidentialQueue(n.VetoQueue)
}

// ConfidentialFinding reports whether findings of the rule say why a case needs a confidential review.
func (d *Definition) ConfidentialFinding(rule string) bool {
	return domain.ConfidentialRule(rule) || d.RuleOfConfidential(rule)
}

// RuleOfConfidential reports whether findings of the rule lead into a confidential review: a branch
// into one names the rule.
func (d *Definition) RuleOfConfidential(rule string) bool {
	return slices.ContainsFunc(d.Nodes, func(n *Node) bool {
		return slices.ContainsFunc(n.Edges, func(e Edge) bool {
			to, ok := d.Node(e.To)
			return ok && to.Confidential() && strings.Contains(e.When, strconv.Quote(rule))
		})
	})
}

package workflow

import (
	"slices"
	"time"

	"countersign/domain"
)

const (
	maxSkills = 20
	maxUndo   = 24 * time.Hour
)

// BulkLimits limits which reviews can be approved in bulk. A case whose amount or risk is above it
// is decided separately.
type BulkLimits struct {
	MaxBaseMinor int64 // in the base currency; a case whose amount is unknown is above it
	MaxRisk      int
	// Undo is how long a bulk approval can be undone; at least the node's own time.
	Undo time.Duration
}

// Outside returns what of the case is outside the limits: amount or risk; "" if it is within them.
// risk is what the caller knows of the risk of the case.
func (l BulkLimits) Outside(c *domain.Case, risk int, hasAmount bool) string {
	switch {
	case hasAmount && (!c.AmountKnown || c.BaseMinor > l.MaxBaseMinor):
		return "amount"
	case risk > l.MaxRisk:
		return "risk"
	}
	return ""
}

// bulkLimitsText is the YAML of BulkLimits.
type bulkLimitsText struct {
	MaxAmount *int64 `yaml:"max_amount"`
	MaxRisk   *int   `yaml:"max_risk"`
	Undo      string `yaml:"undo"`
}

// escalation reads where a review is escalated to; the default is queue L2, except for a review in
// L2.
func (b *builder) escalation(node *Node, text nodeText) {
	if text.EscalateTo != nil {
		node.EscalateTo = *text.EscalateTo
	} else if node.Queue != domain.QueueL2 {
		node.EscalateTo = domain.QueueL2
	}
	if node.EscalateTo != "" && node.EscalateTo == node.Queue {
		b.addProblem(node, "escalate_to",
			"A review must be escalated to a queue other than its own.")
	}
	node.EscalateLevel = b.number(node, "escalate_level", text.EscalateLevel,
		min(node.Level+1, 9), 1, 9)
}

// SignsApproval reports whether an approval at the node needs the reviewer's signature for the amount
// at risk, in minor units of the base currency.
func (n *Node) SignsApproval(amountKnown bool, baseMinor int64) bool {
	return n.SignatureAbove != nil && (!amountKnown || baseMinor > *n.SignatureAbove)
}

// checkVerdicts checks that a review's edges are for verdicts and that a return withdraws all other
// work.
func (b *builder) checkVerdicts(node *Node, text nodeText) {
	if node.Repairs() {
		b.checkRepair(node, text)
		return
	}
	for _, verdict := range []domain.Verdict{domain.Approve, domain.Reject} {
		if node.outcomeEdge(string(verdict)) == nil {
			b.addProblem(node, "outcomes", "A review needs a target for %s.", verdict)
		}
	}
	for i := range node.Edges {
		switch domain.Verdict(node.Edges[i].On) {
		case domain.Approve, domain.Reject:
		case domain.Return:
			node.Edges[i].CancelsAll = true
		default:
			b.addProblem(node, "outcomes",
				"%q is not a verdict that can have a target (approve, reject, return).",
				node.Edges[i].On)
		}
	}
}

// reviewTerms reads the terms on which a review is assigned and decided.
func (b *builder) reviewTerms(node *Node, text nodeText) {
	if len(text.Skills) > maxSkills || slices.Contains(text.Skills, "") {
		b.addProblem(node, "skills", "A review can require at most %d skills, each with a name.",
			maxSkills)
	}
	node.Skills = text.Skills
	node.Undo = b.undoWindow(node, text.Undo, 0)
	if node.SignatureAbove = text.SignatureAbove; node.SignatureAbove != nil && *node.SignatureAbove < 0 {
		b.addProblem(node, "signature_above",
			"signature_above is an amount in minor units of the base currency, from 0.")
	}
	if text.Bulk == nil {
		return
	}
	if !text.Bulk.valid() {
		b.addProblem(node, "bulk",
			"bulk needs max_amount, in minor units of the base currency, and max_risk (0 to 100).")
		return
	}
	node.Bulk = &BulkLimits{MaxBaseMinor: *text.Bulk.MaxAmount, MaxRisk: *text.Bulk.MaxRisk,
		Undo: b.undoWindow(node, text.Bulk.Undo, node.Undo)}
	if node.Bulk.Undo < node.Undo {
		b.addProblem(node, "bulk",
			"The undo time of bulk approvals must be at least that of the review.")
	}
}

func (t *bulkLimitsText) valid() bool {
	return t.MaxAmount != nil && t.MaxRisk != nil && *t.MaxAmount >= 0 && *t.MaxRisk >= 0 &&
		*t.MaxRisk <= 100
}

func (b *builder) undoWindow(node *Node, text string, usual time.Duration) time.Duration {
	window := b.duration(node, "undo", text, usual)
	if window > maxUndo {
		b.addProblem(node, "undo", "The undo time of a decision can be at most %s.", maxUndo)
	}
	return window
}

// reopenStatuses reads the final statuses from which a case can be reopened.
func (b *builder) reopenStatuses(from []string) {
	for _, text := range from {
		status := domain.Status(text)
		if !status.Final() {
			b.addProblem(nil, "reopen",
				"reopen lists final statuses (archived, rejected, abandoned), not %q.", text)
		}
		b.def.Reopen = append(b.def.Reopen, status)
	}
}

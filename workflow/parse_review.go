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

// BulkLimits is what may be approved at once with other reviews: a case with an amount or a risk above it is decided alone.
type BulkLimits struct {
	MaxBaseMinor int64 // of the base currency; a case whose amount is not known is outside
	MaxRisk      int
	// Undo is how long an approval given at once can be taken back; at least the node's own.
	Undo time.Duration
}

// bulkLimitsText is an envelope as written.
type bulkLimitsText struct {
	MaxAmount *int64 `yaml:"max_amount"`
	MaxRisk   *int   `yaml:"max_risk"`
	Undo      string `yaml:"undo"`
}

// reviewTerms reads on which terms a review is given out and decided.
func (b *builder) reviewTerms(node *Node, text nodeText) {
	if len(text.Skills) > maxSkills || slices.Contains(text.Skills, "") {
		b.addProblem(node, "skills", "a review asks for at most %d skills, each with a name", maxSkills)
	}
	node.Skills = text.Skills
	node.Undo = b.undoWindow(node, text.Undo, 0)
	if text.Bulk == nil {
		return
	}
	if text.Bulk.MaxAmount == nil || text.Bulk.MaxRisk == nil || *text.Bulk.MaxAmount < 0 || *text.Bulk.MaxRisk < 0 || *text.Bulk.MaxRisk > 100 {
		b.addProblem(node, "bulk", "bulk says up to which max_amount, in minor units of the base currency, and up to which max_risk (0 to 100) reviews may be approved at once")
		return
	}
	node.Bulk = &BulkLimits{MaxBaseMinor: *text.Bulk.MaxAmount, MaxRisk: *text.Bulk.MaxRisk, Undo: b.undoWindow(node, text.Bulk.Undo, node.Undo)}
	if node.Bulk.Undo < node.Undo {
		b.addProblem(node, "bulk", "approving at once leaves no less time to take it back than approving one")
	}
}

func (b *builder) undoWindow(node *Node, text string, usual time.Duration) time.Duration {
	window := b.duration(node, "undo", text, usual)
	if window > maxUndo {
		b.addProblem(node, "undo", "a decision can be taken back for at most %s", maxUndo)
	}
	return window
}

// reopenStatuses reads from which ends a case may be taken up again.
func (b *builder) reopenStatuses(from []string) {
	for _, text := range from {
		status := domain.Status(text)
		if !status.Final() {
			b.addProblem(nil, "reopen", "reopen lists final statuses (archived, rejected, abandoned), not %q", text)
		}
		b.def.Reopen = append(b.def.Reopen, status)
	}
}

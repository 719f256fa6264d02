package workflow

import (
	"slices"

	"countersign/domain"
)

// NextStepKind is a kind of step that follows an approval.
type NextStepKind string

// The steps that can follow an approval.
const (
	NextReview  NextStepKind = "review"        // another review opens
	NextArchive NextStepKind = "archive"       // the case is archived as approved
	NextPayment NextStepKind = "payment"       // the calls of a connector start
	NextOthers  NextStepKind = "other_reviews" // the case waits for other reviews
	NextUnknown NextStepKind = "continue"      // a stage decides
)

// AfterApproval is what follows an approval of a review.
type AfterApproval struct {
	Step  NextStepKind
	Queue string // of the review that opens; "" for other steps
	Level int
}

// NextAfterApproval returns what follows an approval of the review. NextUnknown if the engine refuses the
// approval.
func NextAfterApproval(
	def *Definition, marking domain.Marking, review domain.Review, facts domain.ProcessFacts,
) AfterApproval {
	event := Event{Kind: ReviewDecided, Node: review.Node, Visit: review.Visit, Seat: review.Seat,
		Verdict: domain.Approve}
	step, err := Advance(def, marking, event, facts)
	switch {
	case err != nil:
		return AfterApproval{Step: NextUnknown}
	case slices.ContainsFunc(step.Effects, archives):
		return AfterApproval{Step: NextArchive}
	case LetsPass(step.Effects):
		return AfterApproval{Step: NextPayment}
	}
	next := AfterApproval{Step: NextOthers}
	for _, effect := range step.Effects {
		switch effect := effect.(type) {
		case OpenReview:
			return AfterApproval{Step: NextReview, Queue: effect.Queue, Level: effect.Level}
		case StartStage, StartStep, StartTimer:
			next.Step = NextUnknown
		}
	}
	return next
}

func archives(effect Effect) bool {
	stage, ok := effect.(StartStage)
	return ok && stage.Outcome == domain.Archived
}

// Assesses reports whether the process computes the risk of a case by rules.
func (d *Definition) Assesses() bool {
	return slices.ContainsFunc(d.Nodes, func(n *Node) bool { return n.Behaviour == domain.BehaviourAssess })
}

// Assessed reports whether a case with the marking was judged by rules: it has left a stage that judges. Otherwise
// a risk of 0 and no findings mean nothing.
func (d *Definition) Assessed(marking domain.Marking) bool {
	return slices.ContainsFunc(d.Nodes, func(n *Node) bool {
		inside := 0
		for _, token := range marking.Tokens {
			if token.Node == n.ID {
				inside = 1
			}
		}
		return n.Behaviour == domain.BehaviourAssess && marking.Visits[n.ID] > inside
	})
}

// ConfidentialNear reports whether a confidential review can run beside the node or follow its usual
// outcome, so that what comes after the node tells whether there is or was one.
func (d *Definition) ConfidentialNear(id string) bool {
	node, ok := d.index[id]
	if !ok {
		return false
	}
	seen := map[*Node]bool{}
	var follows func(*Edge) bool
	follows = func(edge *Edge) bool {
		to := edge.target
		if to == nil || seen[to] || edge.Trigger != "" {
			return false
		}
		seen[to] = true
		if to.Kind == KindReview {
			return to.Confidential() || follows(to.usualEdge())
		}
		return slices.ContainsFunc(to.Edges, func(next Edge) bool { return follows(&next) })
	}
	beside := func(other *Node) bool { return other.Confidential() && runsBeside(node, other) }
	return slices.ContainsFunc(d.Nodes, beside) || follows(node.usualEdge())
}

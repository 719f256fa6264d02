package workflow

import "countersign/domain"

// modelStage reads what a stage that asks a language model has beside others. It runs in the queue model
// alone, so that waiting for a model delays no other work.
func (b *builder) modelStage(node *Node, text nodeText) {
	if node.Behaviour != domain.BehaviourParse {
		if text.Required != nil || text.WaitsForBudget != nil {
			b.addProblem(node, "attribute",
				"Only a stage with the behaviour parse has the attributes required and waits_for_budget.")
		}
		return
	}
	if text.Queue != "" && text.Queue != domain.QueueModel || len(text.QueueFor) > 0 {
		b.addProblem(node, "queue", "A stage with the behaviour parse runs in the queue model.")
	}
	node.Queue = domain.QueueModel
	node.Required = text.Required != nil && *text.Required
	node.WaitsForBudget = text.WaitsForBudget != nil && *text.WaitsForBudget
}

// checkModelStages refuses a language model after an approval: what it finds could raise the amount at risk
// of a case that people have judged already.
func (b *builder) checkModelStages() {
	for _, review := range b.def.Nodes {
		if review.Kind != KindReview {
			continue
		}
		for _, later := range b.def.following(review) {
			if later.Behaviour == domain.BehaviourParse {
				b.addProblem(later, "model_after_review",
					"A stage with the behaviour parse must come before all reviews; it follows %s.", review.ID)
			}
		}
	}
}

package workflow

import (
	"slices"

	"countersign/domain"
)

// external reads a stage that a program outside does.
func (b *builder) external(node *Node, text nodeText) {
	node.Queue, node.Topic = QueueExternal, text.Topic
	if !namePattern.MatchString(text.Topic) {
		b.addProblem(node, "topic", "an external stage names the topic it is leased by: small letters, digits and underscores")
	}
	node.Lease = b.duration(node, "lease", text.Lease, defaultLease)
	if node.Lease == 0 {
		b.addProblem(node, "lease", "the lease of an external stage lasts for some time")
	}
	node.Attempts = b.number(node, "attempts", text.Attempts, defaultAttempts, 1, maxAttempts)
	node.Backoff = b.duration(node, "backoff", text.Backoff, defaultBackoff)
	b.status(node, text.Status, domain.Processing)
	if (text.Next == "") == (len(text.On) == 0) {
		b.addProblem(node, "outcomes", "a stage has either next or on")
	}
	if text.Next != "" {
		node.Edges = []Edge{{On: OutcomeDone, To: text.Next}}
	}
	b.outcomes(node, text.On)
	b.boundaryErrors(node, text.Errors)
	b.boundaryTimeout(node, text.Timeout)
}

// timer reads a wait.
func (b *builder) timer(node *Node, text nodeText) {
	node.After = b.duration(node, "after", text.After, 0)
	if node.After == 0 {
		b.addProblem(node, "after", "a timer says how long it waits")
	}
	b.status(node, text.Status, domain.Processing)
	node.Edges = []Edge{{To: text.Next}}
}

// saga reads the calls to other systems. Both outcomes are named, so that nobody forgets what follows a failure.
func (b *builder) saga(node *Node, text nodeText) {
	node.Attempts = b.number(node, "attempts", text.Attempts, defaultAttempts, 1, maxAttempts)
	node.Backoff = b.duration(node, "backoff", text.Backoff, defaultBackoff)
	b.status(node, text.Status, domain.Approved)
	if len(text.Steps) == 0 || len(text.Steps) > maxSteps {
		b.addProblem(node, "steps", "a saga has between 1 and %d steps", maxSteps)
	}
	for _, step := range text.Steps {
		switch {
		case !namePattern.MatchString(step.ID):
			b.addProblem(node, "steps", "the step %q: small letters, digits and underscores", step.ID)
		case slices.ContainsFunc(node.Steps, func(other SagaStep) bool { return other.ID == step.ID }):
			b.addProblem(node, "steps", "the step %q stands twice", step.ID)
		case step.Call == "":
			b.addProblem(node, "steps", "the step %s names no call", step.ID)
		}
		node.Steps = append(node.Steps, SagaStep(step))
	}
	b.outcomes(node, text.On)
	for _, outcome := range []string{SagaDone, SagaUndone} {
		if node.outcomeEdge(outcome) == nil {
			b.addProblem(node, "outcomes", "a saga says where %s leads", outcome)
		}
	}
	for _, edge := range node.Edges {
		if edge.On != SagaDone && edge.On != SagaUndone {
			b.addProblem(node, "outcomes", "%q is not an outcome of a saga (done, undone)", edge.On)
		}
	}
}

// boundaryTimeout reads the boundary timer.
func (b *builder) boundaryTimeout(node *Node, text *timeoutText) {
	if text == nil {
		return
	}
	if node.Timeout = b.duration(node, "timeout", text.After, 0); node.Timeout == 0 {
		b.addProblem(node, "timeout", "a timeout says after how long")
	}
	node.Edges = append(node.Edges, b.cancels(node, Edge{Trigger: TriggerTimeout, To: text.To}, text.Cancel))
}

// boundaryErrors reads the boundary errors. The one that takes every failure stands last; an edge behind it, or a code that
// stands twice, would never be taken.
func (b *builder) boundaryErrors(node *Node, texts []errorText) {
	var taken []domain.Code
	known := domain.Codes()
	for i, text := range texts {
		if len(text.Codes) == 0 && i < len(texts)-1 {
			b.addProblem(node, "errors", "the edge for every failure stands last")
		}
		edge := Edge{Trigger: TriggerError, To: text.To}
		for _, name := range text.Codes {
			code := domain.Code(name)
			if !slices.Contains(known, code) {
				b.addProblem(node, "errors", "the failure %q is not known", name)
			}
			if slices.Contains(taken, code) {
				b.addProblem(node, "errors", "the failure %s stands twice", name)
			}
			taken = append(taken, code)
			edge.Codes = append(edge.Codes, code)
		}
		node.Edges = append(node.Edges, b.cancels(node, edge, text.Cancel))
	}
}

// cancels adds to an edge what it withdraws.
func (b *builder) cancels(node *Node, edge Edge, text cancelText) Edge {
	if text.word != "" && text.word != "all" {
		b.addProblem(node, "cancel", "cancel is all or a list of nodes, not %q", text.word)
	}
	edge.CancelsAll, edge.Cancels = text.word == "all", text.nodes
	return edge
}

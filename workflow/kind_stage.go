package workflow

import (
	"fmt"

	"countersign/domain"
)

// stageKind is a stage: automatic work that ends in one of its declared outcomes.
type stageKind struct{ workKind }

func (stageKind) attributes() []string {
	return []string{"behaviour", "queue", "queue_for", "attempts", "backoff", "status", "outcome",
		"next", "on", "errors", "required", "waits_for_budget"}
}

func (stageKind) parse(b *builder, node *Node, text nodeText) {
	node.Queue, node.QueueFor = text.Queue, text.QueueFor
	if node.Queue == "" {
		node.Queue = domain.QueueLight
	}
	b.modelStage(node, text)
	b.attempts(node, text)
	node.Outcome = domain.Status(text.Outcome)
	if text.Outcome != "" && !node.Outcome.Final() {
		b.addProblem(node, "outcome",
			"The outcome of a sealing stage must be archived, rejected or abandoned, not %q.",
			text.Outcome)
	}
	usual := domain.Processing
	switch {
	case node.Outcome == domain.Archived:
		usual = domain.Approved
	case node.Outcome != "":
		usual = domain.Settling
	}
	b.status(node, text.Status, usual)
	b.stageOutcomes(node, text)
	b.boundaryErrors(node, text.Errors)
}

// enter handles a token that arrives at the stage. A part of a file is archived only after the reviews
// that it keeps, and a case with supporting documents only after a person has looked at it.
func (k stageKind) enter(p *stepBuilder, node, from *Node) error {
	if err := p.checkSeen(node); err != nil {
		return err
	}
	if node.Outcome == domain.Archived && p.facts != nil && len(p.facts.KeptReviews) > 0 {
		if err := p.checkVisited(node); err != nil {
			return err
		}
	}
	return k.workKind.enter(p, node, from)
}

func (stageKind) openWork(p *stepBuilder, node *Node, visit int) {
	p.deferEffect(p.startStage(node, visit))
}

func (stageKind) cancelWork(p *stepBuilder, node *Node, visit int) error {
	p.addEffect(CancelStage{Node: node.ID, Visit: visit})
	return nil
}

func (stageKind) possibleEvents(node *Node, _ *nodeStates) []Event {
	var events []Event
	for _, outcome := range node.Outcomes() {
		events = append(events, Event{Kind: StageEnded, Outcome: outcome})
	}
	for _, code := range node.catchableFailures() {
		events = append(events, Event{Kind: StageFailed, Code: code})
	}
	return events
}

func (stageKind) draw(node *Node) string { return stateDeclaration(node, "") }

// externalKind is a stage that an external program leases by its topic and completes.
type externalKind struct{ stageKind }

func (externalKind) attributes() []string {
	return []string{"behaviour", "topic", "lease", "pays", "attempts", "backoff", "status", "next",
		"on", "errors", "timeout"}
}

func (externalKind) parse(b *builder, node *Node, text nodeText) {
	node.Queue, node.Topic = domain.QueueExternal, text.Topic
	node.PaysNothing = text.Pays != nil && !*text.Pays
	if !namePattern.MatchString(text.Topic) {
		b.addProblem(node, "topic",
			"An external stage needs a topic to be leased by: "+nameRule+".")
	}
	node.Lease = b.duration(node, "lease", text.Lease, defaultLease)
	if node.Lease == 0 {
		b.addProblem(node, "lease", "The lease of an external stage must be longer than zero.")
	}
	b.attempts(node, text)
	b.status(node, text.Status, domain.Processing)
	b.stageOutcomes(node, text)
	b.boundaryErrors(node, text.Errors)
	b.boundaryTimeout(node, text.Timeout)
}

func (externalKind) draw(node *Node) string {
	return stateDeclaration(node, fmt.Sprintf(" (external, topic %s)", node.Topic))
}

// timerKind waits for a fixed time.
type timerKind struct{ workKind }

func (timerKind) attributes() []string { return []string{"after", "status", "next"} }

func (timerKind) parse(b *builder, node *Node, text nodeText) {
	node.After = b.duration(node, "after", text.After, 0)
	if node.After == 0 {
		b.addProblem(node, "after", "A timer needs after, the time it waits.")
	}
	b.status(node, text.Status, domain.Processing)
	node.Edges = []Edge{{To: text.Next}}
}

func (timerKind) openWork(p *stepBuilder, node *Node, visit int) {
	p.deferEffect(StartTimer{Node: node.ID, Visit: visit, After: node.After})
}

func (timerKind) cancelWork(p *stepBuilder, node *Node, visit int) error {
	p.addEffect(CancelTimer{Node: node.ID, Visit: visit})
	return nil
}

func (timerKind) possibleEvents(*Node, *nodeStates) []Event { return []Event{{Kind: TimerFired}} }

func (timerKind) draw(node *Node) string {
	return stateDeclaration(node, fmt.Sprintf(" (waits %s)", shortTime(node.After)))
}

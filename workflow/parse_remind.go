package workflow

import (
	"cmp"
	"slices"
	"time"
)

// MaxReminders is how many reminders before a deadline a review can have. The runs of one version of a
// review are numbered by it, so it only grows with their numbers.
const MaxReminders = 3

// reminders reads how long before the next deadline of a review people are reminded.
func (b *builder) reminders(node *Node, texts []string) {
	if len(texts) > MaxReminders {
		b.addProblem(node, "remind", "A review can have at most %d reminders.", MaxReminders)
		return
	}
	longest := max(node.ClaimWithin, node.DecideWithin)
	for _, text := range texts {
		before := b.duration(node, "remind", text, -1)
		switch {
		case before < 0: // is no duration
		case before == 0:
			b.addProblem(node, "remind", "A reminder is a time before the deadline, such as 1h.")
		case longest == 0:
			b.addProblem(node, "remind", "A reminder needs a deadline: claim_within or decide_within.")
		case before >= longest:
			b.addProblem(node, "remind", "The reminder %s is not shorter than the deadline (%s).",
				shortTime(before), shortTime(longest))
		case slices.Contains(node.Remind, before):
			b.addProblem(node, "remind", "The reminder %s is there twice.", shortTime(before))
		default:
			node.Remind = append(node.Remind, before)
		}
	}
	slices.SortFunc(node.Remind, func(a, b time.Duration) int { return cmp.Compare(b, a) })
}

// Reminders returns how long before a deadline people are reminded, as the text of a definition has it.
func (n *Node) Reminders() []string {
	texts := make([]string, 0, len(n.Remind))
	for _, before := range n.Remind {
		texts = append(texts, shortTime(before))
	}
	return texts
}

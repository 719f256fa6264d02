package domain

// The event types of queues, deadlines, and undone decisions.
const (
	ReviewPaused      EventType = "review.paused"
	ReviewResumed     EventType = "review.resumed"
	ReviewMoved       EventType = "review.moved"
	QueueChanged      EventType = "queue.changed"
	CalendarChanged   EventType = "calendar.changed"
	SkillsChanged     EventType = "person.skills_changed"
	CaseReopened      EventType = "case.reopened"
	DecisionUndone    EventType = "decision.undone"
	DecisionFinalized EventType = "decision.settled"
)

// queueEvents lists these types for EventTypes.
var queueEvents = []EventType{
	ReviewPaused, ReviewResumed, ReviewMoved, QueueChanged, CalendarChanged, SkillsChanged,
	CaseReopened, DecisionUndone, DecisionFinalized,
}

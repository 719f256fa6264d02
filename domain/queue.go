package domain

// Strategy is how reviews of a queue are assigned.
type Strategy string

// The strategies. A review is assigned only to people who may claim it. Without one, it stays
// unassigned until it is claimed.
const (
	StrategyPull        Strategy = "pull"         // reviewers claim the next review
	StrategyRoundRobin  Strategy = "round_robin"  // to each reviewer in turn
	StrategyLeastLoaded Strategy = "least_loaded" // to the reviewer with the fewest open reviews
	StrategySkill       Strategy = "skill"        // to the least loaded reviewer with the required skills
)

// Strategies returns every strategy.
func Strategies() []Strategy {
	return []Strategy{StrategyPull, StrategyRoundRobin, StrategyLeastLoaded, StrategySkill}
}

// QueueRule is the configuration of a queue, set by managers and administrators. In the zero rule
// reviewers claim reviews, all time is working time, and overdue reviews stay in the queue.
type QueueRule struct {
	Name     string
	Strategy Strategy
	// Cap is the number of open reviews from which a person is assigned no more; 0 means no limit.
	Cap int
	// Calendar is the working calendar for deadlines of the queue; "" means that all time is
	// working time.
	Calendar string
	// MoveAfterMissedClaims is the number of missed claim deadlines after which a review moves to
	// the queue MoveToQueue; 0 means never. Stored outcomes contain the JSON names.
	MoveAfterMissedClaims int    `json:"HandAfter"`
	MoveToQueue           string `json:"HandTo"`
	Version               int64
}

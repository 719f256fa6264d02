package domain

// Strategy is how a queue gives its reviews to people.
type Strategy string

// The strategies. Only people who may claim the review are ever given it; where nobody fits, it waits for whoever takes it.
const (
	StrategyPull        Strategy = "pull"         // whoever is free takes the next one
	StrategyRoundRobin  Strategy = "round_robin"  // each in turn
	StrategyLeastLoaded Strategy = "least_loaded" // who has the fewest open reviews
	StrategySkill       Strategy = "skill"        // who has the skills it asks for, of these the least loaded
)

// Strategies returns the closed set.
func Strategies() []Strategy {
	return []Strategy{StrategyPull, StrategyRoundRobin, StrategyLeastLoaded, StrategySkill}
}

// QueueRule is how a queue works: data that managers and administrators set. The zero rule is a queue that people take
// from, in whole time, and whose overdue reviews stay.
type QueueRule struct {
	Name     string
	Strategy Strategy
	// Cap is how many open reviews a person may have to be given one more; 0 is no bound.
	Cap int
	// Calendar names the working calendar in which the queue's deadlines are counted; "" is whole time.
	Calendar string
	// HandAfter is how many times nobody may claim a review in time before it moves to the queue HandTo; 0 is never.
	HandAfter int
	HandTo    string
	Version   int64
}

//go:build !faults

package casework_test

// tamperingRuns is how often a run makes each kind of tampering, and untouchedRuns how many untouched
// records it verifies. make faults makes more.
const (
	tamperingRuns = 3
	untouchedRuns = 20
)

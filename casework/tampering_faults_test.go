//go:build faults

package casework_test

const (
	tamperingRuns = 27 // 1,026 tamperings of 38 kinds
	untouchedRuns = 1000
)

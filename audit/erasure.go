package audit

import (
	"encoding/json"
	"fmt"
	"slices"

	"countersign/domain"
)

// ErasureCheck finds bodies that were erased without an event that says so. The events of a stream
// are added in order.
type ErasureCheck struct {
	erased   []int64
	recorded map[int64]bool
}

// erasedBody is the body of the event that records an erasure. The event of an earlier version has
// neither decisions nor votes.
type erasedBody struct {
	Events     []int64          `json:"events"`
	Assertions []string         `json:"assertions"`
	Decisions  []erasedDecision `json:"decisions"`
	Votes      []erasedVote     `json:"votes"`
}

// erasedDecision is what the event of an erasure says about a decision.
type erasedDecision struct {
	ReviewID   domain.ID      `json:"reviewId"`
	Person     domain.ID      `json:"person"`
	OnBehalfOf domain.ID      `json:"onBehalfOf"`
	Verdict    domain.Verdict `json:"verdict"`
	SHA256     string         `json:"sha256"`
}

// erasedVote is what it says about a vote.
type erasedVote struct {
	ReviewID domain.ID `json:"reviewId"`
	Duty     string    `json:"duty"`
	Person   domain.ID `json:"person"`
	SHA256   string    `json:"sha256"`
}

// Add adds the next event, whose chain is verified separately.
func (e *ErasureCheck) Add(event *domain.Event) {
	if len(event.Body) == 0 {
		e.erased = append(e.erased, event.Seq)
		return
	}
	if event.Type != domain.CaseErased {
		return
	}
	var body erasedBody
	if json.Unmarshal(event.Body, &body) != nil {
		return // no contract allows it, so the bodies count as erased without a record
	}
	if e.recorded == nil {
		e.recorded = map[int64]bool{}
	}
	for _, seq := range body.Events {
		if seq < event.Seq {
			e.recorded[seq] = true
		}
	}
}

// Problems returns the bodies that were erased without a record.
func (e *ErasureCheck) Problems() []RowProblem {
	var problems []RowProblem
	for _, seq := range e.erased {
		if !e.recorded[seq] {
			problems = append(problems, RowProblem{seq, fmt.Sprintf(
				"the body of event %d was erased, but no event records an erasure", seq)})
		}
	}
	return slices.Clip(problems)
}

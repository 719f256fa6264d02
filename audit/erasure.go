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

// erasedBody is the body of the event that records an erasure.
type erasedBody struct {
	Events []int64 `json:"events"`
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

package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// SagaCall is one call of a saga to another system.
type SagaCall struct {
	// Key is the same for every attempt at the same step: a system that gets it twice does it once.
	Key       string
	Operation string // name of the system, a dot, what it is to do
	// Undoes is the key of the call that is taken back, which may never have arrived; "" for a call forwards.
	Undoes    string
	Reference string // of the case
	Amount    Money  // Currency "" while unknown
	Payee     string
	Account   string
	Number    string // of the document
}

// SagaResult is what another system said to a call it took.
type SagaResult struct {
	Reference string // its own name for what it did; may be empty
}

// SagaStatus is where a step of a saga stands.
type SagaStatus string

// The states of a step. One that is called is not known to have happened or not.
const (
	SagaCalling SagaStatus = "calling"
	SagaDone    SagaStatus = "done"
	SagaFailed  SagaStatus = "failed"
)

// SagaStep is the record of one call of a saga, forwards or backwards.
type SagaStep struct {
	CaseID    ID
	Node      string
	Visit     int
	Step      int // from 1
	Undo      bool
	Name      string
	Call      string
	Key       string
	Status    SagaStatus
	Attempts  int
	Reference string
	ErrorCode Code
	ErrorText string
	StartedAt time.Time
	EndedAt   time.Time
}

// SagaKey is the key of a step: it depends on nothing but the step, so that every attempt has the same.
func SagaKey(caseID ID, node string, visit, step int, undo bool) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "countersign saga %s %s %d %d %t", caseID, node, visit, step, undo))
	return hex.EncodeToString(sum[:16])
}

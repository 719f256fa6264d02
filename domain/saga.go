package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// SagaCall is one call of a saga to another system.
type SagaCall struct {
	// Key is the idempotency key: equal for every attempt at the same step.
	Key       string
	Operation string // "system.operation"
	// Undoes is the key of the call to compensate, which may never have arrived; "" for a forward
	// call.
	Undoes    string
	Reference string // of the case
	// CorrelationID is that of the case.
	CorrelationID string
	Amount        Money // Currency "" while unknown
	Payee         string
	Account       string
	Number        string // of the document
	// Order is the payer's reference of the payment order, "" if the case has none. The other system
	// can use it to refuse a second payment.
	Order string
	BIC   string // of the order, "" if none was stated
}

// SagaResult is the response of another system to an accepted call.
type SagaResult struct {
	Reference string // the other system's reference; may be empty
}

// SagaStatus is the state of a step of a saga.
type SagaStatus string

// The states of a step. The outcome of a step in SagaCalling is unknown.
const (
	SagaCalling SagaStatus = "calling"
	SagaDone    SagaStatus = "done"
	SagaFailed  SagaStatus = "failed"
)

// SagaStep is the record of one forward or compensating call of a saga.
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

// SagaKey returns the idempotency key of a step. It depends on the step only, so every attempt has
// the same key.
func SagaKey(caseID ID, node string, visit, step int, undo bool) string {
	sum := sha256.Sum256(
		fmt.Appendf(nil, "countersign saga %s %s %d %d %t", caseID, node, visit, step, undo),
	)
	return hex.EncodeToString(sum[:16])
}

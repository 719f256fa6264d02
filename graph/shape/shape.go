// Package shape holds the few output types of the API that are no noun of the domain.
//
// What may enter: plain structs that a resolver fills from one reading.
// What never happens here: logic, reads, tags of a wire format.
package shape

import (
	"encoding/json"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/views"
)

// Node is any object that has a global id; the resolvers know which types do.
type Node any

// Case is a case together with what the person who asks may see of it.
type Case struct {
	domain.Case
	Audience domain.Audience
}

// NextStep is what happens next with a case.
type NextStep struct {
	views.NextStep
	Case *Case
}

// CaseEvent is an event of a case as one person may see it.
type CaseEvent struct {
	events.VisibleEvent
	CaseID domain.ID
}

// Viewer is who is signed in.
type Viewer struct {
	Person domain.User
}

// AuditEntry is one line of the audit trail: an event, or an access that changed nothing.
type AuditEntry struct {
	Kind     string // EVENT or ACCESS
	At       time.Time
	ActorID  domain.ID
	ForID    domain.ID // in whose name the actor acted
	Type     string
	Sentence string
	Seq      *int64
	Hash     *string
	Code     *string
	Object   *string
	Status   *domain.Status
	Body     json.RawMessage
}

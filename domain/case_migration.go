package domain

import (
	"encoding/json"
	"time"
)

// CaseMigration moves the running cases of one version of a process to another version.
type CaseMigration struct {
	ID         ID
	Process    string
	From, To   int
	Plan       string // JSON that two persons carried
	Undoes     ID     // the migration whose cases are moved back; otherwise NoID
	Reason     string
	ProposalID ID

	ProposedBy, ConfirmedBy ID
	StartedAt               time.Time
	EndedAt                 time.Time // zero while cases wait
}

// MoveStatus is what became of a case of a migration.
type MoveStatus string

// The statuses. Moved and not moved are final.
const (
	MoveWaiting MoveStatus = "waiting" // not tried yet, or tried again later
	Moved       MoveStatus = "moved"
	NotMoved    MoveStatus = "not_moved"
)

// MigratedCase is the result of one case of a migration.
type MigratedCase struct {
	MigrationID ID
	CaseID      ID
	Reference   string
	Status      MoveStatus
	Reason      string // why it was not moved, or has to wait
	Node        string
	Message     string
	Tries       int
	At          time.Time
	Before      json.RawMessage // the case before it was moved
	Seq         int64           // of the event that moved it
}

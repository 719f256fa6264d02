package feed

import (
	"time"

	"countersign/domain"
)

// Access is a line of the access log as it leaves: a read, a refusal, a lost race or a sign-in.
type Access struct {
	// ID recognizes a line that is read twice. It shows nothing of the number of lines.
	ID        string `json:"id"`
	Time      string `json:"time"`
	Actor     string `json:"actor,omitempty"`
	Action    string `json:"action"`
	CaseID    string `json:"caseId,omitempty"`
	Object    string `json:"object,omitempty"`
	Code      string `json:"code,omitempty"` // of the refusal; "" = done
	RequestID string `json:"requestId,omitempty"`
	Cursor    string `json:"cursor"` // the position after the line
}

// AccessSource is what a line of the access log has.
type AccessSource struct {
	Position                        domain.FeedPosition
	At                              time.Time
	Actor, CaseID                   domain.ID
	Action, Object, Code, RequestID string
}

// ToAccess returns the line as it leaves.
func ToAccess(line AccessSource, cursors Cursors, era domain.FeedEra) Access {
	return Access{ID: cursors.Name(line.Position), Time: line.At.UTC().Format(time.RFC3339Nano),
		Actor: optionalID(line.Actor), Action: line.Action, CaseID: optionalID(line.CaseID),
		Object: line.Object, Code: line.Code, RequestID: line.RequestID,
		Cursor: cursors.Seal(line.Position, era)}
}

const accessSchema = "access.v1.json"

// accessContract is the contract of a line of the access log.
func accessContract() object {
	id := object{"type": "string", "format": "uuid"}
	return contract(accessSchema, "access",
		"A line of the access log: a read, a refusal, a lost race or a sign-in.", object{
			"id":        text("The same whenever the line is read."),
			"time":      object{"type": "string", "format": "date-time"},
			"actor":     id,
			"action":    text("What was done or refused."),
			"caseId":    id,
			"object":    text("What it was done to, beside the case."),
			"code":      text("Code of the refusal, absent if it was done."),
			"requestId": text("The same in all lines of one request."),
			"cursor":    text("Position after the line."),
		}, "id", "time", "action", "cursor")
}

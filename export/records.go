package export

import (
	"encoding/json"
	"time"

	"countersign/domain"
)

// Kind names a list that can be exported.
type Kind string

// The kinds. Reviews are the queue of the reader; deliveries are those of a connector that did not
// succeed at the first attempt.
const (
	Cases      Kind = "cases"
	Reviews    Kind = "reviews"
	Audit      Kind = "audit"
	Deliveries Kind = "deliveries"
	// AuditSearch are entries of the audit log over all cases.
	AuditSearch Kind = "audit-search"
	// Statistics are figures of a period by group, and StatisticsParts those of steps, corrections and
	// rules.
	Statistics      Kind = "statistics"
	StatisticsParts Kind = "statistics-parts"
	// Replays are past weeks as they were recorded, replayed, and replayed with a change.
	Replays Kind = "replay"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Cases, Reviews, Audit, Deliveries, AuditSearch, Statistics, StatisticsParts,
		Replays}
}

// OfAudit reports whether the export contains entries of the audit log.
func (k Kind) OfAudit() bool { return k == Audit || k == AuditSearch }

// Record is one row of an export: a pointer to Case, Review, Entry, Delivery, Figure, FigurePart or
// ReplayLine.
type Record interface{ head() *Head }

// Head begins every record: its kind, and its number from 1. Writer sets both.
type Head struct {
	Kind   string `json:"kind"`
	Number int64  `json:"number"`
}

func (h *Head) head() *Head { return h }

// Decimal is a plain decimal number such as -12.50.
type Decimal string

// Case is a case of the list of cases. Values that are unknown, or that the reader may not see, are
// nil.
type Case struct {
	Head
	ID                  domain.ID  `json:"id"`
	Reference           string     `json:"reference"`
	Status              string     `json:"status"`
	Final               bool       `json:"final"`
	Process             string     `json:"process"`
	ProcessVersion      int        `json:"processVersion"`
	DocumentType        string     `json:"documentType"`
	DocumentTypeVersion int        `json:"documentTypeVersion"`
	Channel             string     `json:"channel"`
	Counterparty        string     `json:"counterparty"`
	Country             string     `json:"country"`
	AmountMinor         *int64     `json:"amountMinor"`
	Amount              *Decimal   `json:"amount"`
	Currency            *string    `json:"currency"`
	DeclaredMinor       *int64     `json:"declaredMinor"`
	DeclaredAmount      *Decimal   `json:"declaredAmount"`
	DeclaredCurrency    *string    `json:"declaredCurrency"`
	AtRiskMinor         *int64     `json:"atRiskMinor"`
	AtRiskAmount        *Decimal   `json:"atRiskAmount"`
	AtRiskCurrency      *string    `json:"atRiskCurrency"`
	Risk                *int       `json:"risk"`
	DifferingFields     []string   `json:"differingFields"`
	Missing             []string   `json:"missing"`
	SubmitterID         *domain.ID `json:"submitterId"`
	Submitter           string     `json:"submitter"`
	CreatedAt           time.Time  `json:"createdAt"`
	UpdatedAt           time.Time  `json:"updatedAt"`
	// Attributes are those of the submission, as in the result of the case. CSV has them as JSON, because
	// texts contain spaces.
	Attributes json.RawMessage `json:"attributes"`
}

// Review is a review of the reader's queue.
type Review struct {
	Head
	ID             domain.ID  `json:"id"`
	Queue          string     `json:"queue"`
	Level          int        `json:"level"`
	Duty           string     `json:"duty"`
	Node           string     `json:"node"`
	Status         string     `json:"status"`
	Priority       int        `json:"priority"`
	Drawn          bool       `json:"drawn"`
	AssigneeID     *domain.ID `json:"assigneeId"`
	Assignee       string     `json:"assignee"`
	ClaimBy        *time.Time `json:"claimBy"`
	DecideBy       *time.Time `json:"decideBy"`
	ClaimUntil     *time.Time `json:"claimUntil"`
	Overdue        bool       `json:"overdue"`
	AtRisk         bool       `json:"atRisk"`
	PausedAt       *time.Time `json:"pausedAt"`
	PauseReason    string     `json:"pauseReason"`
	Breaches       int        `json:"breaches"`
	CreatedAt      time.Time  `json:"createdAt"`
	CaseID         domain.ID  `json:"caseId"`
	Reference      string     `json:"reference"`
	CaseStatus     string     `json:"caseStatus"`
	DocumentType   string     `json:"documentType"`
	Counterparty   string     `json:"counterparty"`
	AmountMinor    *int64     `json:"amountMinor"`
	Amount         *Decimal   `json:"amount"`
	Currency       *string    `json:"currency"`
	AtRiskMinor    *int64     `json:"atRiskMinor"`
	AtRiskAmount   *Decimal   `json:"atRiskAmount"`
	AtRiskCurrency *string    `json:"atRiskCurrency"`
}

// Entry is an entry of the audit trail of a case: an event or an access.
type Entry struct {
	Head
	CaseID       domain.ID       `json:"caseId"`
	Reference    string          `json:"reference"`
	Entry        string          `json:"entry"` // event or access
	At           time.Time       `json:"at"`
	ActorID      *domain.ID      `json:"actorId"`
	Actor        string          `json:"actor"`
	OnBehalfOfID *domain.ID      `json:"onBehalfOfId"`
	OnBehalfOf   string          `json:"onBehalfOf"`
	Type         string          `json:"type"`
	Sentence     string          `json:"sentence"`
	Seq          *int64          `json:"seq"`
	Hash         string          `json:"hash"`
	Status       string          `json:"status"`
	Code         string          `json:"code"`
	Object       string          `json:"object"`
	Body         json.RawMessage `json:"body"`
}

// Delivery is an event that a connector did not deliver at the first attempt.
type Delivery struct {
	Head
	ID          domain.ID  `json:"id"`
	ConnectorID domain.ID  `json:"connectorId"`
	Connector   string     `json:"connector"`
	EventID     string     `json:"eventId"` // as the receiver sees it
	Type        string     `json:"type"`
	Status      string     `json:"status"`
	Attempts    int        `json:"attempts"`
	Since       time.Time  `json:"since"`
	NextAt      *time.Time `json:"nextAt"` // nil unless it waits
	HTTPStatus  *int       `json:"httpStatus"`
	Error       string     `json:"error"`
	Answer      string     `json:"answer"`
	Reason      string     `json:"reason"`
	SkippedByID *domain.ID `json:"skippedById"`
	SkippedBy   string     `json:"skippedBy"`
}

// recordOf returns an empty record of the kind.
func recordOf(kind Kind) Record {
	switch kind {
	case Reviews:
		return &Review{}
	case Audit, AuditSearch:
		return &Entry{}
	case Deliveries:
		return &Delivery{}
	case Statistics:
		return &Figure{}
	case StatisticsParts:
		return &FigurePart{}
	case Replays:
		return &ReplayLine{}
	default:
		return &Case{}
	}
}

// recordKinds are the kinds of records by kind of export.
var recordKinds = map[Kind]string{Cases: "case", Reviews: "review", Audit: "entry",
	Deliveries: "delivery", AuditSearch: "entry", Statistics: "figure", StatisticsParts: "part", Replays: "line"}

// The kinds of last records: a complete export ends with the first, one that was refused midway with
// the second.
const (
	endRecord   = "end"
	errorRecord = "error"
)

// Amount returns an amount in minor units, as a decimal, and its currency; nil if it is unknown.
func Amount(of domain.Money, known bool) (*int64, *Decimal, *string) {
	if !known || of.Currency == "" {
		return nil, nil, nil
	}
	decimal := Decimal(of.Decimal())
	return &of.Minor, &decimal, &of.Currency
}

// IDOrNil returns nil for NoID.
func IDOrNil(id domain.ID) *domain.ID {
	if id == domain.NoID {
		return nil
	}
	return &id
}

// TimeOrNil returns the time in UTC, nil for the zero time.
func TimeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

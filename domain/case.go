package domain

import (
	"encoding/json"
	"time"
)

// Case is one document's way through a process: the row that every command locks.
type Case struct {
	ID             ID
	Reference      string // shown to people, e.g. CS-2026-000123
	ProcessKey     string
	ProcessVersion int
	DocumentType   string // invoice, receipt, remittance … (open)
	Channel        Channel
	Counterparty   string // vendor or payee as read or declared
	PartyID        ID     // NoID until the counterparty is known
	DocumentNumber string // as read or entered; with the party it finds duplicates
	Country        string // ISO 3166-1 alpha-2, "" unknown
	Amount         Money  // Currency "" while unknown
	AmountKnown    bool
	BaseMinor      int64 // amount in BaseCurrency minor units, rounded up; frozen with RateID when the amount is set
	RateID         ID
	DeclaredAmount Money // what the submitter stated; Currency "" if nothing
	Marking        Marking
	Status         Status
	Risk           int // 0..100
	Submitter      ID
	CorrelationID  string
	Version        int64 // raised by one by every command
	FactsRevision  int64 // raised when fields, document or key facts change
	LastSeq        int64
	HeadHash       []byte // SHA-256, 32 bytes
	ManifestKey    string // blob key of the archive manifest; set before a case becomes final
	// Outcome is what the case is settling to once its manifest is written: archived, rejected, abandoned or "".
	Outcome Status
	// OutcomeReason is what the person wrote who rejected or abandoned the case.
	OutcomeReason string
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Token is one mark of the process net: the case is at Node for the Visit-th time.
type Token struct {
	Node  string `json:"node"`
	Visit int    `json:"visit"`
}

// Marking is where a case stands: its tokens and how often each node was entered. The engine reads and makes it.
type Marking struct {
	Tokens []Token        `json:"tokens"`
	Visits map[string]int `json:"visits,omitempty"`
	// Notes holds what nodes keep between events: seats decided, branches joined, the verdicts of a quorum.
	Notes map[string]json.RawMessage `json:"notes,omitempty"`
}

// SniffBytes is where the type of a file has to show, by everybody who looks for it: terms of use stand before the root of
// many an e-invoice.
const SniffBytes = 16 << 10

// Document is one uploaded file; a replacement is a new revision.
type Document struct {
	ID        ID
	CaseID    ID
	Revision  int
	FileName  string
	MediaType string // found by content
	Size      int64
	SHA256    []byte
	BlobKey   string
	CreatedAt time.Time
	CreatedBy ID
	// ReadAt is set when the file was read; StructuredKey then names the blob of the e-invoice in it, "" if there is none.
	ReadAt        time.Time
	StructuredKey string
}

// Box is a rectangle in pixels of the page's raster, origin top left.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Word is one word as read, with its place and the engine's confidence (0..1).
type Word struct {
	Text       string  `json:"t"`
	Box        Box     `json:"b"`
	Confidence float64 `json:"c"`
	// Line numbers words of one line alike within the page, in reading order.
	Line int `json:"l"`
}

// Page is one page of a document as it was read; people see the very raster.
type Page struct {
	CaseID        ID
	Revision      int // of the document
	Number        int // from 1
	RasterKey     string
	Width, Height int // pixels of the raster
	DPI           int
	Rotation      int // degrees clockwise applied to the source: 0, 90, 180, 270
	Source        FieldSource
	Text          string
	Words         []Word
}

// FieldSource is where a value came from, in falling order of trust.
type FieldSource string

// The sources.
const (
	SourceXML      FieldSource = "xml"
	SourceText     FieldSource = "text"
	SourceOCR      FieldSource = "ocr"
	SourceLLM      FieldSource = "llm"
	SourceExternal FieldSource = "external" // a program that did an external stage
	SourceHuman    FieldSource = "human"
	SourceDeclared FieldSource = "declared"
)

// The names of the fields that the built-in extractor fills.
const (
	FieldVendor   = "vendor"
	FieldNumber   = "number"
	FieldDate     = "date"
	FieldDueDate  = "due_date"
	FieldCurrency = "currency"
	FieldNet      = "net"
	FieldTax      = "tax"
	FieldTotal    = "total"
	FieldIBAN     = "iban"
	FieldVATID    = "vat_id"
	FieldCountry  = "country"
)

// FieldNames returns the built-in extractor's fields in display order.
func FieldNames() []string {
	return []string{FieldVendor, FieldNumber, FieldDate, FieldDueDate, FieldCurrency, FieldNet, FieldTax, FieldTotal,
		FieldIBAN, FieldVATID, FieldCountry}
}

// Field is one value of a case, with its provenance. Normalised is ISO for dates, plain decimal for amounts,
// upper case without spaces for IBAN and VAT id; "" when the raw text could not be normalised.
type Field struct {
	Name       string
	Raw        string
	Normalised string
	Page       int // 0 = not on a page (XML, human)
	Box        *Box
	Confidence float64
	Source     FieldSource
	Grounded   bool // found in the page's words or in the document's own XML
	Revision   int64
	SetBy      ID // person, for SourceHuman
}

// Severity of a finding.
type Severity string

// The severities. Blocking findings never pass automatically.
const (
	SeverityInfo     Severity = "info"
	SeverityWarning  Severity = "warning"
	SeverityBlocking Severity = "blocking"
)

// Finding is what a rule says of a case, with the values it saw.
type Finding struct {
	Rule        string
	RuleSet     string // key of the set that judged, "" before sets were data
	RuleVersion int    // of the set
	Severity    Severity
	Score       int // points added to the risk
	Message     string
	Evidence    map[string]string
	Revision    int64
}

// StageRun is one to-do row: the row is the work. See design: delivery.
type StageRun struct {
	ID            ID
	CaseID        ID
	Node          string
	Visit         int
	Kind          RunKind
	Subject       ID // review of a deadline, else NoID
	Attempt       int
	RunAfter      time.Time
	Status        RunStatus
	Queue         string
	Topic         string        // of an external stage: what programs lease it by
	LeaseFor      time.Duration // of an external stage: how long a program keeps it without a sign of life
	LeaseToken    ID
	LeaseUntil    time.Time
	EnqueueCount  int
	NextEnqueueAt time.Time
	Failures      int
	Expiries      int
	Worker        string
	ErrorCode     Code
	ErrorText     string
	CreatedAt     time.Time
	EndedAt       time.Time
}

// PendingRun is what a queue task carries: ids only.
type PendingRun struct {
	RunID         ID
	CaseID        ID
	Queue         string
	EnqueueCount  int
	RunAfter      time.Time
	CorrelationID string
}

package domain

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"strings"
	"time"
)

// Case is one document in its process. Every command locks its row.
type Case struct {
	ID             ID
	Reference      string // for display, such as CS-2026-000123
	ProcessKey     string
	ProcessVersion int
	DocumentType   string // invoice, receipt, remittance … (open)
	// DocumentTypeVersion is the version of the type's definition when the case was submitted; 0 if
	// it had none.
	DocumentTypeVersion int
	Channel             Channel
	Counterparty        string // vendor or payee as read or declared
	PartyID             ID     // NoID until the counterparty is known
	DocumentNumber      string // as read or entered; identifies duplicates together with the party
	Country             string // ISO 3166-1 alpha-2, "" unknown
	Amount              Money  // Currency "" while unknown
	AmountKnown         bool
	// BaseMinor is the amount at risk in minor units of BaseCurrency, rounded up: the largest amount
	// that was asserted and is not resolved. Limits, levels and queues judge it. RateID is the
	// rate with which it was computed.
	BaseMinor int64
	RateID    ID
	// AtRisk is the amount at risk in its own currency; Currency "" if it is Amount.
	AtRisk Money
	// OtherCountries, OtherPartyIDs and OtherNumbers are those of the risk basis besides Country,
	// PartyID and DocumentNumber.
	OtherCountries []string
	OtherPartyIDs  []ID
	OtherNumbers   []string
	// DifferingFields are the fields whose sources state different, unresolved values.
	DifferingFields []string
	// Missing are the facts that the process needs and that have no value. Unstated are these, and
	// the needed facts that neither the submitter nor the document states: a reviewer has named
	// them, or has found that they cannot be determined.
	Missing, Unstated []string
	DeclaredAmount    Money // amount stated by the submitter; Currency "" if none
	// Attributes are what the submitter stated about the attributes of the process. They never change.
	Attributes []Attribute
	// Accounts are the accounts of the risk basis.
	Accounts []string
	// DocumentKind and DocumentTime are as printed on the document, "" if unknown.
	DocumentKind DocumentKind
	DocumentTime string // time of day, HH:MM
	// ImageHash is the perceptual hash of the first page; 0 without one.
	ImageHash uint64
	// Summed says that the amount at risk is contained in the sums of what concerns the case.
	Summed        bool
	OrderRevision int // newest revision of the payment order; 0 if the case has none
	Marking       Marking
	Status        Status
	Risk          int // 0..100
	Submitter     ID
	CorrelationID string
	// Traceparent is the span of the latest change (W3C Trace Context), "" without one. It is no part
	// of the record.
	Traceparent   string
	Version       int64 // incremented by every command
	FactsRevision int64 // incremented when fields, document or key facts change
	LastSeq       int64
	HeadHash      []byte // SHA-256, 32 bytes
	ManifestKey   string // blob key of the archive manifest; set before the case becomes final
	// Outcome is the final status that the case gets when its manifest is written: archived,
	// rejected, abandoned or "".
	Outcome Status
	// OutcomeReason is the reason given for a rejection or abandonment.
	OutcomeReason string
	Part          CasePart // which part of another case's file the case is
	CreatedAt     time.Time
	UpdatedAt     time.Time
	ErasedAt      time.Time // when its personal data was erased; zero before
}

// DocumentKind is what a document says that it is, where that changes what counts as a duplicate.
type DocumentKind string

// The kinds of documents.
const (
	OrdinaryDocument DocumentKind = ""
	CreditNote       DocumentKind = "credit"
	ProForma         DocumentKind = "proforma"
)

// AmountAtRisk returns the amount that BaseMinor was computed from, in its own currency.
func (c *Case) AmountAtRisk() Money {
	if c.AtRisk.Currency != "" {
		return c.AtRisk
	}
	return c.Amount
}

// Parties returns the parties of the risk basis: the one in force, if known, and the others.
func (c *Case) Parties() []ID { return withOther(c.PartyID, NoID, c.OtherPartyIDs) }

// Countries returns the countries of the risk basis: the one in force, if known, and the others.
func (c *Case) Countries() []string { return withOther(c.Country, "", c.OtherCountries) }

// Numbers returns the document numbers of the risk basis: the one in force, if known, and the
// others.
func (c *Case) Numbers() []string { return withOther(c.DocumentNumber, "", c.OtherNumbers) }

func withOther[T comparable](inForce, unknown T, others []T) []T {
	all := make([]T, 0, len(others)+1)
	if inForce != unknown {
		all = append(all, inForce)
	}
	return append(all, others...)
}

// Token says that the case is at Node for the Visit-th time.
type Token struct {
	Node  string `json:"node"`
	Visit int    `json:"visit"`
}

// Marking is the state of a case in its process: its tokens and how often each node was entered.
// The engine computes it.
type Marking struct {
	Tokens []Token        `json:"tokens"`
	Visits map[string]int `json:"visits,omitempty"`
	// Notes holds the state of nodes between events: decided seats, joined branches, verdicts of a
	// quorum, and what the engine needs to evaluate the route again.
	Notes map[string]json.RawMessage `json:"notes,omitempty"`
}

// SniffBytes is the length of the prefix from which the type of a file is detected. It is large
// because many e-invoices start with long comments before the root element.
const SniffBytes = 16 << 10

// Document is one revision of the uploaded file. A replacement is a new revision.
type Document struct {
	ID        ID
	CaseID    ID
	Revision  int
	FileName  string
	MediaType string // detected from the content
	Size      int64
	SHA256    []byte
	BlobKey   string
	CreatedAt time.Time
	CreatedBy ID
	// ReadAt is set when the file was read; StructuredKey is then the blob key of the e-invoice in
	// it, "" if there is none.
	ReadAt        time.Time
	StructuredKey string
	// Features are the features of an invoice or receipt that the pages have (FeatureTypeWord and
	// others); nil while they are unknown. NotPrinted are the fields of the e-invoice whose values
	// the pages do not show.
	Features   []string
	NotPrinted []string
	// Parts are the documents that the file seems to contain, nil if it seems to contain one.
	Parts []DocumentPart
	// LineSum is the sum of the line items with charges and allowances on the whole document, if they
	// were read with certainty; Currency "" otherwise.
	LineSum Money
	// LinesCorrected says that a person corrected the line items, so that other ones are in force than
	// those that were read.
	LinesCorrected bool
}

// Box is a rectangle in pixels of the page's raster, origin top left.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Page is one page of a document as it was read. The page that people see is the same raster.
type Page struct {
	CaseID        ID
	Revision      int // of the document
	Supporting    int // the number of the supporting document; 0 for a page of the document
	Number        int // from 1
	RasterKey     string
	Width, Height int // pixels of the raster
	DPI           int
	Rotation      int // degrees clockwise applied to the source: 0, 90, 180, 270
	Source        FieldSource
	// Engine is the engine that recognised the words: "tesseract", "ppocr", or "both" if two were
	// compared. It is "" for a text layer, and for pages that were read before engines were recorded.
	Engine string
	Text   string
	Words  []Word
}

// FieldSource is the origin of a value.
type FieldSource string

// The sources.
const (
	SourceXML      FieldSource = "xml"
	SourceText     FieldSource = "text"
	SourceOCR      FieldSource = "ocr"
	SourceLLM      FieldSource = "llm"
	SourceExternal FieldSource = "external" // the program of an external stage
	SourceHuman    FieldSource = "human"
	SourceDeclared FieldSource = "declared"
)

// Field is one value of a case with its origin. Normalised is an ISO date, a plain decimal for
// amounts, upper case without spaces for IBAN and VAT id; "" if the raw text could not be
// normalised.
type Field struct {
	Name       string
	Raw        string
	Normalised string
	Page       int // 0 if not on a page (XML, human)
	Box        *Box
	Confidence float64
	Source     FieldSource
	Grounded   bool // found in the page's words or in the document's own XML
	Revision   int64
	SetBy      ID // person, for SourceHuman
	// LearnedFrom is the case on which a person confirmed the value or its place on the page; NoID if
	// the value was read without the memory of earlier documents.
	LearnedFrom ID
	// Currency and OfTotals are as in Assertion. Only a new reading has them; they are stored with what it
	// asserts.
	Currency string
	OfTotals bool
}

// IsEmpty reports whether nothing was found for the field: neither a text nor a value. A field that does
// not exist (nil) is empty.
func (f *Field) IsEmpty() bool {
	return f == nil || strings.TrimSpace(f.Raw) == "" && f.Normalised == ""
}

// Severity of a finding.
type Severity string

// The severities. Blocking findings never pass automatically.
const (
	SeverityInfo     Severity = "info"
	SeverityWarning  Severity = "warning"
	SeverityBlocking Severity = "blocking"
)

// Finding is the result of a raised rule, with the values that it used.
type Finding struct {
	Rule        string
	RuleSet     string // key of the set; "" if stored before rule sets were data
	RuleVersion int    // of the set
	Severity    Severity
	Score       int // points added to the risk
	Message     string
	Evidence    map[string]string
	Revision    int64
	Counted     *CountedSum // of a rule with sums, else nil
}

// EvidenceCases is the key of the references of other cases in the values of a finding.
const EvidenceCases = "cases"

// NamedCases returns the references of the other cases that the finding names.
func (f *Finding) NamedCases() []string {
	if f.Evidence[EvidenceCases] == "" {
		return nil
	}
	return strings.Split(f.Evidence[EvidenceCases], ",")
}

// EvidenceAsOf is the key of the time at which other documents were counted, in the values of a finding.
const EvidenceAsOf = "as_of"

// Hash identifies what a finding says: its rule and values, but not the version of the rule set, and not the time of
// the evaluation. An override holds as long as it stays the same.
func (f *Finding) Hash() [32]byte {
	values := maps.Clone(f.Evidence)
	delete(values, EvidenceAsOf)
	content, err := CanonicalJSON(map[string]any{"rule": f.Rule, "values": values})
	if err != nil {
		panic("domain: a finding has values that are not texts: " + err.Error())
	}
	return sha256.Sum256(content)
}

// StageRun is one unit of work. Its row is the source of truth; queue tasks only refer to it.
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
	Topic         string        // of an external stage: the topic by which programs lease it
	LeaseFor      time.Duration // of an external stage: how long a lease lasts without a heartbeat
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
	// Traceparent is the span that added the run (W3C Trace Context), "" without one. No decision
	// depends on it.
	Traceparent string
}

// StepTimer returns the timer that will end the undecided reviews of a step, nil if none will.
func StepTimer(runs []StageRun, node string, visit int) *StageRun {
	for i, run := range runs {
		if run.Kind == RunKindTimer && run.Node == node && run.Visit == visit &&
			(run.Status == RunPending || run.Status == RunLeased) {
			return &runs[i]
		}
	}
	return nil
}

// PendingRun is the content of a queue task: ids only.
type PendingRun struct {
	RunID         ID
	CaseID        ID
	Queue         string
	EnqueueCount  int
	RunAfter      time.Time
	CorrelationID string
	Traceparent   string // as in StageRun
}

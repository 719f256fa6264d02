package export

import (
	_ "embed"
	"time"

	"countersign/domain"
)

// ResultFormat names the layout of the result of a case.
const ResultFormat = "countersign.case-result.v1"

// ResultSchemaPath is the path at which the JSON Schema of results is served.
const ResultSchemaPath = "/schemas/case-result.v1.json"

//go:embed case-result.v1.json
var resultSchema []byte

// ResultSchema returns the JSON Schema of results.
func ResultSchema() []byte { return resultSchema }

// Result is the result of one case as a reader may see it. Values that are unknown, or that the
// reader may not see, are nil.
type Result struct {
	Format         string    `json:"format"`
	Schema         string    `json:"schema"` // address of the JSON Schema
	ID             domain.ID `json:"id"`
	Reference      string    `json:"reference"`
	Status         string    `json:"status"`
	Final          bool      `json:"final"`
	Process        Versioned `json:"process"`
	DocumentType   Versioned `json:"documentType"`
	Channel        string    `json:"channel"`
	Submitter      *Person   `json:"submitter"`
	Counterparty   string    `json:"counterparty"`
	Country        string    `json:"country"`
	Amount         *Money    `json:"amount"`
	DeclaredAmount *Money    `json:"declaredAmount"`
	// Attributes are what the submitter stated about the attributes of the process; it is no evidence.
	Attributes      []domain.Attribute `json:"attributes"`
	AmountAtRisk    *Money             `json:"amountAtRisk"`
	Risk            *int               `json:"risk"`
	DifferingFields []string           `json:"differingFields"`
	Missing         []string           `json:"missing"`
	Documents       []ResultDocument   `json:"documents"`
	// SupportingDocuments are the files beside the document, also replaced ones.
	SupportingDocuments []ResultSupporting `json:"supportingDocuments"`
	Fields              []ResultField      `json:"fields"`
	LineItems           ResultLineItems    `json:"lineItems"`
	Findings            []ResultFinding    `json:"findings"`
	Decisions           []ResultDecision   `json:"decisions"`
	// Chain is the log of the case as a chain of hashes, Manifest the hash of the archive manifest.
	Chain     *Chain    `json:"chain"`
	Manifest  *Manifest `json:"manifest"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Versioned is the key of a definition with the version that the case uses.
type Versioned struct {
	Key     string `json:"key"`
	Version int    `json:"version"`
}

// Person is a user.
type Person struct {
	ID   domain.ID `json:"id"`
	Name string    `json:"name"`
}

// Money is an amount in minor units and as a decimal.
type Money struct {
	Minor    int64   `json:"minor"`
	Decimal  Decimal `json:"decimal"`
	Currency string  `json:"currency"`
}

// MoneyOrNil returns nil for an unknown amount.
func MoneyOrNil(of domain.Money, known bool) *Money {
	if !known || of.Currency == "" {
		return nil
	}
	return &Money{of.Minor, Decimal(of.Decimal()), of.Currency}
}

// ResultDocument is one revision of the document.
type ResultDocument struct {
	Revision  int       `json:"revision"`
	FileName  string    `json:"fileName"`
	MediaType string    `json:"mediaType"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"`
	CreatedAt time.Time `json:"createdAt"`
}

// ResultSupporting is a supporting document.
type ResultSupporting struct {
	Number    int       `json:"number"`
	Kind      string    `json:"kind"`
	Replaces  int       `json:"replaces,omitempty"`
	FileName  string    `json:"fileName"`
	MediaType string    `json:"mediaType"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"`
	CreatedAt time.Time `json:"createdAt"`
}

// ResultField is a value in force with its source.
type ResultField struct {
	Name       string      `json:"name"`
	Value      string      `json:"value"` // normalised; "" if the text could not be parsed
	Raw        string      `json:"raw"`
	Source     string      `json:"source"`
	Page       int         `json:"page"` // 0 if not on a page
	Box        *domain.Box `json:"box"`
	Confidence float64     `json:"confidence"`
	Grounded   bool        `json:"grounded"`
	Revision   int64       `json:"revision"`
}

// ResultLineItems are the line items in force: those that a person entered, otherwise those that were
// read. Currency is "" if it is unknown; Sum is nil if an amount is.
type ResultLineItems struct {
	Currency  string           `json:"currency"`
	Sum       *Money           `json:"sum"`
	Corrected bool             `json:"corrected"`
	Items     []ResultLineItem `json:"items"`
}

// ResultLineItem is one row of goods and services. Texts and numbers that are unknown are "".
type ResultLineItem struct {
	Description   string  `json:"description"`
	Quantity      string  `json:"quantity"`
	Unit          string  `json:"unit"`
	UnitPrice     string  `json:"unitPrice"`
	PriceQuantity string  `json:"priceQuantity"`
	TaxRate       string  `json:"taxRate"`
	Amount        *Money  `json:"amount"`
	Allowance     *Money  `json:"allowance"`
	Source        string  `json:"source"`
	Confidence    float64 `json:"confidence"`
}

// ResultFinding is the result of a rule.
type ResultFinding struct {
	Rule        string            `json:"rule"`
	RuleSet     string            `json:"ruleSet"`
	RuleVersion int               `json:"ruleVersion"`
	Title       string            `json:"title"`
	Severity    string            `json:"severity"`
	Score       int               `json:"score"`
	Message     string            `json:"message"`
	Evidence    map[string]string `json:"evidence"`
}

// ResultDecision is a decision with its evidence. EvidenceSHA256 is the hash of the canonical JSON of
// the evidence, as in the archive manifest; nil if the reader may not see all of the evidence.
type ResultDecision struct {
	ReviewID       domain.ID       `json:"reviewId"`
	Queue          string          `json:"queue"`
	Duty           string          `json:"duty"`
	Verdict        string          `json:"verdict"`
	Reason         string          `json:"reason"`
	Actor          *Person         `json:"actor"`
	OnBehalfOf     *Person         `json:"onBehalfOf"`
	At             time.Time       `json:"at"`
	Evidence       domain.Evidence `json:"evidence"`
	EvidenceSHA256 *string         `json:"evidenceSha256"`
}

// Chain is the head of the log and the number of its events.
type Chain struct {
	Head   string `json:"head"`
	Length int64  `json:"length"`
}

// Manifest is the archive manifest of a closed case.
type Manifest struct {
	SHA256 string `json:"sha256"`
	Path   string `json:"path"`
}

package rules

import (
	"time"

	"countersign/domain"
)

// Version is the version of the built-in rule set; findings carry it.
const Version = 2

// Input is all that the rules may see of a case.
type Input struct {
	DocumentType string
	Fields       []domain.Field
	// Amount is the case's amount as it stands; its currency counts where the document names none.
	Amount      domain.Money
	AmountKnown bool
	BaseMinor   int64 // in domain.BaseCurrency, when the amount is known
	// Declared is what the submitter stated; Currency "" when nothing was.
	Declared domain.Money
	// Country is the vendor's country (ISO 3166-1 alpha-2), "" unknown.
	Country string
	// Lines is the number of line items on the document, 0 unknown: sums may be off by one minor unit a line.
	Lines int
	// Today is the date the rules judge by.
	Today time.Time
	// Duplicates are other documents the caller found with the same bytes, or the same vendor and number.
	Duplicates []DuplicateHit
	// Vendor is what is known of the vendor from earlier cases.
	Vendor VendorHistory
}

// DuplicateHit is another case that carries the same document.
type DuplicateHit struct {
	Kind      DuplicateKind
	CaseID    domain.ID
	Reference string // of the other case
}

// DuplicateKind says what two documents have in common.
type DuplicateKind string

// The kinds of duplicates.
const (
	SameNumber DuplicateKind = "number" // vendor and document number
	SameBytes  DuplicateKind = "bytes"  // SHA-256 of the file
)

// VendorHistory is what earlier cases tell of a vendor; the zero value says that nobody looked.
type VendorHistory struct {
	Looked bool
	Cases  int // approved earlier
}

// Result is what the rules found.
type Result struct {
	Findings []domain.Finding // in the order of Table
	Score    int              // 0..100: the points of all findings, cut at 100
	Reasons  []Reason         // what makes up the score, most points first
}

// Reason is one named part of a score.
type Reason struct {
	Rule    string
	Points  int
	Message string
}

// Phase is the stage at which a rule runs.
type Phase string

// The phases.
const (
	Validation Phase = "validation" // at validate: is the document complete and consistent?
	Risk       Phase = "risk"       // at assess: how much does a person have to look at it?
)

// Validate runs the validation rules. The score counts their findings only.
func Validate(input Input) Result { return total(run(Validation, input)) }

// Assess runs the risk rules. Its score also counts the points of the findings that validation left, which the caller
// hands in; Findings holds the new ones only.
func Assess(input Input, validated []domain.Finding) Result {
	found := run(Risk, input)
	result := total(append(append([]domain.Finding(nil), validated...), found...))
	result.Findings = found
	return result
}

// run asks every rule of a phase that applies to the document type.
func run(phase Phase, input Input) []domain.Finding {
	sheet := newSheet(&input)
	var findings []domain.Finding
	for i := range table {
		rule := &table[i]
		if rule.Phase != phase || !rule.applies(input.DocumentType) {
			continue
		}
		if seen := rule.check(sheet); seen != nil {
			findings = append(findings, domain.Finding{Rule: rule.ID, RuleVersion: Version, Severity: rule.Severity,
				Score: rule.Points, Message: seen.message, Evidence: seen.evidence})
		}
	}
	return findings
}

// total adds the points up and names them.
func total(findings []domain.Finding) Result {
	result := Result{Findings: findings}
	for _, finding := range findings {
		if finding.Score > 0 {
			result.Score += finding.Score
			result.Reasons = append(result.Reasons, Reason{finding.Rule, finding.Score, finding.Message})
		}
	}
	result.Score = min(result.Score, 100)
	sortReasons(result.Reasons)
	return result
}

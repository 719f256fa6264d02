package rules

import (
	"time"

	"countersign/domain"
)

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
	// Country is the vendor's country (ISO 3166-1 alpha-2), "" unknown; CountryRisk is "", elevated or high.
	Country     string
	CountryRisk string
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
	Known bool
	Cases int // approved earlier
	// Account is the account on the vendor's last approved document, "" for none.
	Account string
	// Recent are the vendor's other cases of the last 24 hours with a known amount, and their sum in the base currency.
	Recent    []string // references
	RecentSum int64
}

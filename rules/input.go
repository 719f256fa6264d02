package rules

import (
	"time"

	"countersign/domain"
)

// Input holds the data of a case that rules can use.
type Input struct {
	DocumentType string
	Fields       []domain.Field
	// Amount is the current amount of the case. Its currency is used if the document states none.
	Amount      domain.Money
	AmountKnown bool
	BaseMinor   int64 // the amount at risk in domain.BaseCurrency, if the amount is known
	// Declared is the amount stated by the submitter; its currency is "" if there is none.
	Declared domain.Money
	// Country is the vendor's country (ISO 3166-1 alpha-2), "" if unknown. CountryRisk is the
	// highest level ("", elevated or high) of all countries that were asserted about the case, and
	// RiskCountry the country that has it.
	Country     string
	CountryRisk string
	RiskCountry string
	// Differing are the fields whose sources state different, unresolved values.
	Differing []string
	// Lines is the number of line items, 0 if unknown. Sums may differ by one minor unit per line.
	Lines int
	// Today is the current date.
	Today time.Time
	// Duplicates are other documents with the same bytes, or the same vendor and number.
	Duplicates []DuplicateHit
	// Vendor is the history of the vendor in other cases.
	Vendor VendorHistory
}

// DuplicateHit is another case with the same document.
type DuplicateHit struct {
	Kind      DuplicateKind
	CaseID    domain.ID
	Reference string // of the other case
}

// DuplicateKind is what two documents have in common.
type DuplicateKind string

// The kinds of duplicates.
const (
	SameNumber DuplicateKind = "number" // vendor and document number
	SameBytes  DuplicateKind = "bytes"  // SHA-256 of the file
)

// VendorHistory is the history of a vendor in other cases. The zero value means that it was not
// looked up.
type VendorHistory struct {
	Known bool
	Cases int // number of approved cases
	// Account is the bank account on the vendor's last approved document, "" for none.
	Account string
	// Recent lists the references of the vendor's other cases of the last 24 hours with a known
	// amount; RecentSum is their total in the base currency.
	Recent    []string
	RecentSum int64
}

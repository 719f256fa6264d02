package rules

import (
	"slices"
	"time"

	"countersign/domain"
)

// Input holds the data of a case that rules can use.
type Input struct {
	// Type is the document type of the case; nil is a type without a definition.
	Type         *domain.DocumentType
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
	// Features are the features of an invoice or receipt that the pages have (domain.FeatureTypeWord
	// and others), nil if they are unknown. NotPrinted are the fields of the e-invoice whose values
	// the pages do not show.
	Features   []string
	NotPrinted []string
	// Parts are the documents that the file seems to contain, nil if it seems to contain one.
	Parts []domain.DocumentPart
	// LineSum is the sum of line items that were read with certainty; Currency "" if unknown.
	LineSum domain.Money
	// CorrectedLines are the line items that a person entered, nil if no one did.
	CorrectedLines *domain.LineItems
	// Today is the current date.
	Today time.Time
	// Duplicates are other documents that are, or may be, the same one.
	Duplicates []DuplicateHit
	// Vendor is the history of the vendor in other cases.
	Vendor VendorHistory
	// Shared are cases of other vendors with an account of the case, one of each vendor.
	Shared []SharedAccount
	// Sums are the sums of other documents of the counterparty, the accounts and the submitter.
	Sums []DocumentSum
	// SumSubjects are what the documents of these sums share with the case, and SumsAt is when they were read.
	SumSubjects map[SumSubject][]string
	SumsAt      time.Time
	// Order is the payment order of the case, nil if it has none. The fields are then those of its
	// evidence, and Amount is the order's.
	Order *OrderInput
}

// CaseInput returns what rules can use of a case and its document, without orders and other cases.
func CaseInput(c domain.Case, kind *domain.DocumentType, fields []domain.Field, document domain.Document,
	today time.Time) Input {
	input := Input{Type: kind, DocumentType: c.DocumentType, Fields: fields, Amount: c.Amount,
		AmountKnown: c.AmountKnown, BaseMinor: c.BaseMinor, Declared: c.DeclaredAmount, Country: c.Country,
		Differing: c.DifferingFields, Today: today, Features: document.Features,
		NotPrinted: document.NotPrinted, Parts: document.Parts, LineSum: document.LineSum,
		Vendor: VendorHistory{Known: c.PartyID != domain.NoID}}
	if slices.ContainsFunc(fields, func(f domain.Field) bool {
		return f.Name == domain.FieldCountry && f.IsOnlyOfModel()
	}) {
		input.Country = "" // it decides which fields are required
	}
	return input
}

// OrderInput is a payment order beside its evidence and the other orders on it.
type OrderInput struct {
	Amount         domain.Money
	Payee, Account string
	AmountDiffers  bool   // the evidence states another amount
	OtherAmounts   string // those amounts
	NoAmount       bool   // the evidence states no amount
	// AmountCovered and PayeeCovered say that the order equals the evidence, or that two persons
	// explained why not.
	AmountCovered, PayeeCovered bool
	OtherPayees, OtherAccounts  []string // of the evidence, where they differ
	// Exceeded says that the orders on the evidence, this one and OnEvidence, are more than it
	// supports: Sum and Evidence.
	Exceeded      bool
	OnEvidence    []string
	Sum, Evidence string
}

// DuplicateHit is another case with the same document.
type DuplicateHit struct {
	Kind      DuplicateKind
	CaseID    domain.ID
	Reference string // of the other case
	// Number is the number of this document that both have, for a hit by SameNumber. Earlier says that it is not
	// the one in force, but another one that a source states.
	Number  string
	Earlier bool
	// Relation is what both documents have in common, for a hit by SubmittedAgain.
	Relation DuplicateKind
}

// NeedsClaim reports whether the case must claim the pair: the other case was not refused, and does not have the
// finding itself.
func (h DuplicateHit) NeedsClaim() bool {
	return h.Kind != RejectedBefore && h.Kind != SubmittedAgain
}

// SharedAccount is a case of another vendor that has one of the accounts.
type SharedAccount struct {
	Account   string
	Reference string
	Vendor    string // its name
}

// VendorHistory is the history of a vendor in other cases. The zero value means that it was not
// looked up.
type VendorHistory struct {
	Known bool
	Cases int // number of approved cases of the same document type
	// Account is the bank account on the last of them, "" for none.
	Account string
	// Recent lists the references of the vendor's other cases of the last 24 hours with a known
	// amount, also those of its other names, at most 20. RecentCount and RecentSum are the number and the sum of all of them.
	Recent      []string
	RecentCount int
	RecentSum   int64
}

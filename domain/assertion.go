package domain

import (
	"slices"
	"time"
)

// Assertion is one value of one field by one source. Nothing overwrites it; which value is in
// force, and which values count towards the risk of the case, is computed from all of them.
type Assertion struct {
	Field string `json:"field"`
	Raw   string `json:"raw,omitempty"` // as written or entered
	// Value is normalised like Field.Normalised; "" if the raw text could not be normalised, or if
	// a person removed the value.
	Value      string  `json:"value,omitempty"`
	Confidence float64 `json:"confidence,omitempty"` // 0..1, of the source
	Page       int     `json:"page,omitempty"`       // from 1; 0 if not on a page
	Box        *Box    `json:"box,omitempty"`
	Grounded   bool    `json:"grounded,omitempty"` // found in the page's words or in the XML
	// Resolves says that the assertions of this field before this one no longer count.
	Resolves bool `json:"resolves,omitempty"`
	// Undetermined is the reason why a person found that the value cannot be determined; "" if they
	// did not. Value is "" then.
	Undetermined string `json:"undetermined,omitempty"`
	// Pending says why the assertion of a person waits for a second person, as one of the reasons of
	// package facts; "" if it does not.
	Pending string `json:"pending,omitempty"`
	// OnBehalfOf is the delegator of the person who asserted the value; NoID if they acted in their own
	// name. Both count as one person.
	OnBehalfOf ID `json:"onBehalfOf,omitzero"`
	// Order says that the value is one of the payment order, and not of the document, its evidence.
	Order bool `json:"order,omitempty"`
	// LearnedFrom is the case on which a person confirmed the value or its place on the page, for a
	// reading with the memory of earlier documents; NoID for others.
	LearnedFrom ID `json:"learnedFrom,omitzero"`
	// InheritedFrom is the case about whose whole file the value was stated or read, for a part of that
	// file, or the archived case, for its correction; NoID for others. The value counts for the risk of
	// the case and is not in force in it, except a declaration.
	InheritedFrom ID `json:"inheritedFrom,omitzero"`
	// Currency is the currency that the page or document in the file states with this total; "" if it states
	// none or several, and for other fields. The total counts in this one until a person resolves the
	// currency, otherwise in every currency that counts.
	Currency string `json:"currency,omitempty"`
	// OfTotals says that the currency was read as that of the totals with the same Currency, so that it
	// may be that of no other total with one.
	OfTotals bool `json:"ofTotals,omitempty"`
	// Suggestion says that a language model stated the value and no page shows it. It is kept for people
	// and counts for nothing.
	Suggestion bool `json:"suggestion,omitempty"`
}

// LowConfidence is the confidence below which a machine's reading of a key field is doubtful, so that a
// person must check it. docs/figures.md says how it was chosen.
const LowConfidence = 0.60

// ModelConfidence is the confidence of every value that a language model found on the page. It is below
// LowConfidence, because the page shows the value but not that it belongs to the field, and above
// Doubtful, so that one reviewer replaces no more names alone.
const ModelConfidence = 0.5

// Doubtful is the confidence below which a machine's reading of a name is so doubtful that one reviewer may
// replace it. What lowers a confidence because the name may be another one multiplies it by 0.6 at most,
// so that names of less than 0.36 had less than 0.60 without that: a person looks at more names, and
// replaces no more of them alone.
const Doubtful = 0.36

// AssertionSet is what one source said at one time: the declaration of the submitter, one reading
// of the document, or one correction. Sets are append-only.
type AssertionSet struct {
	CaseID ID
	// Revision is the facts revision of the case that the set led to.
	Revision         int64
	Source           FieldSource
	By               ID // person or external program; NoID for a reading
	DocumentRevision int
	At               time.Time
	Assertions       []Assertion
	// Body is the canonical JSON of Assertions as it is stored, Salt 16 random bytes and Hash the
	// SHA-256 of both, as for the body of an event; the body can be erased and the hash stays.
	Body []byte
	Salt []byte
	Hash []byte
}

// machineSources are the sources that read the document by recognition. A structured invoice is not
// among them, because the supplier's program stated its values.
var machineSources = []FieldSource{SourceText, SourceOCR, SourceLLM}

// IsMachine reports whether a program read the value from the page, so that it may be misread.
func (s FieldSource) IsMachine() bool { return slices.Contains(machineSources, s) }

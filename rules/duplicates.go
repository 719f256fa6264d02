package rules

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// DuplicateKind is what two documents have in common.
type DuplicateKind string

// The kinds of duplicates. The last three are about documents that may be the same, but need not be
// refused for it.
const (
	NoDuplicate    DuplicateKind = ""
	SameNumber     DuplicateKind = "number"         // party and document number
	SameBytes      DuplicateKind = "bytes"          // SHA-256 of the file
	SimilarNumber  DuplicateKind = "similar_number" // number within one character, same total
	SameContent    DuplicateKind = "content"        // party, total and date
	SimilarImage   DuplicateKind = "image"          // nearly the same first page
	RejectedBefore DuplicateKind = "rejected"       // the other case was rejected or withdrawn
	LinkedDocument DuplicateKind = "linked"         // one of both is a pro-forma invoice or a credit note
	SubmittedAgain DuplicateKind = "again"          // the other case has the finding about both
)

// DocumentKey is what of a document is compared with another one of the same party. An empty list
// means that the value is unknown, or that sources state different ones.
type DocumentKey struct {
	Type    string
	Kind    domain.DocumentKind
	Numbers []string
	Dates   []string
	Time    string  // of day; only receipts compare it
	Totals  []int64 // in minor units, negative for credits
	Image   uint64  // 0 without one
	// NumberUnsure reports that the number was read with less than SureNumber, so that it may be misread in
	// more than one character. Only receipts compare it.
	NumberUnsure bool `json:"-"`
}

// SureNumber is the confidence from which the number of a receipt says that it is another one than an equal
// receipt of the same day.
const SureNumber = 0.9

// Compare returns what two documents of the same party have in common, NoDuplicate if they are
// different ones. It does not depend on their order.
func (d DocumentKey) Compare(other DocumentKey) DuplicateKind {
	if len(d.Totals) > 0 && len(other.Totals) > 0 && d.Totals[0] < 0 != (other.Totals[0] < 0) {
		return NoDuplicate // a credit
	}
	receipts := d.Type == receiptType && other.Type == receiptType
	if receipts && d.Time != "" && other.Time != "" && d.Time != other.Time {
		return NoDuplicate
	}
	number := compareNumbers(d.Numbers, other.Numbers)
	sameTime := d.Time != "" && d.Time == other.Time
	kind := NoDuplicate
	switch {
	case number == equalNumbers:
		kind = SameNumber
	case !compatible(d.Totals, other.Totals) || !compatible(d.Dates, other.Dates):
	case number == misreadNumbers, number == oneDigitApart && (!receipts || sameTime):
		kind = SimilarNumber
	case receipts && number != unknownNumbers && !d.NumberUnsure && !other.NumberUnsure:
	case len(d.Totals) > 0 && len(other.Totals) > 0 && len(d.Dates) > 0 && len(other.Dates) > 0:
		kind = SameContent
	case d.similarImage(other):
		kind = SimilarImage
	}
	if kind != NoDuplicate && d.Kind != other.Kind {
		return LinkedDocument
	}
	return kind
}

// CompareUnrelated returns what documents of different parties have in common: SimilarImage if a long
// number is equal, nothing else differs and the first pages are nearly equal, as if the name of the
// same party was written in another way; otherwise NoDuplicate.
func (d DocumentKey) CompareUnrelated(other DocumentKey) DuplicateKind {
	equal := slices.ContainsFunc(d.Numbers, func(a string) bool {
		return len(NumberKey(a)) >= minUniqueNumber && slices.ContainsFunc(other.Numbers,
			func(b string) bool { return NumberKey(a) == NumberKey(b) })
	})
	if equal && d.similarImage(other) && d.Kind == other.Kind &&
		compatible(d.Totals, other.Totals) && compatible(d.Dates, other.Dates) {
		return SimilarImage
	}
	return NoDuplicate
}

// SharedNumber returns the first number of the document that the other one has too; "" without one.
func (d DocumentKey) SharedNumber(other DocumentKey) string {
	for _, number := range d.Numbers {
		if slices.ContainsFunc(other.Numbers, func(theirs string) bool {
			return NumberKey(theirs) == NumberKey(number)
		}) {
			return number
		}
	}
	return ""
}

// minUniqueNumber is the length from which equal numbers of different parties are no coincidence, if
// the pages are nearly equal.
const minUniqueNumber = 6

func (d DocumentKey) similarImage(other DocumentKey) bool {
	return d.Image != 0 && other.Image != 0 &&
		bits.OnesCount64(d.Image^other.Image) <= maxImageDistance
}

// maxImageDistance is the number of bits in which the hashes of nearly equal pages may differ.
const maxImageDistance = 8

const receiptType = "receipt"

// compatible reports whether two values may be the same: one of both is unknown, or they have one in
// common.
func compatible[T comparable](a, b []T) bool {
	return len(a) == 0 || len(b) == 0 ||
		slices.ContainsFunc(a, func(value T) bool { return slices.Contains(b, value) })
}

// numberRelation says how much alike two document numbers are.
type numberRelation int

const (
	differentNumbers numberRelation = iota
	unknownNumbers
	oneDigitApart  // one digit is another one, as in consecutive numbers
	misreadNumbers // one character is missing, added or another one
	equalNumbers
)

func compareNumbers(a, b []string) numberRelation {
	if len(a) == 0 || len(b) == 0 {
		return unknownNumbers
	}
	best := differentNumbers
	for _, x := range a {
		for _, y := range b {
			best = max(best, relationOf([]rune(NumberKey(x)), []rune(NumberKey(y))))
		}
	}
	return best
}

// minSimilarNumber is the length from which numbers are compared character by character; shorter
// ones have too little in common.
const minSimilarNumber = 4

func relationOf(a, b []rune) numberRelation {
	if len(a) > len(b) {
		a, b = b, a
	}
	head := 0
	for head < len(a) && a[head] == b[head] {
		head++
	}
	switch {
	case len(a) == 0:
		return unknownNumbers
	case head == len(a) && len(a) == len(b):
		return equalNumbers
	case len(b) < minSimilarNumber || len(b)-len(a) > 1:
		return differentNumbers
	case len(a) < len(b) && slices.Equal(a[head:], b[head+1:]):
		return misreadNumbers
	case len(a) < len(b) || !slices.Equal(a[head+1:], b[head+1:]):
		return differentNumbers
	case unicode.IsDigit(a[head]) && unicode.IsDigit(b[head]):
		return oneDigitApart
	}
	return misreadNumbers
}

// NumberKey returns a document number as it is compared: without spaces and punctuation, in upper
// case, and with characters alike that are misread alike. The database has the same function.
func NumberKey(number string) string {
	return strings.Map(func(r rune) rune {
		switch r = unicode.ToUpper(r); {
		case unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r):
			return -1
		case r == 'O':
			return '0'
		case r == 'I' || r == 'L':
			return '1'
		}
		return r
	}, number)
}

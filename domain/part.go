package domain

// RuleSeveralDocuments is the rule about a file with several documents. Every rule set has it.
const RuleSeveralDocuments = "several_documents"

// DocumentPart is one of several documents that a file seems to contain.
type DocumentPart struct {
	First int `json:"first"` // page, from 1
	Last  int `json:"last"`
	// Box is the part of the only page, nil if it is whole pages.
	Box *Box `json:"box,omitempty"`
	// Place says where the box lies on its page, "" without one.
	Place PartPlace `json:"place,omitempty"`
	// Reason is the strongest sign that this part is a document besides the one before it; that of
	// the first part is the reason of the second.
	Reason PartReason `json:"reason"`
	// Confidence is between 0 and 1.
	Confidence float64 `json:"confidence"`
}

// PartPlace is where a document lies on a page with others. The set is closed.
type PartPlace string

// The places. With more than two documents on a page they are numbered in reading order.
const (
	PlaceLeft   PartPlace = "left"
	PlaceRight  PartPlace = "right"
	PlaceTop    PartPlace = "top"
	PlaceBottom PartPlace = "bottom"
	PlaceArea   PartPlace = "area"
)

// PartReason is a sign that a new document begins. The set is closed.
type PartReason string

// The reasons.
const (
	PartNumbering PartReason = "page_numbering"  // the numbers of the pages begin again
	PartNumber    PartReason = "document_number" // another document number
	PartIssuer    PartReason = "issuer"          // another tax or register number, or another name
	PartTotal     PartReason = "total"           // another total with another date
	PartFormat    PartReason = "format"          // pages of another size or origin
	PartUnread    PartReason = "unread"          // pages without words in the file of an e-invoice
)

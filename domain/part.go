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
	// Number, Date, Total, Currency and Account are what this document alone states, "" if it was not read.
	Number   string `json:"number,omitempty"`
	Date     string `json:"date,omitempty"`
	Total    string `json:"total,omitempty"`
	Currency string `json:"currency,omitempty"`
	Account  string `json:"account,omitempty"`
	// Differs are the fields that this document states otherwise than the first one.
	Differs []string `json:"differs,omitempty"`
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

// CasePart says that a case is a part of the file of another case. The zero value is that of other
// cases.
type CasePart struct {
	Parent ID `json:"parent,omitzero"` // the case that was split
	// Origin is the case to which the file was submitted. It is not Parent if a part was split again.
	Origin ID `json:"origin,omitzero"`
	// First and Last are the pages of the file, from 1, both included. They apply to the first revision
	// of the document.
	First int `json:"first,omitempty"`
	Last  int `json:"last,omitempty"`
	// Merged says that the case has all pages of its parent again, because a split was undone.
	Merged bool `json:"merged,omitempty"`
	// Reviews are the reviews that the parent had, which the case needs too.
	Reviews []KeptReview `json:"reviews,omitempty"`
}

// KeptReview is a review that a part of a file needs because its parent had it, at the highest level
// that the review of the parent reached.
type KeptReview struct {
	Node  string `json:"node"`
	Queue string `json:"queue"`
	Level int    `json:"level"`
}

// IsPart reports whether the case is a part of the file of another case.
func (p CasePart) IsPart() bool { return p.Parent != NoID }

// PagesOf reports whether the document is the file of the origin, of which the case has some pages.
// A replaced document belongs to the case as a whole.
func (p CasePart) PagesOf(document Document) bool { return p.IsPart() && document.Revision == 1 }

// Nodes returns the nodes of the kept reviews.
func (p CasePart) Nodes() []string {
	var nodes []string
	for _, review := range p.Reviews {
		nodes = append(nodes, review.Node)
	}
	return nodes
}

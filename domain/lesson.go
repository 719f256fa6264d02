package domain

// Lesson is what the pages of one document showed about its vendor, given the values that people
// confirmed. It has no account and no amount.
type Lesson struct {
	// Case is where the values were confirmed. It is empty until the lesson is stored.
	Case ID     `json:"-"`
	Name string `json:"name"`
	// TaxID is the confirmed tax number if the page shows it, otherwise "".
	TaxID string `json:"tax_id,omitempty"`
	// Header are the words and numbers at the top of the first page, in upper case without
	// punctuation, sorted.
	Header []string `json:"header,omitempty"`
	// Currency and Country are the confirmed codes if the page shows them, otherwise "".
	Currency string `json:"currency,omitempty"`
	Country  string `json:"country,omitempty"`
	// Anchors are the places of the confirmed values.
	Anchors []Anchor `json:"anchors,omitempty"`
}

// Anchor is a place of a confirmed value, relative to the words beside it.
type Anchor struct {
	Field string `json:"field"`
	// Label are the letters, in upper case, of the words before the value in its row, or of the words
	// above it if there are none.
	Label string `json:"label"`
	Above bool   `json:"above,omitempty"`
	// X is the left edge of the value in thousandths of the page's width.
	X int `json:"x"`
}

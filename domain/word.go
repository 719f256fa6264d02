package domain

import (
	"strings"
	"unicode"
)

// Word is one recognised word with its position and the confidence of the engine (0..1).
type Word struct {
	Text       string  `json:"t"`
	Box        Box     `json:"b"`
	Confidence float64 `json:"c"`
	// Line is the number of the word's line on the page, in reading order.
	Line int `json:"l"`
	// Alternative is what another engine read here, "" if it read the same or was not asked, with
	// its confidence (0..1), and Engine the name of that engine.
	Alternative           string  `json:"a,omitempty"`
	AlternativeConfidence float64 `json:"ac,omitempty"`
	Engine                string  `json:"e,omitempty"`
}

// credible is the confidence from which an alternative counts. Below it, one in five was right.
const credible = 0.5

// IsDisputed reports whether another engine read something else that counts: in place of digits
// whatever it read, otherwise what it read with some confidence.
func (w Word) IsDisputed() bool {
	return w.HasCredibleAlternative() ||
		w.Alternative != "" && strings.ContainsFunc(w.Text, unicode.IsDigit)
}

// HasCredibleAlternative reports whether another engine read something else with some confidence.
func (w Word) HasCredibleAlternative() bool {
	return w.Alternative != "" && w.AlternativeConfidence >= credible
}

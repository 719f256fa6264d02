package domain_test

import (
	"encoding/json"
	"testing"

	"countersign/domain"
)

// Words that were stored before there were alternatives are read, and words without one are stored
// as before.
func TestWordsWithAndWithoutAlternatives(t *testing.T) {
	t.Parallel()
	const old = `{"t":"12.50","b":{"x":1,"y":2,"w":3,"h":4},"c":0.5,"l":6}`
	var word domain.Word
	if err := json.Unmarshal([]byte(old), &word); err != nil || word.IsDisputed() {
		t.Errorf("%+v %v", word, err)
	}
	if text, err := json.Marshal(word); err != nil || string(text) != old {
		t.Errorf("%s %v", text, err)
	}
	word.Alternative, word.Engine = "17.50", "tesseract"
	text, err := json.Marshal(word)
	if want := old[:len(old)-1] + `,"a":"17.50","e":"tesseract"}`; err != nil || string(text) != want {
		t.Errorf("%s %v", text, err)
	}
	if !word.IsDisputed() || word.HasCredibleAlternative() {
		t.Errorf("%+v is not disputed, or credible", word)
	}
}

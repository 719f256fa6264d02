package parsing

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// Stated is a value that the model stated for a field, as it says that the page prints it.
type Stated struct {
	Field string
	Text  string
	Page  int
}

// Parse reads an answer to the request. Fields that were not asked for, other types, empty values and
// values that no field can have are left out, so that nothing but texts of known fields gets further.
// It fails if the answer is no JSON object.
func (r Request) Parse(answer []byte) ([]Stated, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer, &fields); err != nil {
		return nil, domain.Errorf(domain.EngineFailed,
			"The answer of the language model is not a JSON object.").WithCause(err)
	}
	var stated []Stated
	for _, field := range r.Fields {
		var value struct {
			Value string `json:"value"`
			Page  int    `json:"page"`
		}
		raw, has := fields[field.Name]
		if !has || json.Unmarshal(raw, &value) != nil {
			continue
		}
		text := printable(value.Value)
		if text == "" || domain.Longer(text, domain.MaxFieldValue) {
			continue
		}
		if !slices.Contains(r.Pages, value.Page) && !slices.ContainsFunc(r.Images,
			func(i Image) bool { return i.Page == value.Page }) {
			value.Page = 0
		}
		stated = append(stated, Stated{field.Name, text, value.Page})
	}
	return stated, nil
}

// printable returns the text on one line, without characters that no page prints.
func printable(text string) string {
	if !utf8.ValidString(text) {
		return ""
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r) || unicode.In(r, unicode.Bidi_Control):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

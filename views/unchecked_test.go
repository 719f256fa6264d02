package views_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// The doubts of the shared cases are those of the form, which marks every value that was read with low
// certainty, also if no rule reports it.
func TestDoubtsOfTheSharedCases(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../facts/testdata/unchecked.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name   string
		Read   map[string]float64
		Doubts map[string][]views.Doubt
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, c := range cases {
		var fields []domain.Field
		for _, name := range slices.Sorted(maps.Keys(c.Read)) {
			fields = append(fields, domain.Field{Name: name, Raw: "1", Normalised: "1", Source: domain.SourceOCR,
				Confidence: c.Read[name]})
		}
		form := formOf(t, fields)
		for name := range c.Read {
			compared++
			if !slices.Equal(form[name].Doubts, c.Doubts[name]) {
				t.Errorf("%s: %s has the doubts %v, want %v", c.Name, name, form[name].Doubts, c.Doubts[name])
			}
		}
	}
	if compared < 8 {
		t.Errorf("%d fields were compared", compared)
	}
}

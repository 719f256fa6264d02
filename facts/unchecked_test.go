package facts

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"countersign/domain"
)

var update = flag.Bool("update", false, "update the golden files")

// sharedCase is a case of testdata/unchecked.json. The test of the page reads the same file: it gets Differences, as
// the API shows them, and must compute Want.
type sharedCase struct {
	Name  string      `json:"name"`
	Order bool        `json:"order,omitempty"`
	Sets  []sharedSet `json:"sets"`
	// Read are fields with their confidence as a machine read them, and Doubts those that their form has; the test
	// of the form (views/unchecked_test.go) compares both.
	Read   map[string]float64  `json:"read,omitempty"`
	Doubts map[string][]string `json:"doubts,omitempty"`
	// Differences and Want are written by this test with -update.
	Differences []sharedDifference `json:"differences"`
	Want        []string           `json:"want"`
}

type sharedSet struct {
	Source  domain.FieldSource `json:"source"`
	By      string             `json:"by,omitempty"` // "me" is the viewer
	Order   bool               `json:"order,omitempty"`
	Pending string             `json:"pending,omitempty"`
	Values  map[string]string  `json:"values"`
}

type sharedDifference struct {
	Field   string        `json:"field"`
	Pending bool          `json:"pending"`
	Values  []sharedValue `json:"values"`
}

type sharedValue struct {
	Value    string             `json:"value"`
	Source   domain.FieldSource `json:"source"`
	By       string             `json:"by"`
	Currency string             `json:"currency"`
}

// Server and page agree about which fields with different values have to be checked.
func TestFieldsToConfirmOfTheSharedCases(t *testing.T) {
	t.Parallel()
	const path = "testdata/unchecked.json"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []sharedCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		got := cases[i]
		got.compute()
		if !*update && !reflect.DeepEqual(got, cases[i]) {
			t.Errorf("%s: %+v, the file has %+v", got.Name, got, cases[i])
		}
		cases[i] = got
	}
	if *update {
		text, err := json.MarshalIndent(cases, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *sharedCase) compute() {
	names := map[domain.ID]string{domain.NoID: ""}
	people := map[string]domain.ID{"": domain.NoID}
	for _, name := range []string{"me", "other"} {
		people[name] = domain.NewID()
		names[people[name]] = name
	}
	var history History
	fields := map[string]bool{}
	for i, set := range c.Sets {
		stored := domain.AssertionSet{Source: set.Source, By: people[set.By], Revision: int64(i + 1),
			At: time.Unix(int64(i), 0), DocumentRevision: 1}
		for _, field := range slices.Sorted(maps.Keys(set.Values)) {
			fields[field] = true
			stored.Assertions = append(stored.Assertions, domain.Assertion{Field: field, Value: set.Values[field],
				Raw: set.Values[field], Confidence: 1, Order: set.Order, Pending: set.Pending})
		}
		history = append(history, stored)
	}
	viewer := Viewer{Audience: domain.AudienceStaff, UserID: people["me"]}
	c.Differences, c.Want = []sharedDifference{}, []string{}
	all := slices.Sorted(maps.Keys(fields))
	for _, difference := range viewer.Differences(history, all...) {
		shown := sharedDifference{Field: difference.Field, Pending: history.waits(difference.Field)}
		for _, entry := range difference.Values {
			value := sharedValue{Value: entry.Value, Source: entry.Set.Source, By: names[entry.Set.By]}
			if difference.Field == domain.FieldTotal {
				value.Currency = history.CurrencyBeside(entry)
			}
			shown.Values = append(shown.Values, value)
		}
		c.Differences = append(c.Differences, shown)
	}
	c.Want = append(c.Want, history.ToConfirm(viewer, all...)...)
	for _, field := range slices.Sorted(maps.Keys(c.Doubts)) {
		if !slices.Contains(c.Want, field) {
			c.Want = append(c.Want, field)
		}
	}
	slices.SortFunc(c.Want, func(a, b string) int {
		return slices.Index(domain.FieldNames(), a) - slices.Index(domain.FieldNames(), b)
	})
}

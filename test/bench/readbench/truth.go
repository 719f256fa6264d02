package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"countersign/domain"
)

// truth is what a document says, by field name; a name that is absent is unknown, not empty.
type truth map[string][]string

// readTruth reads NAME.gt.json; nil without one.
func readTruth(path string) (truth, error) {
	text, err := os.ReadFile(truthPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var raw map[string]any
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", truthPath(path), err)
	}
	known := truth{}
	if kind, ok := raw["doc_type"].(string); ok {
		known["doc_type"] = []string{kind}
	}
	for _, name := range domain.FieldNames() {
		key := name
		switch name {
		case domain.FieldNumber:
			key = "invoice_number"
		case domain.FieldVendorAddress:
			key = "address"
		case domain.FieldBuyerAddress:
			key = "buyer"
		}
		switch value := raw[key].(type) {
		case string:
			known[name] = []string{value}
		case float64:
			known[name] = []string{strconv.FormatFloat(value, 'f', 2, 64)}
		case []any:
			for _, item := range value {
				if text, ok := item.(string); ok {
					known[name] = append(known[name], text)
				}
			}
		case map[string]any:
			if party := partyValue(name, value); party != "" {
				known[name] = []string{party}
			}
		}
	}
	return known, nil
}

var title = regexp.MustCompile(`^(?:Herrn?|Frau|Firma|Mrs?|Ms|Mme|M)\.?\s+`)

// withoutTitle returns a name without the form of address before it.
func withoutTitle(name string) string { return title.ReplaceAllString(name, "") }

// partyValue returns the name of a party, or the postcode and city that its address must have.
func partyValue(name string, party map[string]any) string {
	text := func(key string) string {
		value, _ := party[key].(string)
		return strings.Join(strings.Fields(value), " ")
	}
	switch name {
	case domain.FieldBuyer:
		return text("name")
	case domain.FieldBuyerAddress:
		return strings.TrimSpace(text("postcode") + " " + text("city"))
	}
	return ""
}

// right compares a field with the truth: amounts by value, the address of the buyer by postcode and
// city, all others by their letters and digits, all of which must be right.
func right(name string, field domain.Field, wanted []string) bool {
	for _, want := range wanted {
		switch name {
		case domain.FieldBuyer:
			if letters(withoutTitle(field.Normalised)) == letters(withoutTitle(want)) {
				return true
			}
		case domain.FieldBuyerAddress:
			if strings.Contains(letters(field.Normalised), letters(want)) {
				return true
			}
		case domain.FieldNet, domain.FieldTax, domain.FieldTotal, domain.FieldPrepaid,
			domain.FieldAmountDue:
			a, errA := strconv.ParseFloat(field.Normalised, 64)
			b, errB := strconv.ParseFloat(want, 64)
			if errA == nil && errB == nil && math.Abs(a-b) < 0.005 {
				return true
			}
		default:
			if letters(field.Normalised) == letters(want) {
				return true
			}
		}
	}
	return false
}

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
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
		}
	}
	return known, nil
}

// right compares a field with the truth: amounts by value, dates by day, codes without blanks, the
// vendor by letters and digits with one error in ten allowed.
func right(name string, field domain.Field, wanted []string) bool {
	for _, want := range wanted {
		switch name {
		case domain.FieldNet, domain.FieldTax, domain.FieldTotal:
			a, errA := strconv.ParseFloat(field.Normalised, 64)
			b, errB := strconv.ParseFloat(want, 64)
			if errA == nil && errB == nil && math.Abs(a-b) < 0.005 {
				return true
			}
		case domain.FieldVendor:
			if isNear(letters(field.Normalised), letters(want)) {
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

// isNear allows one wrong, missing or added character in ten.
func isNear(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) == 0 || len(y) == 0 {
		return len(x) == len(y)
	}
	previous := make([]int, len(y)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range x {
		current := make([]int, len(y)+1)
		current[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			current[j+1] = slices.Min([]int{current[j] + 1, previous[j+1] + 1, previous[j] + cost})
		}
		previous = current
	}
	return previous[len(y)]*10 <= max(len(x), len(y))
}

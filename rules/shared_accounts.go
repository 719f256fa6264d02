package rules

import (
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// minSimilarName is the length from which keys of names that differ in one character are one name, so that a
// misread name is no other vendor.
const minSimilarName = 8

// addSharedAccount adds the cases of other vendors that have the account which is paid.
func (s *inputIndex) addSharedAccount(facts expr.Facts, account string) {
	cases, vendors := []string{}, []string{}
	for _, other := range s.Shared {
		if account == "" || normalizeCode(other.Account) != account || s.namesVendor(other.Vendor) {
			continue
		}
		cases = append(cases, other.Reference)
		if !slices.Contains(vendors, other.Vendor) {
			vendors = append(vendors, other.Vendor)
		}
	}
	facts["account_cases"], facts["account_vendors"] = cases, strings.Join(vendors, "; ")
}

// namesVendor reports whether the name is that of the vendor of the document or of the payee of the order,
// perhaps with one misread character.
func (s *inputIndex) namesVendor(name string) bool {
	own := []string{s.text(domain.FieldVendor)}
	if s.Order != nil {
		own = append(own, s.Order.Payee)
	}
	key := []rune(domain.PartyKey(name))
	return slices.ContainsFunc(own, func(own string) bool {
		other := []rune(domain.PartyKey(own))
		if len(key) < minSimilarName || len(other) < minSimilarName {
			return slices.Equal(key, other)
		}
		return relationOf(key, other) >= oneDigitApart
	})
}

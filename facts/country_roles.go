package facts

import (
	"cmp"
	"slices"

	"countersign/domain"
)

// countryFields are the fields that state a country, or have one by their account, bank or tax id. The
// role of the field country depends on who states it.
var countryFields = []countryField{
	{domain.FieldCountry, domain.CountryOfDocument, false},
	{domain.FieldPayerCountry, domain.CountryOfPayer, false},
	{domain.FieldDeliveryCountry, domain.CountryOfDelivery, false},
	{domain.FieldIBAN, domain.CountryOfPayeeBank, true},
	{domain.FieldBIC, domain.CountryOfPayeeBank, true},
	{domain.FieldPayerAccount, domain.CountryOfPayerBank, true},
	{domain.FieldVATID, domain.CountryOfTaxID, true},
}

type countryField struct {
	field   string
	role    domain.CountryRole
	derived bool // the value is no country itself
}

// HasCountry reports whether the values of a field state a country, or have one.
func HasCountry(field string) bool {
	return slices.ContainsFunc(countryFields, func(c countryField) bool { return c.field == field })
}

// countryRoles returns the countries of the unresolved assertions with their roles, each once, sorted.
func (h History) countryRoles(
	countryOf func(field, value string) string,
) []domain.CountryAtRisk {
	var found []domain.CountryAtRisk
	for _, has := range countryFields {
		for _, entry := range h.Unresolved(has.field) {
			code, role := entry.Value, has.role
			if has.derived && code != "" {
				code = countryOf(has.field, code)
			} else if has.field == domain.FieldCountry {
				role = entry.countryRole()
			}
			if code != "" {
				found = append(found, domain.CountryAtRisk{Code: code, Role: role,
					Field: has.field, Source: entry.Set.Source})
			}
		}
	}
	slices.SortFunc(found, func(a, b domain.CountryAtRisk) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Role, b.Role),
			cmp.Compare(a.Field, b.Field), cmp.Compare(a.Source, b.Source))
	})
	return slices.Compact(found)
}

// countryRole returns the role of the country that the entry states: of the payee in a payment order,
// and otherwise of the counterparty, as the submitter declared it or as the document says.
func (e Entry) countryRole() domain.CountryRole {
	switch {
	case e.Order:
		return domain.CountryOfPayee
	case e.Set.Source == domain.SourceDeclared:
		return domain.CountryDeclared
	}
	return domain.CountryOfDocument
}

// codesOf returns the distinct countries of sorted roles.
func codesOf(roles []domain.CountryAtRisk) []string {
	var codes []string
	for _, role := range roles {
		codes = append(codes, role.Code)
	}
	return slices.Compact(codes)
}

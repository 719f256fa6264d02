package extraction

import (
	"errors"
	"strings"

	"countersign/domain"
)

// Normalise brings a value that a person wrote into the form that fields are kept in: ISO dates, plain decimal amounts,
// upper-case codes without spaces. What cannot be understood is InvalidInput with the field's name; nothing is guessed.
func Normalise(name, value, currency string) (string, error) {
	value = strings.Join(strings.Fields(value), " ")
	switch name {
	case domain.FieldDate, domain.FieldDueDate:
		return normaliseDate(name, value)
	case domain.FieldNet, domain.FieldTax, domain.FieldTotal:
		if currency == "" {
			return "", domain.Invalid(domain.FieldCurrency, "the currency is not known").WithRemedy("Set the currency first, or together with the amount.")
		}
		amount, err := domain.ParseMoney(value, currency)
		if err != nil {
			return "", withFieldName(name, err)
		}
		return amount.Decimal(), nil
	case domain.FieldCurrency:
		value = strings.ToUpper(value)
		if !domain.KnownCurrency(value) {
			return "", domain.Invalid(name, "%q is not a known currency", value).WithRemedy("Use the three-letter code, such as EUR.")
		}
		return value, nil
	case domain.FieldCountry:
		value = strings.ToUpper(value)
		if len(value) != 2 {
			return "", domain.Invalid(name, "%q is not a country code", value).WithRemedy("Use two letters, such as DE.")
		}
		return value, nil
	case domain.FieldIBAN, domain.FieldVATID:
		return strings.ToUpper(strings.ReplaceAll(value, " ", "")), nil
	}
	return value, nil
}

// withFieldName puts the field's name in place of what the parser of amounts calls it, so that a form knows where it belongs.
func withFieldName(name string, err error) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code != domain.InvalidInput {
		return err
	}
	named := *refusal
	named.Field = name
	return &named
}

// normaliseDate accepts the one form that means the same everywhere, and forms whose day cannot be taken for a month.
func normaliseDate(name, value string) (string, error) {
	dates := findDates(value, false)
	switch {
	case len(dates) != 1 || dates[0].from != 0 || dates[0].to != len(value):
		return "", domain.Invalid(name, "%q is not a date that can be understood", value).WithRemedy("Write it as year-month-day, such as 2026-11-30.")
	case dates[0].ambiguous:
		return "", domain.Invalid(name, "%q could be two different days", value).WithRemedy("Write it as year-month-day, such as 2026-11-30.")
	}
	return dates[0].iso, nil
}

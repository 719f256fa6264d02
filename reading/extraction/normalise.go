package extraction

import (
	"errors"
	"strings"

	"countersign/domain"
	"countersign/domain/country"
)

// Normalise converts a value entered by a person to the stored form of the field: ISO dates, plain
// decimal amounts, upper-case codes without spaces. It returns InvalidInput with the name of the
// field for an ambiguous or invalid value.
func Normalise(name, value, currency string) (string, error) {
	value = strings.Join(strings.Fields(value), " ")
	field, _ := domain.BuiltinField(name)
	switch name {
	case domain.FieldBIC:
		return normaliseBIC(value)
	case domain.FieldKind:
		return normaliseChoice(field, value)
	case domain.FieldTaxBreakdown:
		return normaliseTaxes(value, currency)
	}
	return normaliseTyped(name, field.Type, value, currency)
}

// normaliseBIC accepts the form of a BIC with a known country, because the country is a country of
// risk. A word such as Commerzbank has the form too, but not the capitals.
func normaliseBIC(value string) (string, error) {
	code := compact(value)
	mixed := value != strings.ToUpper(value) && value != strings.ToLower(value)
	if _, ok := country.OfBIC(code); !ok || mixed {
		return "", domain.Invalid(domain.FieldBIC, "%q is not a valid BIC.", value).
			WithRemedy("Enter 8 or 11 letters and digits, such as DEUTDEFF.")
	}
	return code, nil
}

func normaliseTaxes(value, currency string) (string, error) {
	if currency == "" {
		return "", domain.Invalid(domain.FieldCurrency, "The currency is unknown.").
			WithRemedy("Enter the currency before or together with the amounts.")
	}
	rows, err := domain.ParseTaxRows(value, currency)
	if err != nil {
		return "", withFieldName(domain.FieldTaxBreakdown, err)
	}
	return domain.FormatTaxRows(rows, currency), nil
}

// normaliseTyped converts a value of a field type; others than those with a stored form stay as they
// are.
func normaliseTyped(name string, kind domain.FieldType, value, currency string) (string, error) {
	switch kind {
	case domain.FieldTypeDate:
		return normaliseDate(name, value)
	case domain.FieldTypeMoney:
		if currency == "" {
			return "", domain.Invalid(domain.FieldCurrency, "The currency is unknown.").
				WithRemedy("Enter the currency before or together with the amount.")
		}
		amount, err := domain.ParseMoney(value, currency)
		if err != nil {
			return "", withFieldName(name, err)
		}
		return amount.Decimal(), nil
	case domain.FieldTypeCurrency:
		value = strings.ToUpper(value)
		if !domain.KnownCurrency(value) {
			return "", domain.Invalid(name, "Unknown currency %q.", value).
				WithRemedy("Use a three-letter code such as EUR.")
		}
		return value, nil
	case domain.FieldTypeCountry:
		code, ok := country.Parse(value)
		if !ok {
			return "", domain.Invalid(name, "%q is not a known country.", value).
				WithRemedy("Enter a country code such as DE, or the full name.")
		}
		return code, nil
	case domain.FieldTypeIBAN, domain.FieldTypeVATID:
		return strings.ToUpper(strings.ReplaceAll(value, " ", "")), nil
	}
	return value, nil
}

// withFieldName sets the name of the field in an error of the parser, so that a form can show it at
// the field.
func withFieldName(name string, err error) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code != domain.InvalidInput {
		return err
	}
	named := *refusal
	named.Field = name
	return &named
}

const dateRemedy = "Write it as year-month-day, such as 2026-11-30."

// normaliseDate accepts ISO dates, and other formats if day and month cannot be confused.
func normaliseDate(name, value string) (string, error) {
	date, ok := wholeDate(value, false)
	switch {
	case !ok:
		return "", domain.Invalid(name, "%q is not a valid date.", value).
			WithRemedy(dateRemedy)
	case date.ambiguous:
		return "", domain.Invalid(name, "Day and month of %q could be swapped.", value).
			WithRemedy(dateRemedy)
	}
	return date.iso, nil
}

// wholeDate returns the date of a text that is nothing but one date.
func wholeDate(text string, monthFirst bool) (shapedDate, bool) {
	dates := findDates(text, monthFirst)
	if len(dates) != 1 || dates[0].from != 0 || dates[0].to != len(text) {
		return shapedDate{}, false
	}
	return dates[0], true
}

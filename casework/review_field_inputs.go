package casework

import (
	"errors"
	"maps"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/reading/extraction"
)

// parseFieldInput validates one value according to its type. Errors: InvalidInput with the field's
// name.
func parseFieldInput(
	kind *domain.DocumentType, input FieldInput, currency string,
) (domain.Field, error) {
	if !kind.Has(input.Name) {
		return domain.Field{}, unknownField(kind, input.Name)
	}
	value := strings.TrimSpace(input.Value)
	spec, _ := kind.Field(input.Name)
	if domain.Longer(value, spec.MaxLength) {
		return domain.Field{}, domain.Invalid(input.Name,
			"The value is longer than %d characters.", spec.MaxLength).
			WithDetail("reason", "too_long").WithDetail("most", strconv.Itoa(spec.MaxLength))
	}
	field := domain.Field{Name: input.Name, Raw: value, Confidence: 1}
	if value == "" {
		return field, nil
	}
	var err error
	if field.Normalised, err = extraction.NormaliseIn(kind, input.Name, value, currency); err != nil {
		return field, withInputDetail(err, spec, value, currency)
	}
	return field, nil
}

// unknownField refuses a value of a field that documents of the type do not have.
func unknownField(kind *domain.DocumentType, name string) error {
	return domain.Invalid(name, "Documents of the type %s have no field %q.", kind.Key, name).
		WithRemedy("Reload the page, and enter the fields of its form.").
		WithDetail("reason", "unknown_field").WithDetail("type", kind.Key).
		WithDetail("name", name)
}

// withInputDetail adds the field and the value to an error, so that the frontend can translate the
// message.
func withInputDetail(err error, spec domain.DocumentField, value, currency string) error {
	var known *domain.Error
	if !errors.As(err, &known) {
		return err
	}
	detailed := *known
	detailed.Field, detailed.Detail = spec.Name, maps.Clone(known.Detail)
	if currency == "" && spec.Type == domain.FieldTypeMoney {
		return detailed.WithDetail("reason", "currency_missing")
	}
	return detailed.WithDetail("reason", "form").WithDetail("value", value)
}

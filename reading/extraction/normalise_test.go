package extraction_test

import (
	"errors"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// Errors name the field, so that a form can show them next to it.
func TestNormaliseNamesTheField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, value string }{
		{domain.FieldTotal, "1190.555"}, {domain.FieldNet, "about five"},
		{domain.FieldTax, "1.234"}, {domain.FieldDate, "soon"},
		{domain.FieldCurrency, "QQQ"}, {domain.FieldCountry, "Atlantis"},
		{domain.FieldCountry, "ZZ"},
	} {
		_, err := extraction.Normalise(c.field, c.value, "EUR")
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.InvalidInput ||
			refusal.Field != c.field {
			t.Errorf("%s %q: %v, want InvalidInput about the field", c.field, c.value, err)
		}
	}
}

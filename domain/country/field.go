package country

import "countersign/domain"

// OfField returns the country of an account, a bank or a tax number, "" if it has none.
func OfField(field, value string) string {
	var code string
	switch field {
	case domain.FieldIBAN, domain.FieldPayerAccount:
		code, _ = OfIBAN(value)
	case domain.FieldBIC:
		code, _ = OfBIC(value)
	default:
		code, _ = OfTaxID(value)
	}
	return code
}

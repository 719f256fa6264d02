package domain

// CountryRole is the part that a country has in a case.
type CountryRole string

// The roles of countries.
const (
	CountryOfPayer     CountryRole = "payer"
	CountryOfPayee     CountryRole = "payee" // of a payment order
	CountryOfPayerBank CountryRole = "payer_bank"
	CountryOfPayeeBank CountryRole = "payee_bank"
	CountryOfTaxID     CountryRole = "tax_id"
	CountryOfDelivery  CountryRole = "delivery"
	CountryDeclared    CountryRole = "declared" // by the submitter, of the counterparty
	CountryOfDocument  CountryRole = "document" // of the counterparty
)

// CountryAtRisk is a country of the risk basis in one of its roles, with the field that has it and the
// source that asserted the field.
type CountryAtRisk struct {
	Code   string      `json:"code"`
	Role   CountryRole `json:"role"`
	Field  string      `json:"field"`
	Source FieldSource `json:"source"`
}

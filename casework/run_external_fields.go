package casework

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/domain"
	"countersign/facts"
	"countersign/reading/extraction"
)

// Limits of the values that an external program may submit with one task.
const (
	maxExternalFields = 50
	maxExternalValue  = 20_000 // characters of one value
)

var externalFieldName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// mergeExternalFields stores a program's values as fields of the external source. A user's value stays
// in force, but the program's is asserted beside it, because otherwise a correction would hide the
// higher amount or the risky country that a screening finds. The key facts are computed again, the
// rules run again and votes that depend on the change are revoked, because otherwise a program could
// bypass the reviewers.
func (c *command) mergeExternalFields(inputs []ExternalField) error {
	if len(inputs) == 0 {
		return nil
	}
	if len(inputs) > maxExternalFields {
		return domain.Invalid("fields", "You can submit at most %d fields.", maxExternalFields)
	}
	rows, err := c.tx.Fields(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	kind, err := c.documentType()
	if err != nil {
		return err
	}
	after, derives := fieldsFromRows(rows), false
	currency := c.currencyOf(after, inputs)
	asserted := make([]domain.Field, 0, len(inputs))
	for _, input := range inputs {
		field, err := parseExternalField(input, currency)
		if err != nil {
			return err
		}
		field.Revision = c.before.FactsRevision + 1
		asserted = append(asserted, field)
		at := slices.IndexFunc(after, func(f domain.Field) bool { return f.Name == field.Name })
		switch {
		case at < 0:
			after = append(after, field)
		case after[at].Source != domain.SourceHuman:
			after[at] = field
		}
		derives = derives || kind.Has(field.Name) ||
			slices.Contains(domain.FieldNames(), field.Name)
	}
	c.change.Case.FactsRevision++
	c.change.Fields = after
	history, err := c.assertExternal(asserted)
	if err != nil {
		return err
	}
	keyChanged := keyFieldsDiffer(c.def, fieldsFromRows(rows), after)
	if derives {
		changed, err := c.refreshDerivedFacts(after, history)
		if err != nil {
			return err
		}
		keyChanged = keyChanged || changed
	}
	if _, err := c.revokeUncovered(after, keyChanged, "key facts changed"); err != nil {
		return err
	}
	c.refreshOpenReviews(domain.Review{})
	return nil
}

// currencyOf returns the currency of the program's amounts: the one that it submits, else that of the
// fields, else the declared one.
func (c *command) currencyOf(fields []domain.Field, inputs []ExternalField) string {
	currency := fieldValue(fields, domain.FieldCurrency)
	for _, input := range inputs {
		if input.Name == domain.FieldCurrency {
			currency = strings.ToUpper(strings.TrimSpace(input.Value))
		}
	}
	return cmp.Or(currency, c.before.DeclaredAmount.Currency)
}

// assertExternal adds the program's values of this task to what was asserted, and returns all of
// it.
func (c *command) assertExternal(fields []domain.Field) (facts.History, error) {
	history, err := c.assertedBefore()
	if err == nil {
		err = c.storeAsserted(history)
	}
	if err != nil {
		return nil, err
	}
	set := domain.AssertionSet{CaseID: c.before.ID, Revision: c.change.Case.FactsRevision,
		Source: domain.SourceExternal, By: c.actor.UserID, At: c.now}
	for _, field := range fields {
		set.Assertions = append(set.Assertions, facts.AssertionOf(field))
	}
	return withSets(history, set), c.assert(set, c.svc.salts)
}

// refreshDerivedFacts recomputes the key facts and findings from the fields, and reports whether
// key facts changed.
func (c *command) refreshDerivedFacts(
	after []domain.Field, history facts.History,
) (bool, error) {
	derived, err := c.keyFacts(c.before, after, history)
	if err != nil {
		return false, err
	}
	keyChanged := derived.applyTo(&c.change.Case)
	if err := c.refreshOrderUse(); err != nil {
		return false, err
	}
	found, err := c.tx.Findings(c.ctx, c.before.ID)
	if err != nil || len(found) == 0 {
		return keyChanged, err
	}
	return keyChanged, c.reevaluateRules(after)
}

// parseExternalField validates one value: built-in fields by their type, others as plain text.
func parseExternalField(input ExternalField, currency string) (domain.Field, error) {
	field := domain.Field{Name: input.Name, Raw: strings.TrimSpace(input.Value), Page: input.Page,
		Confidence: input.Confidence,
		Source:     domain.SourceExternal}
	switch {
	case !externalFieldName.MatchString(input.Name):
		return field, domain.Invalid("fields",
			"%.80q is not a valid field name. Use lower-case letters, digits and underscores.",
			input.Name)
	case domain.Longer(field.Raw, maxExternalValue):
		return field, domain.Invalid(input.Name, "The value is longer than %d characters.",
			maxExternalValue)
	case !utf8.ValidString(field.Raw) || strings.ContainsRune(field.Raw, 0):
		return field, domain.Invalid(input.Name, "The value is not valid text.")
	case input.Confidence < 0 || input.Confidence > 1 || input.Page < 0:
		return field, domain.Invalid(input.Name,
			"The confidence must be between 0 and 1, and the page must not be negative.")
	}
	field.Normalised = field.Raw
	if !slices.Contains(domain.FieldNames(), input.Name) || field.Raw == "" {
		return field, nil
	}
	var err error
	if field.Normalised, err = extraction.Normalise(input.Name, field.Raw, currency); err != nil {
		spec, _ := domain.FieldSpecOf(input.Name)
		return field, withInputDetail(err, domain.DocumentField{FieldSpec: spec}, field.Raw, currency)
	}
	return field, nil
}

package casework

import (
	"strings"

	"countersign/domain"
	"countersign/facts"
	"countersign/rules"
)

// requireRequiredValues refuses an approval without a reason while the document has no value for fields
// that its type requires. A document may really not state one; then the approver says so.
func (c *command) requireRequiredValues(fields []domain.Field, reason string) error {
	if reason != "" {
		return nil
	}
	kind, err := c.documentType()
	if err != nil {
		return err
	}
	missing := rules.Doubtful(kind, c.before.Country, fields, facts.StatedByOrder(c.before),
		rules.DoubtMissing)
	if len(missing) == 0 {
		return nil
	}
	refused := domain.Errorf(domain.ValidationFailed, "Required values are missing: %s.",
		strings.Join(missing, ", ")).
		WithRemedy("Enter them, return the document, or state in the reason why it can be approved without them.").
		WithDetail("reason", "required_missing").WithDetail("fields", strings.Join(missing, ","))
	refused.Field = "reason"
	return refused
}

// checkNoDoubt refuses a review in bulk whose fields a person has to look at: bulk approvals are made
// without opening the reviews.
func (c *command) checkNoDoubt() error {
	kind, err := c.documentType()
	if err != nil {
		return err
	}
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	doubtful := func(doubts ...rules.Doubt) bool {
		return len(rules.Doubtful(kind, c.before.Country, fields, facts.StatedByOrder(c.before),
			doubts...)) > 0
	}
	switch {
	case doubtful(rules.DoubtMissing):
		return outsideEnvelope("values that its document type requires are missing", "missing")
	case doubtful(rules.DoubtUnreadable, rules.DoubtLowConfidence):
		return outsideEnvelope("values were read with low certainty", "doubtful")
	case len(c.before.DifferingFields) > 0:
		return outsideEnvelope("different values are stated", "doubtful")
	}
	return nil
}

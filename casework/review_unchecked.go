package casework

import (
	"slices"
	"strings"

	"countersign/domain"
	"countersign/facts"
	"countersign/rules"
)

// maxUnchecked limits the fields that an approval can state as unchecked.
const maxUnchecked = 200

// uncheckedFields returns the fields whose value a person has to confirm or correct before the actor
// approves, in the order of the document type: those that were read with low confidence or cannot be
// read, and those that are stated with different values. Missing required values are not among them: an
// approval without them needs a reason.
func (c *command) uncheckedFields(fields []domain.Field) ([]string, error) {
	kind, err := c.documentType()
	if err != nil {
		return nil, err
	}
	missing := rules.Doubtful(kind, c.before.Country, fields, facts.StatedByOrder(c.before),
		rules.DoubtMissing)
	for _, fact := range c.before.Missing {
		missing = append(missing, domain.FieldOfFact(fact))
	}
	differing, err := c.differingToConfirm(fields)
	if err != nil {
		return nil, err
	}
	doubtful := rules.Doubtful(kind, c.before.Country, fields, nil, rules.DoubtUnreadable,
		rules.DoubtLowConfidence)
	var names []string
	for _, spec := range kind.Fields {
		if !slices.Contains(missing, spec.Name) &&
			(slices.Contains(doubtful, spec.Name) || slices.Contains(differing, spec.Name)) {
			names = append(names, spec.Name)
		}
	}
	return names, nil
}

// differingToConfirm returns the fields with different values of which the actor can confirm one. Values
// that the actor must not see are left out, so that a refusal does not disclose a confidential review.
func (c *command) differingToConfirm(fields []domain.Field) ([]string, error) {
	differing := c.before.DifferingFields
	if len(differing) == 0 {
		return nil, nil
	}
	sets, err := c.storedAssertions()
	if err != nil {
		return nil, err
	}
	viewer := facts.Viewer{Audience: domain.AudienceStaff, UserID: c.actor.UserID, Reviews: c.reviews}
	if viewer.Redacted, err = c.isRedacted(); err != nil {
		return nil, err
	}
	if viewer.Redacted {
		differing = slices.DeleteFunc(slices.Clone(differing), domain.ConfidentialField)
	}
	return facts.HistoryOf(c.before, sets, fields).ToConfirm(viewer, differing...), nil
}

// isRedacted reports whether the actor must not learn whether the case was in a confidential review.
func (c *command) isRedacted() (bool, error) {
	if !c.def.Confidential() {
		return false, nil
	}
	cleared, err := seesConfidential(c.ctx, c.tx.Reader, c.actor.UserID)
	return !cleared, err
}

// requireStatedUnchecked refuses an approval while fields are unchecked, unless it states exactly these. Who
// approves then says what they have not checked, and no program does it by accident.
func requireStatedUnchecked(unchecked, stated []string) error {
	stated = slices.Compact(slices.Sorted(slices.Values(stated)))
	if slices.Equal(slices.Sorted(slices.Values(unchecked)), stated) {
		return nil
	}
	list := strings.Join(unchecked, ", ")
	if len(unchecked) == 0 {
		refused := domain.Errorf(domain.ValidationFailed, "No field has to be checked, but %s are stated as unchecked.",
			strings.Join(stated, ", ")).WithRemedy("Approve without unchecked fields.").
			WithDetail("reason", "none_unchecked")
		refused.Field = "unchecked"
		return refused
	}
	refused := domain.Errorf(domain.ValidationFailed, "Fields have not been checked: %s.", list).
		WithRemedy("Confirm or correct these values first. To approve without a check, state exactly these fields as unchecked.").
		WithDetail("reason", "unchecked").WithDetail("fields", strings.Join(unchecked, ","))
	refused.Field = "unchecked"
	return refused
}

// checkUncheckedInput refuses unchecked fields of another verdict than an approval.
func checkUncheckedInput(stated []string, verdict domain.Verdict) error {
	if len(stated) > 0 && verdict != domain.Approve {
		return domain.Invalid("unchecked", "Only an approval states unchecked fields.")
	}
	if len(stated) > maxUnchecked {
		return domain.Invalid("unchecked", "State at most %d unchecked fields.", maxUnchecked)
	}
	return nil
}

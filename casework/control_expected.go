package casework

import (
	"slices"
	"strings"

	"countersign/domain"
)

// textOf returns the expected value as a text, nil if none is expected.
func textOf[V any](value *V, text func(V) string) *string {
	if value == nil {
		return nil
	}
	written := text(*value)
	return &written
}

// checkPresent refuses a change that is based on another value than the present one, because another
// person changed it while the form was open. Without it, the later of two changes would win silently.
// nil skips the check. shown is the present value as a sentence names it; by is who set it, if known.
func (p *permissionChange) checkPresent(expected *string, present, shown string, by domain.ID) error {
	if expected == nil || *expected == present {
		return nil
	}
	stale := domain.Errorf(domain.StaleVersion, "The present value is now %s.", shown).
		WithDetail("reason", "present_value")
	if by != domain.NoID && by != p.actor.UserID {
		person, err := p.tx.User(p.ctx, by)
		if err != nil {
			return err
		}
		stale = domain.Errorf(domain.StaleVersion,
			"%s changed this to %s while you had the form open.", person.Name, shown).
			WithDetail("reason", "changed_by").WithDetail("by", person.Name)
	}
	return stale.WithRemedy("Check the present value, then send your change again.").
		WithDetail("present", shown)
}

// checkExpectedSet is checkPresent for a list whose order does not matter.
func (p *permissionChange) checkExpectedSet(expected, present []string, by domain.ID) error {
	if expected == nil {
		return nil
	}
	text := func(all []string) string {
		return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), ", ")
	}
	shown := text(present)
	if shown == "" {
		shown = "empty"
	}
	return p.checkPresent(textOf(&expected, text), text(present), shown, by)
}

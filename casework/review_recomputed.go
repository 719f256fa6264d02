package casework

import (
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// stateRecomputed says in the event of a correction which new findings do not come from the corrected values:
// those that the case would have today without them, because other documents, rates or the date have changed
// since its rules were evaluated last. Otherwise a person who only confirms a value seems to raise the risk.
func (c *command) stateRecomputed(event int, before []domain.Field) error {
	stored, err := c.storedFindings()
	if err != nil {
		return err
	}
	var added []string
	for _, finding := range allFindings(c.change.StageFindings) {
		if !slices.ContainsFunc(stored, func(known store.CaseFinding) bool {
			return known.Finding.Rule == finding.Rule
		}) {
			added = append(added, finding.Rule)
		}
	}
	if len(added) == 0 { // most corrections: the rules need not be evaluated for the earlier values
		return nil
	}
	history, err := c.assertedBefore()
	if err != nil {
		return err
	}
	inputs, err := c.ruleInputsOf(c.before, before, history)
	if err != nil {
		return err
	}
	without, _, err := c.evaluateStages(c.before, inputs)
	if err != nil {
		return err
	}
	unchanged := allFindings(without)
	added = slices.DeleteFunc(added, func(rule string) bool {
		return !slices.ContainsFunc(unchanged, func(f domain.Finding) bool { return f.Rule == rule })
	})
	body, ok := c.bodies[event].(generated.FieldsCorrectedV1)
	if len(added) == 0 || !ok {
		return nil
	}
	earlier, later := int64(c.before.Risk), int64(c.change.Case.Risk)
	body.Recomputed, body.RiskBefore, body.RiskAfter = slices.Compact(added), &earlier, &later
	c.bodies[event] = body
	return nil
}

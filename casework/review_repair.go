package casework

import (
	"slices"
	"strings"

	"countersign/audit"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// checkVerdict refuses a verdict that the review's node does not offer, and a repair while a needed
// fact is missing.
func (c *command) checkVerdict(review domain.Review, verdict domain.Verdict) error {
	node, ok := c.def.Node(review.Node)
	if ok && !slices.Contains(node.Verdicts(), verdict) {
		return domain.Invalid("verdict", "This review does not accept the verdict %q.", verdict).
			WithRemedy("Choose one of the verdicts that the review offers.")
	}
	if verdict != domain.Repaired || len(c.before.Missing) == 0 {
		return nil
	}
	missing := strings.Join(c.before.Missing, ", ")
	return domain.Errorf(domain.ValidationFailed, "These values are still missing: %s.", missing).
		WithDetail("reason", "missing_facts").WithDetail("facts", missing).
		WithRemedy("Name them, or return the case to the submitter.")
}

// checkUndetermined refuses to state that a value cannot be determined, except in a repair and for a
// fact that is missing: elsewhere a value could be removed that way without a second person.
func (c *command) checkUndetermined(review domain.Review, inputs []FieldInput) error {
	for _, input := range inputs {
		reason := strings.TrimSpace(input.Undetermined)
		switch {
		case input.Undetermined == "":
		case reason == "":
			return domain.Invalid(input.Name, "A reason is required.")
		case domain.Longer(reason, maxUndetermined):
			return tooLong("reason", maxUndetermined)
		case strings.TrimSpace(input.Value) != "":
			return domain.Invalid(input.Name,
				"A value cannot be given together with the reason why there is none.")
		case !review.Repairs() || !slices.ContainsFunc(c.before.Missing,
			func(fact string) bool { return domain.FieldOfFact(fact) == input.Name }):
			return domain.Errorf(domain.NotPermitted,
				"Only a missing value can be marked as impossible to determine, in the repair queue.").
				WithRemedy("Correct the value, or remove it.")
		}
	}
	return nil
}

// maxUndetermined bounds the reason why a value cannot be determined, in characters.
const maxUndetermined = 500

// emitDecision emits the event of a decision. A repair has its own, because it is no approval.
func (c *command) emitDecision(review domain.Review, decision *domain.Decision) error {
	if c.hidden {
		return c.emitHiddenVote(decision)
	}
	frozen, err := evidenceEvent(decision.Evidence)
	if err != nil {
		return err
	}
	signature, err := signatureEvent(decision.Signature)
	if err != nil {
		return err
	}
	if decision.Verdict == domain.Repaired {
		c.emit(generated.ReviewRepairedV1{ReviewID: review.ID,
			Evidence: generated.ReviewRepairedV1Evidence(frozen)})
		return nil
	}
	if decision.Verdict == domain.Abstain {
		c.emit(generated.ReviewDecidedV2{ReviewID: review.ID, Verdict: string(decision.Verdict),
			Reason: decision.Reason, Evidence: generated.ReviewDecidedV2Evidence(frozen)})
		return nil
	}
	c.emit(generated.ReviewDecidedV1{ReviewID: review.ID, Verdict: string(decision.Verdict),
		Reason: decision.Reason, Evidence: frozen, Signature: signature,
		Unchecked: decision.ApprovedUnchecked()})
	return nil
}

// evidenceEvent returns what an event says about the evidence of a decision.
func evidenceEvent(evidence domain.Evidence) (generated.ReviewDecidedV1Evidence, error) {
	hash, err := audit.EvidenceHash(evidence)
	definition, revision := int64(evidence.DefinitionVersion), int64(evidence.DocumentRevision)
	return generated.ReviewDecidedV1Evidence{DefinitionVersion: &definition,
		DocumentRevision: &revision, DocumentSHA256: evidence.DocumentSHA256,
		EvidenceSHA256: hash, FactsRevision: evidence.FactsRevision,
		PolicyVersion: evidence.PolicyVersion}, err
}

// ownCountry reports whether the actor named a country that was missing and that neither the page
// nor the machine shows.
func (c *command) ownCountry(after, read []domain.Field, set domain.AssertionSet) bool {
	named := fieldValue(after, domain.FieldCountry)
	return named != "" && slices.Contains(c.before.Unstated, domain.FactCountry) &&
		slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool {
			return a.Field == domain.FieldCountry && a.Value == named
		}) && !onPage(set, domain.FieldCountry) && fieldValue(read, domain.FieldCountry) != named
}

// copiedAmount returns the amount of the case as its reviews copy it: zero where no limit applies.
func copiedAmount(
	c *domain.Case, def *workflow.Definition, duty string,
) (baseMinor int64, known bool) {
	if !def.LimitsApply(duty) {
		return 0, true
	}
	return c.BaseMinor, c.AmountKnown
}

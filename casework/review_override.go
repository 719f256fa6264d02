package casework

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
)

// OverrideInput is why a finding does not stop an approval.
type OverrideInput struct {
	Rule   string
	Reason string
}

// OverrideFindings asks to state why findings do not stop an approval, without deciding.
type OverrideFindings struct {
	ReviewTarget
	Overrides []OverrideInput
}

// OverrideFindings states why findings of a claimed review do not stop an approval. If one of them
// needs a second person who has not stated it yet, the review is released and another reviewer
// decides, because otherwise both statements could come from the reviewer who approves.
func (svc *Service) OverrideFindings(
	ctx context.Context, actor domain.Actor, in OverrideFindings,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "override", domain.ActDecide); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "override", in.ReviewTarget, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeAtVersion(domain.ActDecide, review, in.ExpectedVersion); err != nil {
				return ReviewResult{}, err
			}
			if len(in.Overrides) == 0 {
				return ReviewResult{}, domain.Invalid("overrides", "Name at least one finding.")
			}
			if err := checkOverrideInputs(in.Overrides, domain.Approve); err != nil {
				return ReviewResult{}, err
			}
			findings, err := c.storedFindings()
			if err != nil {
				return ReviewResult{}, err
			}
			requirements, err := c.overrideFindings(review, findingsByStage(findings),
				in.Overrides)
			if err != nil {
				return ReviewResult{}, err
			}
			if !slices.ContainsFunc(requirements, func(r domain.ApprovalRequirement) bool {
				return r.Override == domain.OverrideSecondPerson && !r.Satisfied &&
					c.hasOverridden(r)
			}) {
				return c.reviewResult(c.editReview(review)), nil
			}
			if err := c.requireOtherOverrider(review); err != nil {
				return ReviewResult{}, err
			}
			c.recordInterest(domain.InterestOverride)
			return c.reviewResult(c.releaseReview(review, "conflict")), nil
		})
}

// hasOverridden reports whether the actor, or the delegator, has overridden the finding.
func (c *command) hasOverridden(r domain.ApprovalRequirement) bool {
	return slices.ContainsFunc(r.Given, func(o domain.FindingOverride) bool {
		return slices.ContainsFunc(c.persons,
			func(person domain.User) bool { return slices.Contains(o.Persons(), person.ID) })
	})
}

func checkOverrideInputs(inputs []OverrideInput, verdict domain.Verdict) error {
	if len(inputs) > 0 && verdict != domain.Approve {
		return domain.Invalid("overrides", "Findings are overridden only by an approval.")
	}
	for i, input := range inputs {
		if strings.TrimSpace(input.Reason) == "" {
			return domain.Invalid("overrides", "Each overridden finding needs a reason.")
		}
		if domain.Longer(input.Reason, maxCaseReason) {
			return tooLong("overrides", maxCaseReason)
		}
		if err := domain.CheckExplanation("overrides", input.Reason); err != nil {
			return err
		}
		if slices.ContainsFunc(inputs[:i],
			func(other OverrideInput) bool { return other.Rule == input.Rule }) {
			return domain.Invalid("overrides", "The finding %q is named twice.", input.Rule)
		}
	}
	return nil
}

// overrideFindings records the overrides of the actor and returns what all findings then require of
// an approval.
func (c *command) overrideFindings(
	review domain.Review, findings map[string][]domain.Finding, inputs []OverrideInput,
) ([]domain.ApprovalRequirement, error) {
	requirements, err := c.requirements(review, findings)
	if err != nil {
		return nil, err
	}
	for _, input := range inputs {
		known := false
		for _, needs := range requirements {
			if needs.Rule != input.Rule {
				continue
			}
			known = true
			if !c.hasOverridden(needs) {
				c.overrideFinding(review, needs, strings.TrimSpace(input.Reason))
			}
		}
		if !known {
			return nil, domain.Invalid("overrides",
				"The case has no finding %q that needs an override.", input.Rule).
				WithRemedy("Reload the review.")
		}
	}
	if len(c.change.Overrides) == 0 {
		return requirements, nil
	}
	return c.requirements(review, findings)
}

// overrideFinding records one override of the actor.
func (c *command) overrideFinding(review domain.Review, needs domain.ApprovalRequirement, reason string) {
	override := domain.FindingOverride{CaseID: c.before.ID, ID: domain.NewID(), Rule: needs.Rule,
		FindingHash: needs.FindingHash, ReviewID: review.ID, Person: c.actor.UserID,
		OnBehalfOf: c.actor.OnBehalfOf, Reason: reason, At: c.now, OtherAccounts: c.otherAccountIDs()}
	c.change.Overrides = append(c.change.Overrides, override)
	if c.hidden { // vote.disclosed has it
		return
	}
	c.emit(generated.FindingOverriddenV1{ReviewID: review.ID, Rule: override.Rule,
		Reason: reason, FindingSHA256: hex.EncodeToString(override.FindingHash[:])})
}

// requirements returns what the findings of the case require of an approval in the review, with the
// overrides of this command.
func (c *command) requirements(
	review domain.Review, findings map[string][]domain.Finding,
) ([]domain.ApprovalRequirement, error) {
	given, err := c.overridesKnown(review)
	if err != nil {
		return nil, err
	}
	var requirements []domain.ApprovalRequirement
	approvedIn := []string{review.Queue}
	for _, stage := range slices.Sorted(maps.Keys(findings)) {
		for _, finding := range findings[stage] {
			rule, err := rules.RuleOf(c.svc.ruleSets.compiled, finding, c.tx.RuleSetText(c.ctx))
			if err != nil {
				return nil, err
			}
			if rule != nil && rule.Override == domain.OverrideQueue && len(approvedIn) == 1 {
				if approvedIn, err = c.approvedQueues(review); err != nil {
					return nil, err
				}
			}
			if needs, any := rules.RequirementOf(finding, rule, given, approvedIn); any {
				requirements = append(requirements, needs)
			}
		}
	}
	return requirements, nil
}

// overridesKnown returns the overrides of the case with those of this command, and those that the actor made
// by hidden votes, which stay valid when the votes are revoked. A refusal that depends on those of others
// would show how they voted.
func (c *command) overridesKnown(review domain.Review) ([]domain.FindingOverride, error) {
	given, err := c.tx.Overrides(c.ctx, c.before.ID)
	if err != nil {
		return nil, err
	}
	if c.hidesVote(review, domain.Approve) {
		hidden, err := c.tx.OverridesOfHiddenVotes(c.ctx, c.before.ID)
		if err != nil {
			return nil, err
		}
		for _, override := range hidden {
			if override.Person == c.actor.UserID {
				given = append(given, override)
			}
		}
	}
	return append(given, c.change.Overrides...), nil
}

// approvedQueues returns the queues in which a vote on the case counts, and that of the review.
func (c *command) approvedQueues(review domain.Review) ([]string, error) {
	cast, err := c.castVotes()
	if err != nil {
		return nil, err
	}
	fields, err := c.storedFields()
	if err != nil {
		return nil, err
	}
	present := coverageOf(c.def, c.before,
		func(name string) string { return fieldValue(fields, name) })
	queues := []string{review.Queue}
	for _, other := range cast.reviews {
		if cast.decided(other) && cast.counts(&c.change, other, present) {
			queues = append(queues, other.Queue)
		}
	}
	return queues, nil
}

// requireOverrides records the overrides of an approval and refuses it while a finding stops it. The
// reason of the approval also counts for each finding that needs a reason and has none of its own.
// It returns the ids of all overrides on which the approval rests.
func (c *command) requireOverrides(
	review domain.Review, findings map[string][]domain.Finding, inputs []OverrideInput,
	reason string,
) ([]domain.ID, error) {
	if len(findings) == 0 && len(inputs) == 0 {
		return nil, nil
	}
	requirements, err := c.overrideFindings(review, findings, inputs)
	if err != nil {
		return nil, err
	}
	for i, needs := range requirements {
		if needs.Override == domain.OverrideReason && !needs.Satisfied && reason != "" {
			c.overrideFinding(review, needs, reason)
			needs.Given = c.change.Overrides[len(c.change.Overrides)-1:]
			needs.Satisfied = true
			requirements[i] = needs
		}
	}
	var restsOn []domain.ID
	open := map[domain.Override][]domain.ApprovalRequirement{}
	for _, needs := range requirements {
		for _, override := range needs.Given {
			restsOn = append(restsOn, override.ID)
		}
		if !needs.Satisfied {
			open[needs.Override] = append(open[needs.Override], needs)
		}
	}
	return restsOn, approvalStopped(open)
}

// stops are the errors of an approval that findings stop, the most severe first.
var stops = []struct {
	override        domain.Override
	code            domain.Code
	message, remedy string
}{
	{domain.OverrideNever, domain.ValidationFailed,
		"The document cannot be approved with these findings: %s.",
		"Correct the values, or return or reject the document."},
	{domain.OverrideQueue, domain.FourEyes,
		"Another queue has to approve the document first because of these findings: %s.",
		"Escalate, return or reject the document."},
	{domain.OverrideSecondPerson, domain.FourEyes,
		"Two reviewers have to state why these findings do not stop the approval: %s.",
		"State your reason and pass the review on, or return or reject the document."},
	{domain.OverrideReason, domain.ValidationFailed,
		"The approval needs a reason for each of these findings: %s.",
		"Enter the reasons, or return or reject the document."},
}

func approvalStopped(open map[domain.Override][]domain.ApprovalRequirement) error {
	for _, stop := range stops {
		if len(open[stop.override]) == 0 {
			continue
		}
		var titles, ids []string
		for _, needs := range open[stop.override] {
			titles, ids = append(titles, needs.Title), append(ids, needs.Rule)
		}
		stopped := domain.Errorf(stop.code, stop.message, strings.Join(titles, ", ")).
			WithRemedy("%s", stop.remedy).WithDetail("reason", "override_"+string(stop.override)).
			WithDetail("rules", strings.Join(ids, ","))
		stopped.Field = "overrides"
		return stopped
	}
	return nil
}

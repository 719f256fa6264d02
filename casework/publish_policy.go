package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// PolicyKey is the key of the policy in proposals; there is only one policy.
const PolicyKey = "policy"

// policyPublishable implements publishable for the policy.
type policyPublishable struct {
	selfContained
	svc *Service
	// authority is the version of the permissions for which the effect was checked, 0 if it was not.
	authority int64
}

func (policyPublishable) kind() domain.ProposalKind { return domain.ProposePolicy }

func (policyPublishable) stream(string) domain.SystemStream { return domain.PolicyStream }

func (policyPublishable) parseKey(document string) (string, validationResult) {
	if _, faults := authz.ParseDocument([]byte(document)); len(faults) > 0 {
		return "", refusedPolicy(faults)
	}
	return PolicyKey, validationResult{}
}

// refusedPolicy returns the refusal of a policy, with a problem for each faulty rule.
func refusedPolicy(faults []authz.Problem) validationResult {
	result := validationResult{}
	for _, fault := range faults {
		result.Report.Problems = append(result.Report.Problems,
			workflow.Problem{Rule: fault.Check, Node: fault.Rule, Message: fault.Message,
				Values: fault.Values})
	}
	err := domain.Errorf(domain.InvalidExpression, "The policy was refused: %s",
		result.Report.Problems[0])
	if more := len(faults) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "document"
	result.Refusal = err.WithRemedy("Correct the rules and check them again.")
	return result
}

func (policyPublishable) withVersion(document string, version int) string {
	parsed, faults := authz.ParseDocument([]byte(document))
	if len(faults) > 0 || parsed.Version != 0 && parsed.Version != int64(version) {
		return document // validate refuses it, because it names another version
	}
	parsed.Version = int64(version)
	text, err := parsed.Text()
	if err != nil {
		return document
	}
	return text
}

// validate compiles every rule and checks that its roles exist and that enough people remain who
// can change the policy again.
func (p policyPublishable) validate(
	ctx context.Context, r store.Reader, document string,
) (validationResult, error) {
	parsed, faults := authz.ParseDocument([]byte(document))
	roles, err := r.Roles(ctx)
	if err != nil {
		return validationResult{}, err
	}
	for _, rule := range parsed.Rules {
		if !slices.ContainsFunc(roles,
			func(known store.Role) bool { return known.Name == rule.Role }) {
			faults = append(faults,
				authz.Problem{Rule: rule.Name, Message: fmt.Sprintf(unknownRole, rule.Role),
					Check: "policy_no_role", Values: map[string]string{"role": string(rule.Role)}})
		}
	}
	faults = append(faults, authz.Check(parsed.Rules)...)
	limitFaults, stale, err := p.svc.limitFaults(ctx, r, roles, parsed.Limits)
	if err != nil {
		return validationResult{}, err
	}
	if faults = append(faults, limitFaults...); len(faults) > 0 {
		refused := refusedPolicy(faults)
		if stale && len(faults) == len(limitFaults) {
			refused.Refusal = staleLimit(faults[0].Rule, faults[0].Values["now"])
		}
		return refused, nil
	}
	authorizer, err := authz.New(parsed.Policy())
	if err != nil {
		return validationResult{}, err
	}
	people, err := r.Users(ctx, nil)
	if err != nil {
		return validationResult{}, err
	}
	if faults = missingHolders(authorizer, people); len(faults) > 0 {
		return refusedPolicy(faults), nil
	}
	result := validationResult{key: PolicyKey, version: int(parsed.Version)}
	result.Report.Warnings, err = p.svc.unknownQueues(ctx, r, parsed.Rules, people)
	if len(result.Report.Warnings) > 0 {
		result.Caution = result.Report.Warnings[0].Message
	}
	return result, err
}

// missingHolders returns a fault for each action for which too few people would remain.
func missingHolders(authorizer *authz.Authority, people []domain.User) (faults []authz.Problem) {
	for action, required := range requiredHolders {
		holders := len(distinctPeople(slices.DeleteFunc(slices.Clone(people),
			func(person domain.User) bool {
				_, refused := authorizer.AuthorizeGlobal(person, action)
				return refused != nil
			})))
		if holders < required {
			faults = append(faults, authz.Problem{
				Message: fmt.Sprintf("Only %d people would have the right to %s; %d are required, "+
					"otherwise the policy could never be changed again.",
					holders, action, required),
				Check: "policy_too_few_" + string(action),
				Values: map[string]string{
					"left": fmt.Sprint(holders), "least": fmt.Sprint(required)},
			})
		}
	}
	return faults
}

// unknownQueues returns a warning for each queue that a new condition names and that does not exist: no
// published process has reviews in it, and no person works in it. It may be a typing error, or the
// queue of a process whose proposal has to be published first.
func (svc *Service) unknownQueues(
	ctx context.Context, r store.Reader, rules []authz.Rule, people []domain.User,
) ([]workflow.Problem, error) {
	definitions, err := svc.newestDefinitions(ctx, r)
	if err != nil {
		return nil, err
	}
	known := domain.ConfidentialQueues()
	for _, def := range definitions {
		for _, node := range def.Reviews() {
			known = append(known, node.Queue)
		}
	}
	for _, person := range people {
		known = append(known, person.Queues...)
	}
	current, err := svc.Authorizer(ctx)
	if err != nil {
		return nil, err
	}
	var warnings []workflow.Problem
	for _, rule := range rules {
		if current.HasCondition(rule.Condition) {
			continue
		}
		for _, queue := range rule.QueuesNamed() {
			if slices.Contains(known, queue) {
				continue
			}
			warnings = append(warnings, workflow.Problem{Rule: "policy_unknown_queue", Node: rule.Name,
				Message: fmt.Sprintf("The rule %q names the queue %s, in which there are no reviews yet. "+
					"Publish the process with this queue first, or correct the name.", rule.Name, queue),
				Values: map[string]string{"rule": rule.Name, "queue": queue}})
		}
	}
	return warnings, nil
}

// requiredHolders lists the actions that must stay possible and the number of people required for
// each; publishing requires two.
var requiredHolders = map[domain.Action]int{domain.ActPublish: 2, domain.ActManagePeople: 1}

func (policyPublishable) newestVersion(ctx context.Context, r store.Reader, _ string) (int, error) {
	version, _, err := r.Policy(ctx)
	if domain.HasCode(err, domain.NotFound) {
		return 0, nil
	}
	return int(version), err
}

func (policyPublishable) document(
	ctx context.Context, r store.Reader, key string, version int,
) (string, error) {
	row, err := r.PolicyVersion(ctx, int64(version))
	if err != nil || key != PolicyKey {
		return "", notFoundOrNotYours(domain.Errorf(domain.NotFound, ""), "policy version")
	}
	document := authz.Document{}
	if err := json.Unmarshal(row.Rules, &document.Rules); err != nil {
		return "", fmt.Errorf("casework: policy version %d: %w", version, err)
	}
	return document.Text()
}

// publish adds the version and increments the authority version, so every process applies it from
// the commit on.
func (policyPublishable) publish(
	ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID,
) (bool, error) {
	parsed, faults := authz.ParseDocument([]byte(p.Document))
	if len(faults) > 0 {
		return false, refusedPolicy(faults).Refusal
	}
	rules, err := json.Marshal(parsed.Rules)
	if err != nil {
		return false, err
	}
	if _, err := tx.IncrementAuthority(ctx); err != nil {
		return false, err
	}
	return true, tx.PublishPolicy(ctx, int64(p.Base+1), rules, by, p.ID)
}

// eventTranslator is implemented by a publishable whose stream has its own event types.
type eventTranslator interface {
	translateEvent(body events.Body, document string) events.Body
}

// translateEvents translates the common proposal events into the event types of the publishable.
func translateEvents(
	ctx context.Context, tx *store.Tx, s publishable, bodies []events.Body, result *ProposalResult,
) []events.Body {
	translator, ok := s.(eventTranslator)
	if !ok {
		return bodies
	}
	proposal, err := tx.Proposal(ctx, result.ProposalID)
	if err != nil {
		return bodies
	}
	translated := make([]events.Body, 0, len(bodies))
	for _, body := range bodies {
		translated = append(translated, translator.translateEvent(body, proposal.Document))
	}
	return translated
}

// translateEvent translates a proposal event into the event type of the policy stream.
func (policyPublishable) translateEvent(body events.Body, document string) events.Body {
	parsed, _ := authz.ParseDocument([]byte(document))
	rules := int64(len(parsed.Rules))
	switch event := body.(type) {
	case generated.DefinitionProposedV1:
		return generated.PolicyProposedV1{ProposalID: event.ProposalID,
			BaseVersion: max(event.Base, 1), Restores: event.RestoredFrom, Rules: rules,
			SHA256: event.SHA256, Reason: event.Note}
	case generated.DefinitionPublishedV2:
		return generated.PolicyPublishedV1{PolicyVersion: event.DefinitionVersion,
			ProposedBy: event.ProposedBy, Rules: rules, SHA256: event.SHA256,
			Rehearsed: event.Rehearsed, Rehearsals: event.Rehearsals}
	case generated.DefinitionWithdrawnV1:
		return generated.PolicyWithdrawnV1{ProposalID: event.ProposalID, Reason: event.Reason}
	}
	return body
}

// ProposePolicy proposes rules as the next version of the policy.
func (svc *Service) ProposePolicy(
	ctx context.Context, actor domain.Actor, in Propose,
) (ProposalResult, error) {
	return svc.propose(ctx, actor, policyPublishable{svc: svc}, in, 0)
}

// RestorePolicy proposes an earlier version of the policy as the next one.
func (svc *Service) RestorePolicy(
	ctx context.Context, actor domain.Actor, in Restore,
) (ProposalResult, error) {
	in.Key = PolicyKey
	return svc.restore(ctx, actor, policyPublishable{svc: svc}, in)
}

// PublishPolicy publishes another administrator's proposal. It takes effect at the commit in every
// process.
func (svc *Service) PublishPolicy(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.publish(ctx, actor, policyPublishable{svc: svc}, in)
}

// WithdrawPolicy ends a proposal without publishing it.
func (svc *Service) WithdrawPolicy(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, policyPublishable{svc: svc}, in)
}

// CheckPolicy validates a policy without storing it and returns its problems.
func (svc *Service) CheckPolicy(
	ctx context.Context, actor domain.Actor, document string,
) ([]workflow.Problem, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, err
	}
	if _, refused := (policyPublishable{svc: svc}).parseKey(document); refused.Refusal != nil {
		return refused.Report.Problems, nil
	}
	result, err := policyPublishable{svc: svc}.validate(ctx, svc.db.Reader(), document)
	return result.Report.Problems, err
}

// newestDefinitions returns the newest version of each process.
func (svc *Service) newestDefinitions(
	ctx context.Context, r store.Reader,
) ([]*workflow.Definition, error) {
	rows, err := r.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var found []*workflow.Definition
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		def, err := svc.definitions.get(ctx, r, row.Key, row.Version)
		if err != nil {
			return nil, err
		}
		found = append(found, def)
	}
	return found, nil
}

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

// PolicyKey is the key of the one policy among what is proposed and published.
const PolicyKey = "policy"

// policyPublishable is the policy as a publishable (see publish_proposals.go).
type policyPublishable struct{ svc *Service }

func (policyPublishable) kind() domain.ProposalKind { return domain.ProposePolicy }

func (policyPublishable) stream(string) domain.SystemStream { return domain.PolicyStream }

func (policyPublishable) parseKey(document string) (string, validationResult) {
	if _, faults := authz.ParseDocument([]byte(document)); len(faults) > 0 {
		return "", refusedPolicy(faults)
	}
	return PolicyKey, validationResult{}
}

// refusedPolicy is a policy with faults, each told as a problem of its rule.
func refusedPolicy(faults []authz.Problem) validationResult {
	judged := validationResult{}
	for _, fault := range faults {
		judged.Report.Problems = append(judged.Report.Problems, workflow.Problem{Rule: fault.Check, Node: fault.Rule, Message: fault.Message, Values: fault.Values})
	}
	err := domain.Errorf(domain.InvalidExpression, "The policy is refused: %s", judged.Report.Problems[0])
	if more := len(faults) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "document"
	judged.Refusal = err.WithRemedy("Correct the rules and check them again.")
	return judged
}

func (policyPublishable) withVersion(document string, version int) string {
	parsed, faults := authz.ParseDocument([]byte(document))
	if len(faults) > 0 || parsed.Version != 0 && parsed.Version != int64(version) {
		return document // refused by what follows: it names another version
	}
	parsed.Version = int64(version)
	text, err := parsed.Text()
	if err != nil {
		return document
	}
	return text
}

// validate compiles every rule and asks that its roles are known and that enough people are left to change it again.
func (p policyPublishable) validate(ctx context.Context, r store.Reader, document string) (validationResult, error) {
	parsed, faults := authz.ParseDocument([]byte(document))
	roles, err := r.Roles(ctx)
	if err != nil {
		return validationResult{}, err
	}
	for _, rule := range parsed.Rules {
		if !slices.ContainsFunc(roles, func(known store.Role) bool { return known.Name == rule.Role }) {
			faults = append(faults, authz.Problem{Rule: rule.Name, Message: fmt.Sprintf("There is no role %q.", rule.Role),
				Check: "policy_no_role", Values: map[string]string{"role": string(rule.Role)}})
		}
	}
	faults = append(faults, authz.Check(parsed.Rules)...)
	if len(faults) > 0 {
		return refusedPolicy(faults), nil
	}
	authorizer, err := authz.New(authz.Policy(parsed))
	if err != nil {
		return validationResult{}, err
	}
	people, err := r.Users(ctx, nil)
	if err != nil {
		return validationResult{}, err
	}
	left := map[domain.Action]int{}
	for _, person := range people {
		for action := range requiredHolders {
			if _, err := authorizer.AuthorizeGlobal(person, action); err == nil {
				left[action]++
			}
		}
	}
	for action, least := range requiredHolders {
		if left[action] < least {
			faults = append(faults, authz.Problem{Message: fmt.Sprintf("Only %d people could %s by these rules; %d are needed, or nobody could ever change them again.",
				left[action], action, least), Check: "policy_too_few_" + string(action), Values: map[string]string{"left": fmt.Sprint(left[action]), "least": fmt.Sprint(least)}})
		}
	}
	if len(faults) > 0 {
		return refusedPolicy(faults), nil
	}
	return validationResult{key: PolicyKey, version: int(parsed.Version)}, nil
}

// requiredHolders are the actions that have to stay possible, and for how many people: publishing takes two.
var requiredHolders = map[domain.Action]int{domain.ActPublish: 2, domain.ActManagePeople: 1}

func (policyPublishable) newestVersion(ctx context.Context, r store.Reader, _ string) (int, error) {
	version, _, err := r.Policy(ctx)
	if domain.HasCode(err, domain.NotFound) {
		return 0, nil
	}
	return int(version), err
}

func (policyPublishable) document(ctx context.Context, r store.Reader, key string, version int) (string, error) {
	row, err := r.PolicyVersion(ctx, int64(version))
	if err != nil || key != PolicyKey {
		return "", notFoundOrNotYours(domain.Errorf(domain.NotFound, ""), "version of the policy")
	}
	document := authz.Document{}
	if err := json.Unmarshal(row.Rules, &document.Rules); err != nil {
		return "", fmt.Errorf("casework: policy version %d: %w", version, err)
	}
	return document.Text()
}

// publish adds the version and raises the authority: from the commit on every process judges by it.
func (policyPublishable) publish(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error) {
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

// eventTranslator is a subject that tells the facts of its life by types of its own.
type eventTranslator interface {
	translateEvent(body events.Body, document string) events.Body
}

// translateEvents are the facts of a life as their subject tells them.
func translateEvents(ctx context.Context, tx *store.Tx, s publishable, bodies []events.Body, result *ProposalResult) []events.Body {
	own, ok := s.(eventTranslator)
	if !ok {
		return bodies
	}
	proposal, err := tx.Proposal(ctx, result.ProposalID)
	if err != nil {
		return bodies
	}
	told := make([]events.Body, 0, len(bodies))
	for _, body := range bodies {
		told = append(told, own.translateEvent(body, proposal.Document))
	}
	return told
}

// translateEvent words the life's facts as facts of the policy's stream.
func (policyPublishable) translateEvent(body events.Body, document string) events.Body {
	parsed, _ := authz.ParseDocument([]byte(document))
	rules := int64(len(parsed.Rules))
	switch told := body.(type) {
	case generated.DefinitionProposedV1:
		return generated.PolicyProposedV1{ProposalID: told.ProposalID, BaseVersion: max(told.Base, 1), Restores: told.RestoredFrom, Rules: rules,
			SHA256: told.SHA256, Reason: told.Note}
	case generated.DefinitionPublishedV2:
		return generated.PolicyPublishedV1{PolicyVersion: told.DefinitionVersion, ProposedBy: told.ProposedBy, Rules: rules, SHA256: told.SHA256}
	case generated.DefinitionWithdrawnV1:
		return generated.PolicyWithdrawnV1{ProposalID: told.ProposalID, Reason: told.Reason}
	}
	return body
}

// ProposePolicy asks that rules become the next version of the policy.
func (svc *Service) ProposePolicy(ctx context.Context, actor domain.Actor, in Propose) (ProposalResult, error) {
	return svc.propose(ctx, actor, policyPublishable{svc}, in, 0)
}

// RestorePolicy proposes an earlier version of the policy as its newest.
func (svc *Service) RestorePolicy(ctx context.Context, actor domain.Actor, in Restore) (ProposalResult, error) {
	in.Key = PolicyKey
	return svc.restore(ctx, actor, policyPublishable{svc}, in)
}

// PublishPolicy publishes another administrator's proposal; it holds from the commit on, in every process.
func (svc *Service) PublishPolicy(ctx context.Context, actor domain.Actor, in EndProposal) (ProposalResult, error) {
	return svc.publish(ctx, actor, policyPublishable{svc}, in)
}

// WithdrawPolicy ends a proposal without publishing it.
func (svc *Service) WithdrawPolicy(ctx context.Context, actor domain.Actor, in EndProposal) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, policyPublishable{svc}, in)
}

// CheckPolicy names what stands against rules, without keeping anything.
func (svc *Service) CheckPolicy(ctx context.Context, actor domain.Actor, document string) ([]workflow.Problem, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, err
	}
	if _, refused := (policyPublishable{svc}).parseKey(document); refused.Refusal != nil {
		return refused.Report.Problems, nil
	}
	judged, err := policyPublishable{svc}.validate(ctx, svc.db.Reader(), document)
	return judged.Report.Problems, err
}

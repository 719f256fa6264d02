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

// policies is the policy as a subject of the life that everything published has.
type policies struct{ hall *Hall }

func (policies) kind() domain.ProposalKind { return domain.ProposePolicy }

func (policies) stream(string) domain.SystemStream { return domain.PolicyStream }

func (policies) keyOf(document string) (string, judgedText) {
	if _, faults := authz.ParseDocument([]byte(document)); len(faults) > 0 {
		return "", refusedPolicy(faults)
	}
	return PolicyKey, judgedText{}
}

// refusedPolicy is a policy with faults, each told as a problem of its rule.
func refusedPolicy(faults []authz.Fault) judgedText {
	judged := judgedText{}
	for _, fault := range faults {
		judged.Report.Problems = append(judged.Report.Problems, workflow.Problem{Rule: fault.Check, Node: fault.Rule, Message: fault.Message, Values: fault.Values})
	}
	err := domain.Fail(domain.InvalidExpression, "The policy is refused: %s", judged.Report.Problems[0])
	if more := len(faults) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "document"
	judged.Refusal = err.WithWayOut("Correct the rules and check them again.")
	return judged
}

func (policies) withVersion(document string, version int) string {
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

// judge compiles every rule and asks that its roles are known and that enough people are left to change it again.
func (p policies) judge(ctx context.Context, r store.Reader, document string) (judgedText, error) {
	parsed, faults := authz.ParseDocument([]byte(document))
	roles, err := r.Roles(ctx)
	if err != nil {
		return judgedText{}, err
	}
	for _, rule := range parsed.Rules {
		if !slices.ContainsFunc(roles, func(known store.Role) bool { return known.Name == rule.Role }) {
			faults = append(faults, authz.Fault{Rule: rule.Name, Message: fmt.Sprintf("There is no role %q.", rule.Role),
				Check: "policy_no_role", Values: map[string]string{"role": string(rule.Role)}})
		}
	}
	faults = append(faults, authz.Check(parsed.Rules)...)
	if len(faults) > 0 {
		return refusedPolicy(faults), nil
	}
	judge, err := authz.New(authz.Policy(parsed))
	if err != nil {
		return judgedText{}, err
	}
	people, err := r.Users(ctx, nil)
	if err != nil {
		return judgedText{}, err
	}
	left := map[domain.Action]int{}
	for _, person := range people {
		for action := range lastingPowers {
			if _, err := judge.AuthorizePlain(person, action); err == nil {
				left[action]++
			}
		}
	}
	for action, least := range lastingPowers {
		if left[action] < least {
			faults = append(faults, authz.Fault{Message: fmt.Sprintf("Only %d people could %s by these rules; %d are needed, or nobody could ever change them again.",
				left[action], action, least), Check: "policy_too_few_" + string(action), Values: map[string]string{"left": fmt.Sprint(left[action]), "least": fmt.Sprint(least)}})
		}
	}
	if len(faults) > 0 {
		return refusedPolicy(faults), nil
	}
	return judgedText{of: PolicyKey, authored: int(parsed.Version)}, nil
}

// lastingPowers are the actions that have to stay possible, and for how many people: publishing takes two.
var lastingPowers = map[domain.Action]int{domain.ActPublish: 2, domain.ActManagePeople: 1}

func (policies) newest(ctx context.Context, r store.Reader, _ string) (int, error) {
	version, _, err := r.Policy(ctx)
	if domain.HasCode(err, domain.NotFound) {
		return 0, nil
	}
	return int(version), err
}

func (policies) text(ctx context.Context, r store.Reader, key string, version int) (string, error) {
	row, err := r.PolicyVersion(ctx, int64(version))
	if err != nil || key != PolicyKey {
		return "", noSuch(domain.Fail(domain.NotFound, ""), "version of the policy")
	}
	document := authz.Document{}
	if err := json.Unmarshal(row.Rules, &document.Rules); err != nil {
		return "", fmt.Errorf("casework: policy version %d: %w", version, err)
	}
	return document.Text()
}

// put adds the version and raises the authority: from the commit on every process judges by it.
func (policies) put(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error) {
	parsed, faults := authz.ParseDocument([]byte(p.Document))
	if len(faults) > 0 {
		return false, refusedPolicy(faults).Refusal
	}
	rules, err := json.Marshal(parsed.Rules)
	if err != nil {
		return false, err
	}
	if _, err := tx.RaiseAuthority(ctx); err != nil {
		return false, err
	}
	return true, tx.PublishPolicy(ctx, int64(p.Base+1), rules, by, p.ID)
}

// wording is a subject that tells the facts of its life by types of its own.
type wording interface {
	tells(body events.Body, document string) events.Body
}

// worded are the facts of a life as their subject tells them.
func worded(ctx context.Context, tx *store.Tx, s subject, bodies []events.Body, result *Proposed) []events.Body {
	own, ok := s.(wording)
	if !ok {
		return bodies
	}
	proposal, err := tx.Proposal(ctx, result.ProposalID)
	if err != nil {
		return bodies
	}
	told := make([]events.Body, 0, len(bodies))
	for _, body := range bodies {
		told = append(told, own.tells(body, proposal.Document))
	}
	return told
}

// tells words the life's facts as facts of the policy's stream.
func (policies) tells(body events.Body, document string) events.Body {
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
func (h *Hall) ProposePolicy(ctx context.Context, actor domain.Actor, in Propose) (Proposed, error) {
	return h.propose(ctx, actor, policies{h}, in, 0)
}

// RestorePolicy proposes an earlier version of the policy as its newest.
func (h *Hall) RestorePolicy(ctx context.Context, actor domain.Actor, in Restore) (Proposed, error) {
	in.Key = PolicyKey
	return h.restore(ctx, actor, policies{h}, in)
}

// PublishPolicy publishes another administrator's proposal; it holds from the commit on, in every process.
func (h *Hall) PublishPolicy(ctx context.Context, actor domain.Actor, in EndProposal) (Proposed, error) {
	return h.publish(ctx, actor, policies{h}, in)
}

// WithdrawPolicy ends a proposal without publishing it.
func (h *Hall) WithdrawPolicy(ctx context.Context, actor domain.Actor, in EndProposal) (Proposed, error) {
	return h.withdraw(ctx, actor, policies{h}, in)
}

// CheckPolicy names what stands against rules, without keeping anything.
func (h *Hall) CheckPolicy(ctx context.Context, actor domain.Actor, document string) ([]workflow.Problem, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		return nil, err
	}
	if _, refused := (policies{h}).keyOf(document); refused.Refusal != nil {
		return refused.Report.Problems, nil
	}
	judged, err := policies{h}.judge(ctx, h.db.Reader(), document)
	return judged.Report.Problems, err
}

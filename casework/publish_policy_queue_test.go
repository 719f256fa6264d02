package casework_test

import (
	"strings"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// Two administrators propose a process with a new queue and a policy that names the queue. The policy
// published first needs a confirmation that says why, and changes nothing without it.
func TestPolicyNamesQueueOfUnpublishedProcess(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	policy, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{
		Document: policyText(t, func(d *authz.Document) {
			d.Rules = append(d.Rules, authz.Rule{Name: "seniors decide in L9", Role: domain.RoleSenior,
				Action: domain.ActDecide, Object: authz.QueueReview, Condition: `review.queue == "L9"`})
		})})
	must(t, err)
	version := func() int64 {
		version, _, err := env.db.Reader().Policy(env.ctx)
		must(t, err)
		return version
	}
	before := version()
	end := casework.EndProposal{ProposalID: policy.ProposalID}
	_, err = env.svc.PublishPolicy(env.ctx, abe, end)
	wantCode(t, err, domain.ConfirmationNeeded)
	if !strings.Contains(err.Error(), "L9") || version() != before {
		t.Errorf("the refusal %v, version %d", err, version())
	}
	document := env.processDocument("document_approval", 1) + `  - id: unused
    kind: review
    queue: L9
    level: 2
    on: {approve: archive, reject: seal_rejected, return: validate}
`
	document = strings.Replace(document, "      approve: archive", "      approve: unused", 1)
	process, err := env.svc.ProposeProcess(env.ctx, abe, casework.Propose{Document: document})
	must(t, err)
	_, err = env.svc.PublishProcess(env.ctx, ada,
		casework.EndProposal{ProposalID: process.ProposalID, Confirm: true})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, abe, end)
	must(t, err)
	if version() != before+1 {
		t.Errorf("the policy has version %d", version())
	}
}

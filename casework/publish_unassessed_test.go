package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// The proposer of a process that pays or archives cases without an assessment cannot let it pass unseen: publishing
// is refused until the publisher confirms the sentence that names the route, however often it is sent.
func TestAnUnassessedProcessIsConfirmed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	for name, edit := range map[string][2]string{
		"without the step":    {"behaviour: assess", "behaviour: validate"},
		"behind the new file": {"on_replace: read", "on_replace: review_l1"},
	} {
		document := strings.Replace(env.processDocument("document_approval", 1), edit[0], edit[1], 1)
		document = strings.Replace(document, "key: document_approval",
			"key: unassessed_"+strings.ReplaceAll(name, " ", "_"), 1)
		command := casework.EndProposal{ProposalID: env.proposeProcess(ada, document)}
		for range 2 {
			_, err := env.svc.PublishProcess(env.ctx, abe, command)
			wantCode(t, err, domain.ConfirmationNeeded)
			if !strings.Contains(err.Error(), "risk of this document was not assessed") &&
				!strings.Contains(err.Error(), "duplicates, accounts and countries are not checked. Route: started, ") {
				t.Errorf("%s: the refusal says %v", name, err)
			}
		}
		command.Confirm, command.Key = true, name
		for range 2 {
			published, err := env.svc.PublishProcess(env.ctx, abe, command)
			must(t, err)
			if published.Version != 1 {
				t.Errorf("%s: version %d", name, published.Version)
			}
		}
	}
}

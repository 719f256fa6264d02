package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
)

// The finding about an account that several vendors use. The earlier case has it, too, when the document of the later
// vendor is read (ADR 0138).

func sharedAccounts(found []store.SharedAccount) []rules.SharedAccount {
	var shared []rules.SharedAccount
	for _, other := range found {
		shared = append(shared, rules.SharedAccount{Account: other.Account, Reference: other.Reference,
			Vendor: other.Vendor})
	}
	return shared
}

// changesAccounts reports whether the case has other accounts or another vendor after the transition.
func (t *transition) changesAccounts() bool {
	before, after := t.before, t.change.Case
	if len(after.Accounts) == 0 || after.PartyID == domain.NoID {
		return false
	}
	return t.change.New || before.PartyID != after.PartyID || !slices.Equal(before.Accounts, after.Accounts)
}

// evaluateSharedAccounts evaluates the open cases of other vendors that have an account of the case, so that their
// reviewers see it. The statement that wrote the accounts has requested it already; what fails here or is left out is
// done by the sweeper, and before an approval. If the same statement wrote findings, the rules did not see a case
// that was written at the same moment, so that the case itself is evaluated again if there is another vendor.
func (svc *Service) evaluateSharedAccounts(ctx context.Context, t *transition) {
	requested, err := svc.db.Autocommit().RequestAccountEvaluations(ctx, t.change.Case,
		len(t.change.StageFindings) > 0)
	svc.evaluateRequested(ctx, requested[:min(len(requested), maxEvaluatedPairs)], err)
}

package authz

import (
	"errors"
	"maps"

	"countersign/domain"
)

// Explanation is the policy's answer in words, with the values that may be shown to the person who asked.
type Explanation struct {
	Allowed       bool
	Rule          string      // the policy's rule, or the hard rule that stands in the way
	Code          domain.Code // "" when allowed
	Message       string
	WayOut        string
	Values        map[string]string // limit, amount, holder …; of a conflict nothing
	PolicyVersion int64
}

// Explain says whether and why the user may do the action on the review.
func (a *Authority) Explain(user domain.User, action domain.Action, facts domain.ReviewFacts) Explanation {
	return explain(a.Authorize(user, action, facts))
}

// ExplainCase is Explain for a case as such.
func (a *Authority) ExplainCase(user domain.User, action domain.Action, facts domain.CaseFacts) Explanation {
	return explain(a.AuthorizeCase(user, action, facts))
}

func explain(permit domain.Permit, err error) Explanation {
	said := Explanation{Allowed: permit.Allowed, Rule: permit.Rule, PolicyVersion: permit.PolicyVersion, Values: map[string]string{}}
	if err == nil {
		said.Message = "Allowed by the rule: " + permit.Rule + "."
		return said
	}
	said.Code, said.Message = domain.CodeOf(err), "The policy could not be asked."
	var reason *domain.Error
	if errors.As(err, &reason) {
		said.Message, said.WayOut = reason.Message, reason.Remedy
		maps.Copy(said.Values, reason.Detail)
	}
	return said
}

// Eligible returns, in their order, the users who may do the action on the review. Who holds it at the moment does not
// matter: of a claim or a decision it is everyone who could be given the review and do it; of an ended one, nobody.
func (a *Authority) Eligible(users []domain.User, action domain.Action, facts domain.ReviewFacts) []domain.User {
	e := a.snapshot.Load()
	var eligible []domain.User
	for i := range users {
		given := asAssignedTo(users[i].ID, action, facts)
		allowed, _, err := e.enforce(&request{actor: &users[i], objectKind: objectReview, review: &given}, action, hardRulesFor(action, objectReview))
		if err == nil && allowed {
			eligible = append(eligible, users[i])
		}
	}
	return eligible
}

// asAssignedTo is the review as it would be for the person once it was free for them to claim, or theirs to decide.
func asAssignedTo(person domain.ID, action domain.Action, facts domain.ReviewFacts) domain.ReviewFacts {
	if facts.Status != domain.ReviewOpen && facts.Status != domain.ReviewClaimed {
		return facts
	}
	switch hardRules := hardRulesFor(action, objectReview); {
	case hardRules&hardRuleClaimable != 0:
		facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
	case hardRules&hardRuleOwnLiveClaim != 0:
		facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewClaimed, person, true
	}
	return facts
}

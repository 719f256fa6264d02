package authz

import (
	"errors"
	"maps"
	"strings"

	"countersign/domain"
)

// Explanation is a decision of the policy in words, with the values that the user can see.
type Explanation struct {
	Allowed       bool
	Rule          string      // the policy rule or hard rule that decided
	Code          domain.Code // "" when allowed
	Message       string
	Remedy        string
	Values        map[string]string // limit, amount, holder …; none for a conflict of interest
	PolicyVersion int64
}

// Explain returns whether and why the user can or cannot do the action on the review.
func (a *Authority) Explain(
	user domain.User, action domain.Action, facts domain.ReviewFacts,
) Explanation {
	return explain(a.Authorize(user, action, facts))
}

// ExplainCase is Explain for an action on a case.
func (a *Authority) ExplainCase(
	user domain.User, action domain.Action, facts domain.CaseFacts,
) Explanation {
	return explain(a.AuthorizeCase(user, action, facts))
}

func explain(permit domain.Permit, err error) Explanation {
	explanation := Explanation{Allowed: permit.Allowed, Rule: permit.Rule,
		PolicyVersion: permit.PolicyVersion, Values: map[string]string{}}
	if err == nil {
		explanation.Message = "Allowed by the rule: " + permit.Rule + "."
		return explanation
	}
	explanation.Code, explanation.Message = domain.CodeOf(err), msgNotEvaluated
	var reason *domain.Error
	if errors.As(err, &reason) {
		explanation.Message, explanation.Remedy = reason.Message, reason.Remedy
		maps.Copy(explanation.Values, reason.Detail)
	}
	return explanation
}

// Eligible returns the users who can do the action on the review, in their order. The present
// assignee does not matter: for a claim or decision these are the users to whom the review could be
// assigned. An ended review has none. Of people for whom all hard rules hold and who have the same roles and
// queues Casbin decides once, unless a condition compares the user.
func (a *Authority) Eligible(
	users []domain.User, action domain.Action, facts domain.ReviewFacts,
) []domain.User {
	e := a.snapshot.Load()
	var eligible []domain.User
	hardRules, alike := hardRulesFor(action, objectReview), map[string]bool{}
	personal := e.personal[ruleTarget{action, objectReview}]
	for i := range users {
		assigned := asAssignedTo(users[i].ID, action, facts)
		req := &request{actor: &users[i], objectKind: objectReview, review: &assigned}
		if !req.holds(hardRules) {
			continue
		}
		key := ""
		if !personal {
			key = e.rolesKey(&users[i]) + "\n\n" + strings.Join(users[i].Queues, "\n")
		}
		allowed, known := alike[key]
		if !known || personal {
			var err error
			allowed, _, err = e.enforce(req, action, hardRules)
			allowed = allowed && err == nil
			alike[key] = allowed
		}
		if allowed {
			eligible = append(eligible, users[i])
		}
	}
	return eligible
}

// asAssignedTo returns the review as if the person could claim it or had claimed it, depending on
// the action.
func asAssignedTo(
	person domain.ID, action domain.Action, facts domain.ReviewFacts,
) domain.ReviewFacts {
	if facts.Status != domain.ReviewOpen && facts.Status != domain.ReviewClaimed {
		return facts
	}
	switch hardRules := hardRulesFor(action, objectReview); {
	case hardRules&hardRuleClaimable != 0:
		facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
		facts.Drawn = false
	case hardRules&hardRuleOwnLiveClaim != 0:
		facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewClaimed, person, true
	}
	return facts
}

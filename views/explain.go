package views

import (
	"context"
	"slices"
	"sync"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// Explanation states whether and why a user may act, and who else could.
type Explanation struct {
	Allowed        bool
	Rule           string
	Sentence       string
	Remedy         string
	Code           domain.Code
	Values         map[string]string // named in the sentence: limit, amount, holder, status, …
	PolicyVersion  int64
	EligiblePeople []domain.User
}

// AccessQuestion holds one review or case with the facts that the policy needs. They are read once
// and can answer any number of questions.
type AccessQuestion struct {
	viewer      viewer
	record      domain.Case
	reviewFacts *domain.ReviewFacts // nil if the question is about the case itself
	caseFacts   domain.CaseFacts
	redacted    bool // as in CaseView
	loadUsers   func() ([]domain.User, error)
	// approvalObstacle says why an approval would be refused although the viewer may decide.
	approvalObstacle func() (refusal, err error)
	afterApproval    func() (*AfterApproval, error) // nil for questions about the case
}

// ReviewAccessQuestion reads the facts for questions about a review. It returns NotFound if the
// actor may not read the case.
func (v *Views) ReviewAccessQuestion(ctx context.Context, actor domain.Actor, reviewID domain.ID) (
	*AccessQuestion, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	review, facts, c, err := v.reviewFacts(ctx, viewer, reviewID)
	if err != nil {
		return nil, err
	}
	return &AccessQuestion{viewer: viewer, record: c, reviewFacts: &facts,
		loadUsers: v.usersOnce(ctx), approvalObstacle: func() (error, error) {
			return v.approvalObstacle(ctx, viewer, c, review)
		}, afterApproval: func() (*AfterApproval, error) {
			return v.afterApproval(ctx, viewer, c, review)
		}}, nil
}

// CaseAccessQuestion reads the facts for questions about a case. It returns NotFound if the actor
// may not read the case.
func (v *Views) CaseAccessQuestion(ctx context.Context, actor domain.Actor, caseID domain.ID) (
	*AccessQuestion, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	c, facts, err := v.readable(ctx, viewer, caseID)
	if err != nil {
		return nil, err
	}
	seen, err := v.caseViewer(viewer).Case(ctx, c)
	return &AccessQuestion{viewer: viewer, record: c, caseFacts: facts, redacted: seen.Redacted,
		loadUsers: v.usersOnce(ctx)}, err
}

func (v *Views) usersOnce(ctx context.Context) func() ([]domain.User, error) {
	return sync.OnceValues(func() ([]domain.User, error) { return v.reader.Users(ctx, nil) })
}

// Explain reports whether the viewer may perform the action, why, and who else could. Submitters
// only learn that their document is being reviewed, or what concerns them about the case.
func (q *AccessQuestion) Explain(action domain.Action) (Explanation, error) {
	if q.reviewFacts == nil {
		return q.explainCase(action)
	}
	if action == domain.ActApprove {
		return q.explainApproval()
	}
	returns := action == domain.ActReturn
	if returns {
		action = domain.ActDecide
	}
	verdict := q.viewer.policy.Explain(q.viewer.user, action, *q.reviewFacts)
	if AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff {
		return Explanation{Rule: "in review", Sentence: "Your document is waiting for a decision.",
			Code: domain.NotPermitted, PolicyVersion: verdict.PolicyVersion}, nil
	}
	answer, err := q.explanation(verdict)
	if err != nil {
		return answer, err
	}
	users, err := q.loadUsers()
	answer.EligiblePeople = q.viewer.policy.Eligible(users, action, *q.reviewFacts)
	if !answer.Allowed && (returns || action == domain.ActClaim) {
		q.explainUndecidable(action, users, &answer)
	}
	return answer, err
}

// explainUndecidable replaces a refusal if the review can be decided by no user and the viewer may claim
// and return it.
func (q *AccessQuestion) explainUndecidable(
	action domain.Action, users []domain.User, answer *Explanation,
) {
	policy := q.viewer.policy
	if answer.EligiblePeople == nil {
		answer.EligiblePeople = policy.EligibleToReturn(users, *q.reviewFacts)
	}
	relaxed, undecidable := policy.RelaxUndecidable(users, *q.reviewFacts, q.viewer.user.ID)
	if !undecidable {
		return
	}
	if verdict := policy.Explain(q.viewer.user, action, relaxed); verdict.Allowed {
		answer.Allowed, answer.Rule, answer.Code = true, verdict.Rule, ""
		answer.Remedy, answer.Values = "", map[string]string{}
		answer.Sentence = "No one can decide this review now. You can claim it to return the " +
			"document or to resolve its values."
	}
}

func (q *AccessQuestion) explainCase(action domain.Action) (Explanation, error) {
	answer, err := q.explanation(q.viewer.policy.ExplainCase(q.viewer.user, action, q.caseFacts))
	if err != nil {
		return answer, err
	}
	if answer.Allowed && !statusAllows(action, q.record.Status) {
		answer.Allowed, answer.Rule, answer.Code = false, "Status", domain.StateMismatch
		answer.Sentence, answer.Values = "The case is not in a status that allows this action.",
			map[string]string{"status": string(q.record.Status)}
	}
	if AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff ||
		!statusAllows(action, q.record.Status) {
		return answer, nil
	}
	users, err := q.loadUsers()
	facts := q.caseFacts
	if q.redacted { // who may act because of a review would tell which one it is
		facts.OpenQueues, facts.Deciders = nil, nil
	}
	for _, user := range users {
		if _, refusal := q.viewer.policy.AuthorizeCase(user, action, facts); refusal == nil {
			answer.EligiblePeople = append(answer.EligiblePeople, user)
		}
	}
	return answer, err
}

// explanation converts the policy's verdict. It replaces the id of a review's holder by the name.
func (q *AccessQuestion) explanation(verdict authz.Explanation) (Explanation, error) {
	answer := Explanation{Allowed: verdict.Allowed, Rule: verdict.Rule, Sentence: verdict.Message,
		Remedy: verdict.Remedy, Code: verdict.Code,
		Values: verdict.Values, PolicyVersion: verdict.PolicyVersion}
	holder, named := verdict.Values["holder"]
	if !named {
		return answer, nil
	}
	users, err := q.loadUsers()
	if at := slices.IndexFunc(users, func(u domain.User) bool {
		return u.ID.String() == holder
	}); at >= 0 {
		answer.Values["holder"] = users[at].Name
	} else {
		delete(answer.Values, "holder")
	}
	return answer, err
}

// statusAllows reports whether the service layer accepts the command in the status of the case. The
// service layer checks again.
func statusAllows(action domain.Action, status domain.Status) bool {
	switch action {
	case domain.ActResubmit:
		return status == domain.Returned
	case domain.ActRetry:
		return status == domain.Incident
	case domain.ActEnter:
		return status == domain.Incident || status == domain.Returned
	case domain.ActReplace, domain.ActAbandon:
		return !status.Final() && status != domain.Approved && status != domain.Settling
	}
	return true
}

// IncidentActions returns, for cases that the actor may read, the recovery actions that the actor
// may take on each incident.
func (v *Views) IncidentActions(ctx context.Context, actor domain.Actor, cases []domain.Case,
	reviews map[domain.ID][]domain.Review) (map[domain.ID][]domain.Action, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	exclusions, err := v.reader.ExclusionsOfCases(ctx, cases)
	if err != nil {
		return nil, err
	}
	allowed := make(map[domain.ID][]domain.Action, len(cases))
	for _, c := range cases {
		facts := store.NewCaseFacts(c, reviews[c.ID], exclusions[c.ID])
		actions := []domain.Action{domain.ActRetry, domain.ActReplace, domain.ActEnter,
			domain.ActAbandon}
		def, err := v.definition(ctx, c)
		if err != nil {
			return nil, err
		}
		if c.Outcome != "" || workflow.ExecutesDecision(def, c.Marking) {
			actions = actions[:1] // the decision is final and is being carried out
		}
		for _, action := range actions {
			if _, refusal := viewer.policy.AuthorizeCase(viewer.user, action,
				facts); refusal == nil && actor.InScope(action) {
				allowed[c.ID] = append(allowed[c.ID], action)
			}
		}
	}
	return allowed, nil
}

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

// Explanation says why the person may or may not act, and who could.
type Explanation struct {
	Allowed        bool
	Rule           string
	Sentence       string
	Remedy         string
	Code           domain.Code
	Values         map[string]string // that the sentence names: limit, amount, holder, status …
	PolicyVersion  int64
	EligiblePeople []domain.User
}

// AccessQuestion is one review or case with all that the policy may be asked about it, read once for any number of questions.
type AccessQuestion struct {
	viewer      viewer
	record      domain.Case
	reviewFacts *domain.ReviewFacts // nil when the inquiry is about the case as such
	caseFacts   domain.CaseFacts
	loadUsers   func() ([]domain.User, error)
}

// ReviewAccessQuestion reads what questions about a review need; NotFound where its case may not be read.
func (v *Views) ReviewAccessQuestion(ctx context.Context, actor domain.Actor, reviewID domain.ID) (*AccessQuestion, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	_, facts, c, err := v.reviewFacts(ctx, viewer, reviewID)
	if err != nil {
		return nil, err
	}
	return &AccessQuestion{viewer: viewer, record: c, reviewFacts: &facts, loadUsers: v.usersOnce(ctx)}, nil
}

// CaseAccessQuestion reads what questions about a case as such need; NotFound where it may not be read.
func (v *Views) CaseAccessQuestion(ctx context.Context, actor domain.Actor, caseID domain.ID) (*AccessQuestion, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	c, facts, err := v.readable(ctx, viewer, caseID)
	if err != nil {
		return nil, err
	}
	return &AccessQuestion{viewer: viewer, record: c, caseFacts: facts, loadUsers: v.usersOnce(ctx)}, nil
}

func (v *Views) usersOnce(ctx context.Context) func() ([]domain.User, error) {
	return sync.OnceValues(func() ([]domain.User, error) { return v.reader.Users(ctx, nil) })
}

// Explain answers "why not me, and who then?". A submitter is told of a review no more than that there is one, of a case
// only what concerns them.
func (q *AccessQuestion) Explain(action domain.Action) (Explanation, error) {
	if q.reviewFacts == nil {
		return q.explainCase(action)
	}
	said := q.viewer.policy.Explain(q.viewer.user, action, *q.reviewFacts)
	if AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff {
		return Explanation{Rule: "in review", Sentence: "Your document is being reviewed.", Code: domain.NotPermitted, PolicyVersion: said.PolicyVersion}, nil
	}
	answer, err := q.explanation(said)
	if err != nil {
		return answer, err
	}
	users, err := q.loadUsers()
	answer.EligiblePeople = q.viewer.policy.Eligible(users, action, *q.reviewFacts)
	return answer, err
}

func (q *AccessQuestion) explainCase(action domain.Action) (Explanation, error) {
	answer, err := q.explanation(q.viewer.policy.ExplainCase(q.viewer.user, action, q.caseFacts))
	if err != nil {
		return answer, err
	}
	if answer.Allowed && !statusAllows(action, q.record.Status) {
		answer.Allowed, answer.Rule, answer.Code = false, "Status", domain.StateMismatch
		answer.Sentence, answer.Values = "The case is not in a state that allows it.", map[string]string{"status": string(q.record.Status)}
	}
	if AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff || !statusAllows(action, q.record.Status) {
		return answer, nil
	}
	users, err := q.loadUsers()
	for _, user := range users {
		if _, refusal := q.viewer.policy.AuthorizeCase(user, action, q.caseFacts); refusal == nil {
			answer.EligiblePeople = append(answer.EligiblePeople, user)
		}
	}
	return answer, err
}

// explanation turns the policy's answer into one for people: whoever holds a review is named, not numbered.
func (q *AccessQuestion) explanation(said authz.Explanation) (Explanation, error) {
	answer := Explanation{Allowed: said.Allowed, Rule: said.Rule, Sentence: said.Message, Remedy: said.WayOut, Code: said.Code,
		Values: said.Values, PolicyVersion: said.PolicyVersion}
	holder, named := said.Values["holder"]
	if !named {
		return answer, nil
	}
	users, err := q.loadUsers()
	if at := slices.IndexFunc(users, func(u domain.User) bool { return u.ID.String() == holder }); at >= 0 {
		answer.Values["holder"] = users[at].Name
	} else {
		delete(answer.Values, "holder")
	}
	return answer, err
}

// statusAllows says in which statuses the service layer accepts a command on a case; the service layer checks again.
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

// IncidentActions says, of a group of cases the person may read, what they may do about a failed stage of each.
func (v *Views) IncidentActions(ctx context.Context, actor domain.Actor, cases []domain.Case, reviews map[domain.ID][]domain.Review) (map[domain.ID][]domain.Action, error) {
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
		actions := []domain.Action{domain.ActRetry, domain.ActReplace, domain.ActEnter, domain.ActAbandon}
		def, err := v.definition(ctx, c)
		if err != nil {
			return nil, err
		}
		if c.Outcome != "" || workflow.ExecutesDecision(def, c.Marking) {
			actions = actions[:1] // the decision stands and is being carried out
		}
		for _, action := range actions {
			if _, refusal := viewer.policy.AuthorizeCase(viewer.user, action, facts); refusal == nil && actor.InScope(action) {
				allowed[c.ID] = append(allowed[c.ID], action)
			}
		}
	}
	return allowed, nil
}

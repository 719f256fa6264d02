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
	Allowed       bool
	Rule          string
	Sentence      string
	WayOut        string
	Code          domain.Code
	Values        map[string]string // that the sentence names: limit, amount, holder, status …
	PolicyVersion int64
	Who           []domain.User
}

// Inquiry is one review or case with all that the policy may be asked about it, read once for any number of questions.
type Inquiry struct {
	see      eyes
	kase     domain.Case
	onReview *domain.ReviewFacts // nil when the inquiry is about the case as such
	onCase   domain.CaseFacts
	people   func() ([]domain.User, error)
}

// Inquire reads what questions about a review need; NotFound where its case may not be read.
func (v *Views) Inquire(ctx context.Context, actor domain.Actor, reviewID domain.ID) (*Inquiry, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	_, facts, c, err := v.reviewFacts(ctx, see, reviewID)
	if err != nil {
		return nil, err
	}
	return &Inquiry{see: see, kase: c, onReview: &facts, people: v.everyone(ctx)}, nil
}

// InquireCase reads what questions about a case as such need; NotFound where it may not be read.
func (v *Views) InquireCase(ctx context.Context, actor domain.Actor, caseID domain.ID) (*Inquiry, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	c, err := v.reader.Case(ctx, caseID)
	if err != nil {
		return nil, err
	}
	facts, _, err := v.facts(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := v.mayRead(ctx, see, c); err != nil {
		return nil, err
	}
	return &Inquiry{see: see, kase: c, onCase: facts, people: v.everyone(ctx)}, nil
}

func (v *Views) everyone(ctx context.Context) func() ([]domain.User, error) {
	return sync.OnceValues(func() ([]domain.User, error) { return v.reader.Users(ctx, nil) })
}

// Explain answers "why not me, and who then?". A submitter is told of a review no more than that there is one, of a case
// only what concerns them.
func (q *Inquiry) Explain(action domain.Action) (Explanation, error) {
	if q.onReview == nil {
		return q.explainCase(action)
	}
	said := q.see.judge.Explain(q.see.user, action, *q.onReview)
	if AudienceOn(q.see.user, q.kase) != domain.AudienceStaff {
		return Explanation{Rule: "in review", Sentence: "Your document is being reviewed.", Code: domain.NotPermitted, PolicyVersion: said.PolicyVersion}, nil
	}
	answer, err := q.told(said)
	if err != nil {
		return answer, err
	}
	users, err := q.people()
	answer.Who = q.see.judge.Eligible(users, action, *q.onReview)
	return answer, err
}

func (q *Inquiry) explainCase(action domain.Action) (Explanation, error) {
	answer, err := q.told(q.see.judge.ExplainCase(q.see.user, action, q.onCase))
	if err != nil {
		return answer, err
	}
	if answer.Allowed && !statusAllows(action, q.kase.Status) {
		answer.Allowed, answer.Rule, answer.Code = false, "Status", domain.StateMismatch
		answer.Sentence, answer.Values = "The case is not in a state that allows it.", map[string]string{"status": string(q.kase.Status)}
	}
	if AudienceOn(q.see.user, q.kase) != domain.AudienceStaff || !statusAllows(action, q.kase.Status) {
		return answer, nil
	}
	users, err := q.people()
	for _, user := range users {
		if _, refusal := q.see.judge.AuthorizeCase(user, action, q.onCase); refusal == nil {
			answer.Who = append(answer.Who, user)
		}
	}
	return answer, err
}

// told turns the policy's answer into one for people: whoever holds a review is named, not numbered.
func (q *Inquiry) told(said authz.Explanation) (Explanation, error) {
	answer := Explanation{Allowed: said.Allowed, Rule: said.Rule, Sentence: said.Message, WayOut: said.WayOut, Code: said.Code,
		Values: said.Shown, PolicyVersion: said.PolicyVersion}
	holder, named := said.Shown["holder"]
	if !named {
		return answer, nil
	}
	users, err := q.people()
	if at := slices.IndexFunc(users, func(u domain.User) bool { return u.ID.String() == holder }); at >= 0 {
		answer.Values["holder"] = users[at].Name
	} else {
		delete(answer.Values, "holder")
	}
	return answer, err
}

// statusAllows says in which statuses the hall takes a command on a case; the hall asks again.
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

// IncidentActions says, of a family of cases the person may read, what they may do about a failed stage of each.
func (v *Views) IncidentActions(ctx context.Context, actor domain.Actor, cases []domain.Case, reviews map[domain.ID][]domain.Review) (map[domain.ID][]domain.Action, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	bars, err := v.reader.BarsOfCases(ctx, cases)
	if err != nil {
		return nil, err
	}
	allowed := make(map[domain.ID][]domain.Action, len(cases))
	for _, c := range cases {
		facts := store.CaseFactsOf(c, reviews[c.ID], bars[c.ID])
		actions := []domain.Action{domain.ActRetry, domain.ActReplace, domain.ActEnter, domain.ActAbandon}
		def, err := v.definition(ctx, c)
		if err != nil {
			return nil, err
		}
		if c.Outcome != "" || workflow.Settled(def, c.Marking) {
			actions = actions[:1] // the decision stands and is being carried out
		}
		for _, action := range actions {
			if _, refusal := see.judge.AuthorizeCase(see.user, action, facts); refusal == nil && authz.InScope(actor.Scopes, action) {
				allowed[c.ID] = append(allowed[c.ID], action)
			}
		}
	}
	return allowed, nil
}

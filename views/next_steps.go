package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// neverYear is the year of a deadline that does not come.
const neverYear = 9999

// NextKind says what a case waits for.
type NextKind string

// The kinds of next steps.
const (
	NextStage          NextKind = "stage"           // the machine works
	NextRetry          NextKind = "retry"           // a stage failed and is tried again by itself
	NextReviewOpen     NextKind = "review_open"     // anybody of the queue may take it
	NextReviewAssigned NextKind = "review_assigned" // one person was given it
	NextReviewClaimed  NextKind = "review_claimed"  // one person decides
	NextInReview       NextKind = "in_review"       // what a submitter sees of all three
	NextResubmit       NextKind = "resubmit"        // the submitter has to answer
	NextIncident       NextKind = "incident"        // somebody has to repair a stage
	NextFinished       NextKind = "finished"        // nothing more happens
)

// NextStep is what happens next with a case: kind and values for any language, a sentence in English.
type NextStep struct {
	Kind     NextKind
	Sentence string
	By       *time.Time // nil where nothing sets a time
	Late     bool
	Stage    *string // behaviour of the node; nil for people's steps
	Attempt  *int
	Queue    *string // nil for submitters
	// Review is the one that is waited for; the zero value for submitters and where there is none.
	Review domain.Review
}

// Next works out the case's next step from its reviews and runs, as the audience may see it.
func (v *Views) Next(ctx context.Context, c domain.Case, audience domain.Audience, reviews []domain.Review, runs []domain.StageRun, now time.Time) (NextStep, error) {
	var next NextStep
	switch {
	case c.Status.Final():
		next = NextStep{Kind: NextFinished, Sentence: "Nothing more happens: the case is " + string(c.Status) + "."}
	case c.Status == domain.Incident:
		next = NextStep{Kind: NextIncident, Sentence: "A step failed for good. Somebody retries it, replaces the file, enters the values or gives the case up."}
		if at := slices.IndexFunc(runs, func(r domain.StageRun) bool { return r.Status == domain.RunIncident }); at >= 0 {
			def, err := v.definition(ctx, c)
			if err != nil {
				return next, err
			}
			next.Stage, next.Attempt = behaviourOf(def, runs[at].Node), &runs[at].Attempt
		}
	case c.Status == domain.Returned:
		next = NextStep{Kind: NextResubmit, Sentence: "The submitter answers the return and sends the document in again."}
	default:
		if at := slices.IndexFunc(reviews, undecided); at >= 0 {
			next = nextReview(reviews, at, audience)
			break
		}
		def, err := v.definition(ctx, c)
		if err != nil {
			return next, err
		}
		next = nextStage(def, runs, now)
	}
	if next.By != nil && next.By.Year() >= neverYear {
		next.By = nil
	}
	next.Late = next.By != nil && next.By.Before(now)
	return next, nil
}

func undecided(r domain.Review) bool {
	return r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed
}

func nextReview(reviews []domain.Review, at int, audience domain.Audience) NextStep {
	review := reviews[at]
	if audience != domain.AudienceStaff {
		// The promise of the first review of this visit: who looks further moves nothing that a submitter could see.
		first := review
		for _, other := range reviews {
			if other.Node == review.Node && other.Visit == review.Visit && other.CreatedAt.Before(first.CreatedAt) {
				first = other
			}
		}
		return NextStep{Kind: NextInReview, Sentence: "The document is being reviewed.", By: &first.DecideBy}
	}
	next := NextStep{Queue: &review.Queue, Review: review}
	switch {
	case review.Status == domain.ReviewClaimed:
		next.Kind, next.By, next.Sentence = NextReviewClaimed, &review.DecideBy, "Whoever has claimed the review decides it."
	case review.Assignee != domain.NoID:
		next.Kind, next.By, next.Sentence = NextReviewAssigned, &review.ClaimBy, "Whoever was given the review takes it up and decides."
	default:
		next.Kind, next.By, next.Sentence = NextReviewOpen, &review.ClaimBy, fmt.Sprintf("Somebody of queue %s takes the review.", review.Queue)
	}
	return next
}

func behaviourOf(def *workflow.Definition, id string) *string {
	name := id
	if node, ok := def.Node(id); ok {
		name = cmp.Or(node.Behaviour, id)
	}
	return &name
}

// nextStage tells of the run that is under way, or waits for its next attempt; without one, of the time that the case
// waits for.
func nextStage(def *workflow.Definition, runs []domain.StageRun, now time.Time) NextStep {
	next := NextStep{Kind: NextStage, Sentence: "The document is being worked on."}
	for i := range runs {
		run := &runs[i]
		node, ok := def.Node(run.Node)
		if ok && node.Kind == workflow.KindTimer && run.Kind == domain.RunKindTimer && run.Status == domain.RunPending {
			next.Stage, next.By, next.Sentence = behaviourOf(def, run.Node), &run.RunAfter, "The case waits for a time to come."
		}
	}
	for i := range runs {
		run := &runs[i]
		if run.Kind != domain.RunKindStage && run.Kind != domain.RunKindSaga || run.Status != domain.RunPending && run.Status != domain.RunLeased {
			continue
		}
		next.Stage, next.Attempt, next.By = behaviourOf(def, run.Node), &run.Attempt, nil
		if title := titleOf(def, run.Node); title != "" {
			next.Sentence = "Under way: " + title + "."
		}
		if run.Status == domain.RunPending && run.Attempt > 1 && run.RunAfter.After(now) {
			next.Kind, next.By = NextRetry, &run.RunAfter
			next.Sentence = fmt.Sprintf("A step did not work and is tried again by itself, attempt %d.", run.Attempt)
		}
		return next
	}
	return next
}

func titleOf(def *workflow.Definition, id string) string {
	node, ok := def.Node(id)
	if !ok {
		return ""
	}
	return node.Title["en"]
}

// EligiblePeople lists, of a group of cases that the person may read as staff, who can act on each next.
func (v *Views) EligiblePeople(ctx context.Context, actor domain.Actor, cases []domain.Case, steps map[domain.ID]NextStep, reviews map[domain.ID][]domain.Review) (map[domain.ID][]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	exclusions, err := v.reader.ExclusionsOfCases(ctx, cases)
	if err != nil {
		return nil, err
	}
	able := make(map[domain.ID][]domain.User, len(cases))
	for _, c := range cases {
		step := steps[c.ID]
		switch step.Kind {
		case NextReviewClaimed, NextReviewAssigned:
			able[c.ID] = usersWithID(users, step.Review.Assignee)
		case NextReviewOpen:
			amount, err := v.hasAmount(ctx, c)
			if err != nil {
				return nil, err
			}
			// The claim's lease plays no part in whether somebody could be given it.
			able[c.ID] = viewer.policy.Eligible(users, domain.ActClaim, store.NewReviewFacts(c, step.Review, exclusions[c.ID], amount, c.UpdatedAt))
		case NextResubmit:
			able[c.ID] = usersWithID(users, c.Submitter)
		case NextIncident:
			able[c.ID] = retryCandidates(viewer.policy, users, c, store.NewCaseFacts(c, reviews[c.ID], exclusions[c.ID]))
		}
	}
	return able, nil
}

func usersWithID(users []domain.User, id domain.ID) []domain.User {
	return slices.DeleteFunc(slices.Clone(users), func(u domain.User) bool { return u.ID != id })
}

// retryCandidates are those who may retry, the submitter first.
func retryCandidates(policy *authz.Authority, users []domain.User, c domain.Case, facts domain.CaseFacts) []domain.User {
	var able []domain.User
	for _, user := range users {
		if _, err := policy.AuthorizeCase(user, domain.ActRetry, facts); err == nil {
			able = append(able, user)
		}
	}
	slices.SortStableFunc(able, func(a, b domain.User) int {
		first := func(u domain.User) int {
			if u.ID == c.Submitter {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	return able
}

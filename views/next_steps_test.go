package views_test

import (
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// next computes the next step of the case from its stored rows.
func (env *testEnv) next(id domain.ID, audience domain.Audience) (domain.Case, views.NextStep) {
	env.t.Helper()
	reader := env.db.Reader()
	c, err := reader.Case(env.ctx, id)
	must(env.t, err)
	reviews, err := reader.ReviewsOf(env.ctx, id)
	must(env.t, err)
	runs, err := reader.RunsOf(env.ctx, id)
	must(env.t, err)
	step, err := env.views.Next(env.ctx, views.CaseView{Case: c, Audience: audience}, reviews, runs,
		env.now())
	must(env.t, err)
	return c, step
}

// eligible returns the names of those who can perform the next step of the case.
func (env *testEnv) eligible(actor domain.Actor, id domain.ID) []string {
	env.t.Helper()
	c, step := env.next(id, domain.AudienceStaff)
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	people, err := env.views.EligiblePeople(env.ctx, actor, []domain.Case{c},
		map[domain.ID]views.NextStep{id: step}, map[domain.ID][]domain.Review{id: reviews})
	must(env.t, err)
	return namesOf(people[id])
}

// The next step and the people who can perform it follow a case through its life, and submitters
// learn no more than that their document is in review.
func TestNextStepsFollowACase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	rita, lea := env.person("rita", domain.RoleL1), env.person("lea", domain.RoleL1)
	env.person("lena", domain.RoleL2)
	env.disable(env.person("off", domain.RoleL1))
	env.declareConflict(env.person("eva", domain.RoleL1), "Beta AG")
	id := env.submit(sam, "2000.00", "Beta AG")
	review := env.reviewOf(id)
	want := func(kind views.NextKind, by *time.Time, people ...string) views.NextStep {
		t.Helper()
		c, step := env.next(id, domain.AudienceStaff)
		if step.Kind != kind || step.Sentence == "" {
			t.Errorf("the next step of a case %s is %+v, want %s", c.Status, step, kind)
		}
		if (by == nil) != (step.By == nil) || by != nil && !step.By.Equal(*by) {
			t.Errorf("%s is due %v, want %v", kind, step.By, by)
		}
		if got := env.eligible(mia, id); !slices.Equal(got, people) {
			t.Errorf("%s can be performed by %v, want %v", kind, got, people)
		}
		return step
	}
	inReview := func() {
		t.Helper()
		_, step := env.next(id, domain.AudienceAll)
		if step.Kind != views.NextInReview || step.Queue != nil || step.Review.ID != domain.NoID ||
			!step.By.Equal(review.DecideBy) {
			t.Errorf("the submitter sees %+v", step)
		}
	}
	open := want(views.NextReviewOpen, &review.ClaimBy, "lea", "mia", "rita")
	if *open.Queue != domain.QueueL1 || open.Review.ID != review.ID || open.Late {
		t.Errorf("the open review: %+v", open)
	}
	inReview()
	env.setClockOffset(3 * time.Hour) // past the time to claim: the time to decide acts next
	if next := want(views.NextReviewOpen, &review.DecideBy, "lea", "mia", "rita"); next.Late {
		t.Errorf("late before the time to decide: %+v", next)
	}
	env.setClockOffset(25 * time.Hour)
	if late := want(views.NextReviewOpen, &review.DecideBy, "lea", "mia", "rita"); !late.Late {
		t.Errorf("not late: %+v", late)
	}
	env.setClockOffset(0)
	env.assign(mia, rita, review)
	review = env.reviewOf(id) // with a new time to claim
	want(views.NextReviewAssigned, &review.ClaimBy, "rita")
	env.assign(mia, lea, review)
	env.claim(lea, review)
	want(views.NextReviewClaimed, &review.DecideBy, "lea")
	inReview()
	env.decide(lea, review, domain.Return)
	want(views.NextResubmit, nil, "sam")
	_, err := env.service.AbandonCase(env.ctx, mia, casework.AbandonCase{
		CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "because"})
	must(t, err)
	env.runPending()
	want(views.NextFinished, nil)
}

// An incident names its stage and attempt. Its submitter is the first who can retry it.
func TestNextStepOfAnIncident(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	mia := env.person("mia", domain.RoleManager)
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.submit(sam, "damaged")
	c, step := env.next(id, domain.AudienceAll)
	if step.Kind != views.NextIncident || step.Stage == nil || *step.Stage != "read" ||
		step.Attempt == nil || *step.Attempt < 1 || step.By != nil {
		t.Errorf("the next step: %+v", step)
	}
	people, err := env.views.EligiblePeople(env.ctx, mia, []domain.Case{c},
		map[domain.ID]views.NextStep{id: step}, nil)
	must(t, err)
	if got := people[id]; len(got) < 2 || got[0].ID != sam.UserID {
		t.Errorf("who can retry: %+v", namesOf(got))
	}
	for actor, want := range map[*domain.Actor][]domain.Action{
		&sam: {domain.ActRetry, domain.ActReplace, domain.ActEnter, domain.ActAbandon},
	} {
		actions, err := env.views.IncidentActions(env.ctx, *actor, []domain.Case{c}, nil)
		must(t, err)
		for _, action := range actions[id] {
			if !slices.Contains(want, action) {
				t.Errorf("%s may %s", actor.Name, action)
			}
		}
		if !slices.Contains(actions[id], domain.ActRetry) {
			t.Errorf("%s may not retry: %v", actor.Name, actions[id])
		}
		for _, action := range actions[id] { // the list agrees with the explanation
			question, err := env.views.CaseAccessQuestion(env.ctx, *actor, id)
			must(t, err)
			if answer, err := question.Explain(action); err != nil || !answer.Allowed {
				t.Errorf("%s may %s: %+v %v", actor.Name, action, answer, err)
			}
		}
	}
}

// Runs determine the next step of a case without reviews: the running stage, or its next attempt.
func TestNextStepOfRunningStages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	id := env.submit(env.person("sam", domain.RoleSubmitter), "2000.00")
	c, err := env.db.Reader().Case(env.ctx, id)
	must(t, err)
	c.Status = domain.Processing
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	soon, never := now.Add(time.Minute), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	stage := domain.StageRun{Node: "read", Kind: domain.RunKindStage, Attempt: 1,
		Status: domain.RunLeased, RunAfter: now}
	retry := stage
	retry.Status, retry.Attempt, retry.RunAfter = domain.RunPending, 2, soon
	ended := stage
	ended.Status = domain.RunDone
	endless := retry
	endless.RunAfter = never
	for name, tc := range map[string]struct {
		runs    []domain.StageRun
		kind    views.NextKind
		stage   string
		attempt int
		by      *time.Time
	}{
		"no run":         {nil, views.NextStage, "", 0, nil},
		"running":        {[]domain.StageRun{stage}, views.NextStage, "read", 1, nil},
		"ended":          {[]domain.StageRun{ended}, views.NextStage, "", 0, nil},
		"retry":          {[]domain.StageRun{ended, retry}, views.NextRetry, "read", 2, &soon},
		"without an end": {[]domain.StageRun{endless}, views.NextRetry, "read", 2, nil},
		"a deadline only": {[]domain.StageRun{{Kind: domain.RunKindTimer, Node: "read",
			Status: domain.RunPending}}, views.NextStage, "", 0, nil},
	} {
		step, err := env.views.Next(env.ctx,
			views.CaseView{Case: c, Audience: domain.AudienceStaff}, nil, tc.runs, now)
		must(t, err)
		if step.Kind != tc.kind || step.Late || step.Sentence == "" {
			t.Errorf("%s: %+v", name, step)
		}
		if (step.Stage == nil) != (tc.stage == "") || step.Stage != nil &&
			*step.Stage != tc.stage ||
			step.Attempt != nil && *step.Attempt != tc.attempt {
			t.Errorf("%s: stage %v, attempt %v", name, step.Stage, step.Attempt)
		}
		if (step.By == nil) != (tc.by == nil) || step.By != nil && !step.By.Equal(*tc.by) {
			t.Errorf("%s: due %v, want %v", name, step.By, tc.by)
		}
	}
}

// The people whom a manager may choose are those to whom the review can in fact be assigned.
func TestEligiblePeopleCanBeAssigned(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	mia, sam := env.person("mia", domain.RoleManager), env.person("sam", domain.RoleSubmitter)
	both := env.person("bo", domain.RoleSubmitter, domain.RoleSenior)
	everyone := []domain.Actor{env.person("rita", domain.RoleL1),
		env.person("lars", domain.RoleSenior),
		env.person("lena", domain.RoleL2), env.person("aud", domain.RoleAuditor), mia, sam, both}
	excluded := env.person("eva", domain.RoleL1)
	env.declareConflict(excluded, "Beta AG")
	everyone = append(everyone, excluded)
	reviews := []domain.Review{env.reviewOf(env.submit(sam, "2000.00")),
		env.reviewOf(env.submit(both, "80000.00")),
		env.reviewOf(env.submit(sam, "3000.00", "Beta AG")),
		env.reviewOf(env.submit(sam, "600000.00"))}
	assigned := 0
	for i, review := range reviews {
		eligible, err := env.views.Eligible(env.ctx, mia, review.ID)
		must(t, err)
		names := namesOf(eligible)
		for _, person := range everyone {
			results, err := env.service.ReassignReviews(env.ctx, mia, casework.ReassignReviews{
				Reviews: []domain.ID{review.ID}, To: person.UserID, Reason: "because"})
			possible := err == nil && results[0].Err == nil
			if listed := slices.Contains(names, person.Name); listed != possible {
				t.Errorf("review %d, %s: eligible %v, assigned %v (%v)", i, person.Name, listed,
					possible,
					results)
			} else if listed {
				assigned++
			}
		}
	}
	if assigned < 6 {
		t.Errorf("only %d assignments were made", assigned)
	}
}

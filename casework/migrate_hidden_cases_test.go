package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A preview and the results of a migration do not tell an administrator that a case is in a confidential review,
// whichever plan they try: a plan that lets only the cases of that review stay would name them. Who may see
// confidential reviews sees the preview, except of their own submission.
func TestMigrationsKeepConfidentialReviews(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	ivan := env.person("ivan", domain.RoleAdmin, domain.RoleAML, domain.RoleSubmitter)
	user := env.userByID(ivan.UserID)
	user.Queues = append(user.Queues, domain.QueueAML)
	must(t, errOf(env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})))
	const key = "merchant_onboarding"
	id := env.submitTo(sam, key, "merchant_application", "one")
	own := env.submitTo(ivan, key, "merchant_application", "two")
	env.drainQueue()
	env.publishNext(key, 1)
	plan := casework.PlanMigration{Process: key, From: 1, To: 2, Nodes: map[string]string{}}
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(t, err)
	for _, review := range reviews {
		plan.Nodes[review.Node] = "" // only the cases at these reviews stay
	}
	plan.Nodes["both"] = "" // the join behind them
	if len(plan.Nodes) == 1 {
		t.Fatal("the case is in no review")
	}
	preview := func(by domain.Actor) casework.MigrationPreview {
		found, err := env.svc.PreviewMigration(env.ctx, by, casework.PreviewMigration{PlanMigration: plan, Limit: 10})
		must(t, err)
		return found
	}
	if found := preview(ada); len(found.Moves) != 0 || found.Hidden != 2 || found.Cases != 2 || len(found.Problems) > 0 {
		t.Errorf("an administrator sees %+v, problems %v", found.Moves, found.Problems)
	}
	if found := preview(ivan); len(found.Moves) != 1 || found.Moves[0].CaseID != id || found.Hidden != 1 {
		t.Errorf("an administrator of the queue sees %+v", found)
	}
	done := env.migrate(ada, abe, plan)
	results := func(by domain.Actor) map[domain.ID]domain.MigratedCase {
		found, _, err := env.svc.MigratedCases(env.ctx, by, done.ID, "", domain.NoID, 10)
		must(t, err)
		byCase := map[domain.ID]domain.MigratedCase{}
		for _, one := range found {
			byCase[one.CaseID] = one
		}
		return byCase
	}
	if seen := results(ada)[id]; seen.Status != domain.NotMoved || seen.Reason != "hidden" || seen.Node != "" {
		t.Errorf("an administrator reads %+v", seen)
	}
	if seen := results(ivan); seen[id].Reason != "stays" || seen[id].Node == "" || seen[own].Reason != "hidden" {
		t.Errorf("an administrator of the queue reads %+v", seen)
	}
}

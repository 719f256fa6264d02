package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/workflow"
)

// moveHidden is the reason of a case of which the viewer may not know why it does not move.
const moveHidden workflow.MoveReason = "hidden"

const hiddenMove = "The reason is not shown, because it could name a review that you may not see."

// hiddenMoves returns the cases of which the viewer may not see the review work: those of a process with
// confidential reviews without the right to see them, and their own submissions. Where a case waits, and whether a plan
// moves it, would show that it is in such a review.
func (svc *Service) hiddenMoves(ctx context.Context, actor domain.Actor, from, to *workflow.Definition,
	cases []domain.ID) (map[domain.ID]bool, error) {
	r := svc.db.Reader()
	viewer, err := r.User(ctx, actor.UserID)
	if err != nil || len(cases) == 0 {
		return nil, err
	}
	confidential := (from.Confidential() || to.Confidential()) && !viewer.SeesConfidential()
	oversees := viewer.HasRole(domain.RoleManager) || viewer.HasRole(domain.RoleAuditor)
	sorted := slices.SortedFunc(slices.Values(cases),
		func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	rows, err := r.Cases(ctx, sorted)
	hidden := map[domain.ID]bool{}
	for _, c := range rows {
		own := slices.Contains(viewer.Accounts(), c.Submitter)
		hidden[c.ID] = confidential || own && (from.Confidential() || to.Confidential() || !oversees)
	}
	return hidden, err
}

// withoutReasons hides the reasons of results that the viewer may not see. The result itself stays, because a
// case shows its version.
func (svc *Service) withoutReasons(ctx context.Context, actor domain.Actor, id domain.ID,
	results []domain.MigratedCase) error {
	migration, err := svc.db.Reader().CaseMigration(ctx, id)
	if err != nil {
		return err
	}
	from, err := svc.definitions.get(ctx, svc.db.Reader(), migration.Process, migration.From)
	if err != nil {
		return err
	}
	to, err := svc.definitions.get(ctx, svc.db.Reader(), migration.Process, migration.To)
	if err != nil {
		return err
	}
	cases := make([]domain.ID, len(results))
	for i := range results {
		cases[i] = results[i].CaseID
	}
	hidden, err := svc.hiddenMoves(ctx, actor, from, to, cases)
	for i := range results {
		if result := &results[i]; hidden[result.CaseID] && result.Reason != "" {
			result.Reason, result.Node, result.Message = string(moveHidden), "", hiddenMove
		}
	}
	return err
}

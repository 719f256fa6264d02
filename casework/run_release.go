package casework

import (
	"context"
	"maps"
	"slices"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
)

// unjudgedPairs returns the claims of the pairs that a finding lists, that neither case has, and that
// no stored finding of the case lists: no reviewer has seen them.
func (inputs ruleInputs) unjudgedPairs(
	finding domain.Finding, stored []domain.Finding,
) []store.PairClaim {
	var unjudged []store.PairClaim
	for _, claim := range inputs.claimsOf([]domain.Finding{finding}).claimed {
		at := slices.IndexFunc(inputs.candidates,
			func(c store.DuplicateCandidate) bool { return c.ID == claim.Other })
		if at >= 0 && !listsCase(stored, inputs.candidates[at].Reference) {
			unjudged = append(unjudged, claim)
		}
	}
	return unjudged
}

// claim adds claims of pairs, each once.
func (t *transition) claim(claims []store.PairClaim) {
	for _, claim := range claims {
		if !slices.ContainsFunc(t.change.Claims,
			func(c store.PairClaim) bool { return c.Other == claim.Other }) {
			t.change.Claims = append(t.change.Claims, claim)
		}
	}
}

// listsCase reports whether a finding lists the case of the reference.
func listsCase(findings []domain.Finding, reference string) bool {
	return slices.ContainsFunc(findings, func(f domain.Finding) bool {
		return slices.Contains(f.NamedCases(), reference)
	})
}

// stopRelease checks a case again before the work of a leased run carries out a decision: the work is
// taken away if the present control data, or everything that is committed by then, requires a review
// before it. stopRelease then returns LeaseLost. A session that has evaluated the rules itself did so a
// moment ago.
func (svc *Service) stopRelease(ctx context.Context, p *stageSession) error {
	if p.inputs != nil {
		return nil
	}
	controls, err := svc.db.Reader().ControlPending(ctx)
	if err != nil {
		return err
	}
	evaluated, err := svc.evaluateBeforeRelease(ctx, p, controls, p.run)
	if err != nil || !evaluated {
		return err
	}
	return svc.reloadCase(ctx, p)
}

// evaluateBeforeRelease evaluates rules, votes and route of a case again if control data has changed
// and not all cases were evaluated since, if another case has claimed a pair with it since, or if it has a
// duplicate that no reviewer has seen. It reports whether it did; held is as in reevaluateCase.
func (svc *Service) evaluateBeforeRelease(
	ctx context.Context, p *stageSession, controlsChanged bool, held ...domain.StageRun,
) (bool, error) {
	requested, err := svc.db.Reader().RequestedPairEvaluations(ctx, []domain.ID{p.record.ID})
	if err != nil {
		return false, err
	}
	if !controlsChanged && len(requested) == 0 {
		found, err := svc.hasUnseenDuplicate(ctx, p)
		if err != nil || !found {
			return false, err
		}
	}
	return true, svc.reevaluateCase(ctx, p.record.ID, severalCauses, held...)
}

// hasUnseenDuplicate searches for duplicates again, with everything that is committed, and reports
// whether there is one that no reviewer has seen and that no other case has as a finding.
func (svc *Service) hasUnseenDuplicate(ctx context.Context, p *stageSession) (bool, error) {
	if err := svc.loadFieldsAndFindings(ctx, p); err != nil {
		return false, err
	}
	if err := svc.loadDocument(ctx, p); err != nil {
		return false, err
	}
	key, err := comparedKey(ctx, svc.db.Reader(), p.record, p.fields, nil, nil)
	if err != nil {
		return false, err
	}
	_, parties, err := loadComparedParties(ctx, svc.db.Reader(), p.record, nil)
	if err != nil {
		return false, err
	}
	related, err := svc.db.Reader().RelatedCases(ctx,
		relatedQuery(p.record, parties, key, *p.document))
	if err != nil {
		return false, err
	}
	hits, err := duplicateHits(p.record, p.fields, key, related.Candidates)
	if err != nil {
		return false, err
	}
	stored, err := svc.findingsOfTopic(ctx, svc.db.Reader(),
		slices.Concat(slices.Collect(maps.Values(p.findings))...), rules.Duplicates)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(hits, func(hit rules.DuplicateHit) bool {
		return hit.NeedsClaim() && !slices.Contains(related.Claimed, hit.CaseID) &&
			!listsCase(stored, hit.Reference)
	}), nil
}

// reevaluateDuplicates evaluates the open duplicates of a case that was archived in spite of its finding,
// or rejected, so that their reviewers see it before they decide. What a crash leaves out is found by stopRelease.
func (svc *Service) reevaluateDuplicates(ctx context.Context, id domain.ID) {
	others, err := svc.db.Reader().CarriedPairs(ctx, id)
	for _, other := range others {
		err = firstError(err, svc.reevaluateCase(ctx, other, severalCauses))
	}
	if err != nil {
		svc.log.WarnContext(ctx, "duplicates not evaluated again", "case", id, "error", err)
	}
}

// hidesImage reports whether the next run would search duplicates before the image of a merged
// change is committed.
func (t *transition) hidesImage(next *domain.StageRun) bool {
	node, _ := t.def.Node(next.Node)
	return t.before.ImageHash != t.change.Case.ImageHash &&
		(node == nil || node.Behaviour != domain.BehaviourExtract)
}

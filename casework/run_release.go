package casework

import (
	"context"
	"maps"
	"slices"
	"strings"

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
		return slices.Contains(strings.Split(f.Evidence["cases"], ","), reference)
	})
}

// stopDuplicate searches for duplicates again before the work of a leased run carries out a decision,
// with everything that is committed by then. If the case has one that no reviewer has seen, its rules
// and route are evaluated again, which takes the run away: stopDuplicate then returns LeaseLost. A
// session that has evaluated the rules itself searched a moment ago.
func (svc *Service) stopDuplicate(ctx context.Context, p *stageSession) error {
	if p.inputs != nil {
		return nil
	}
	if err := svc.loadFieldsAndFindings(ctx, p); err != nil {
		return err
	}
	if err := svc.loadDocument(ctx, p); err != nil {
		return err
	}
	key := documentKeyOf(p.record, p.fields)
	_, parties, err := loadComparedParties(ctx, svc.db.Reader(), p.record, nil)
	if err != nil {
		return err
	}
	related, err := svc.db.Reader().RelatedCases(ctx,
		relatedQuery(p.record, parties, key, *p.document))
	if err != nil {
		return err
	}
	hits, err := duplicateHits(p.record, key, related.Candidates)
	if err != nil {
		return err
	}
	stored := slices.Concat(slices.Collect(maps.Values(p.findings))...)
	for _, hit := range hits {
		if hit.Kind == rules.RejectedBefore || slices.Contains(related.Claimed, hit.CaseID) ||
			listsCase(stored, hit.Reference) {
			continue
		}
		err := svc.reevaluateCase(ctx, p.record.ID, severalCauses, p.run)
		if err != nil {
			return err
		}
		return svc.reloadCase(ctx, p)
	}
	return nil
}

// hidesImage reports whether the next run would search duplicates before the image of a merged
// change is committed.
func (t *transition) hidesImage(next *domain.StageRun) bool {
	node, _ := t.def.Node(next.Node)
	return t.before.ImageHash != t.change.Case.ImageHash &&
		(node == nil || node.Behaviour != domain.BehaviourExtract)
}

package views_test

import (
	"testing"

	"countersign/domain"
)

// Only people who may read the audit trail see how many cases were drawn for the quality sample, and not
// whether their own documents were: a submitter who knows could behave differently.
func TestDrawnCasesAreCountedForAuditors(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, manager := h.person("auditor", domain.RoleAuditor), h.person("manager", domain.RoleManager)
	sam := h.person("sam", domain.RoleSubmitter)
	draw := func(c madeCase) {
		id := h.add(c)
		h.insert(`INSERT INTO quality_samples (id, case_id, process, stratum, queue, confidential, submitter, share,
			reasons, probability, archived_at) VALUES ($1, $2, 'document_approval', 'straight', '', false, $3, 1000000,
			'{}', 1, clock())`, domain.NewID(), id, c.submitter)
	}
	archived := madeCase{submitted: "02 08:00", ended: "03 08:00", status: domain.Archived, submitter: sam.UserID}
	draw(archived)
	own := archived
	own.submitter = auditor.UserID
	draw(own)
	rejected := archived
	rejected.status = domain.Rejected
	draw(rejected)
	h.add(archived)
	cases := h.march(auditor, domain.ByDay, "02", "03").Total.Cases
	if cases == nil || !cases.DrawnKnown || cases.Drawn != 1 || cases.Archived != 3 {
		t.Errorf("for an auditor: %+v", cases)
	}
	// The manager submitted none of them, and may read the audit trail.
	if cases := h.march(manager, domain.ByDay, "02", "03").Total.Cases; cases == nil || cases.Drawn != 2 {
		t.Errorf("for a manager: %+v", cases)
	}
	if cases := h.march(sam, domain.ByDay, "02", "03").Total.Cases; cases != nil {
		t.Errorf("for the submitter: %+v", cases)
	}
}

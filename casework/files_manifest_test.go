package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// The manifest has all decisions with their reasons, so its submitter cannot open it. Of a process with
// confidential reviews, only those who may know of them can, also if the case was in none.
func TestManifestIsConfidential(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	mia, aud := env.person("mia", domain.RoleManager), env.person("aud", domain.RoleAuditor)
	remittance := env.submitTo(sam, "cross_border_remittance", "remittance", "r-1")
	amy, del := env.amlOfficer("amy"), env.person("del", domain.RoleL1)
	env.delegate(amy, del, domain.Scope{})
	invoice := env.submitTo(sam, "document_approval", "invoice", "i-1")
	for name, tc := range map[string]struct {
		by   domain.Actor
		id   domain.ID
		want domain.Code
	}{
		"manager, remittance":                  {mia, remittance, domain.NotPermitted},
		"submitter, remittance":                {sam, remittance, domain.NotPermitted},
		"auditor, remittance":                  {aud, remittance, domain.NotFound}, // it is not archived yet
		"AML team, remittance":                 {amy, remittance, domain.NotFound},
		"delegate of the AML team, remittance": {del, remittance, domain.NotFound},
		"manager, invoice":                     {mia, invoice, domain.NotFound},
		"submitter, invoice":                   {sam, invoice, domain.NotPermitted},
	} {
		_, err := env.svc.OpenBlob(env.ctx, tc.by,
			casework.OpenBlob{CaseID: tc.id, Kind: casework.BlobManifest})
		if !domain.HasCode(err, tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

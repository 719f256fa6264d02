package casework_test

import (
	"errors"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A country is accepted by code or name and stored as its code; an unknown one is refused with a
// remedy.
func TestCountryOfASubmission(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for written, want := range map[string]string{"Iran": "IR", "IRN": "IR", " ir ": "IR",
		"伊朗": "IR", "Iran, Islamic Republic of": "IR", "UK": "GB", "": ""} {
		submitted, err := env.svc.SubmitDocument(env.ctx, sam,
			casework.SubmitDocument{File: upload(written), Country: written})
		must(t, err)
		if c := env.caseByID(submitted.CaseID); c.Country != want {
			t.Errorf("%q: country %q, want %q", written, c.Country, want)
		}
	}
	for _, written := range []string{"ZZ", "Atlantis", "Korea", "D\x00", "\xff"} {
		_, err := env.svc.SubmitDocument(env.ctx, sam,
			casework.SubmitDocument{File: upload("x"), Country: written})
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.InvalidInput ||
			refusal.Field != "country" || refusal.Remedy == "" {
			t.Errorf("%q: %v, want InvalidInput with a remedy", written, err)
		}
	}
	ada, _ := env.admins()
	set, err := env.setCountry(ada, "North Korea", "high")
	must(t, err)
	if set.Key != "KP" {
		t.Errorf("the risk is set for %q", set.Key)
	}
	_, err = env.setCountry(ada, "ZZ", "high")
	wantCode(t, err, domain.InvalidInput)
}

package views_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// No case waits for a person who cannot sign in: the page of a returned case names its submitter
// only while the account is active.
func TestDisabledPeopleAreNotAwaited(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	rita := env.person("rita", domain.RoleL1)
	id := env.submit(sam, "2000.00")
	env.decide(rita, env.reviewOf(id), domain.Return)
	if _, step := env.next(id, domain.AudienceStaff); step.Kind != views.NextResubmit {
		t.Fatalf("the case waits for %s", step.Kind)
	}
	if names := env.eligible(mia, id); !slices.Equal(names, []string{"sam"}) {
		t.Errorf("a returned case waits for %v", names)
	}
	env.disable(sam)
	if names := env.eligible(mia, id); len(names) != 0 {
		t.Errorf("a returned case of a disabled submitter waits for %v", names)
	}
	other := env.submit(env.person("sue", domain.RoleSubmitter), "3000.00")
	env.assign(mia, rita, env.reviewOf(other))
	if names := env.eligible(mia, other); !slices.Equal(names, []string{"rita"}) {
		t.Errorf("an assigned review waits for %v", names)
	}
	// The account is disabled without the commands that release its reviews, as by an older program.
	env.sql(`UPDATE users SET disabled = true WHERE id = $1`, rita.UserID)
	if names := env.eligible(mia, other); len(names) != 0 {
		t.Errorf("a review of a disabled reviewer waits for %v", names)
	}
}

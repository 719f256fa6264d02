package graph

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// The number of open reviews of a person who works on confidential queues only is null for people without
// clearance, with and without work, so that the difference tells nothing. Of a person who works on other
// queues too, the other reviews are counted.
func TestOpenReviewsOfConfidentialQueuesAreNotShown(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("ma", domain.RoleManager)
	w.person("aud", domain.RoleAuditor)
	_, err := w.service.PutUser(t.Context(), domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: "amy@example.com", Name: "amy", Roles: []domain.Role{domain.RoleAML}, Queues: []string{domain.QueueAML}}})
	must(t, err)
	w.person("lea", domain.RoleL1)
	const list = `{ people { name openReviews } }`
	loads := func(by string) map[string]any {
		got, loads := w.mustExecute(by, list), map[string]any{}
		for i := range got.at("people").([]any) {
			loads[got.text("people", i, "name")] = got.at("people", i, "openReviews")
		}
		return loads
	}
	for _, by := range []string{"ada", "ma"} {
		if got := loads(by); got["amy"] != nil || got["lea"] != float64(0) {
			t.Errorf("%s sees %v", by, got)
		}
	}
	if got := loads("aud"); got["amy"] != float64(0) {
		t.Errorf("an auditor with clearance sees %v", got)
	}
}

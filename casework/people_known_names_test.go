package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// remedyOf returns what an error says that can be done.
func remedyOf(err error) string {
	failure, _ := err.(*domain.Error)
	if failure == nil {
		return ""
	}
	return failure.Remedy
}

// A queue or a document type with a typing error is refused with the known names; a topic of an external
// program, a queue with settings and a name that was known before are not.
func TestUnknownQueuesAndDocumentTypes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	put := func(user domain.User) (domain.ID, error) {
		user.Email, user.Name = domain.NewID().String()+"@example.com", "rita"
		return env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	}
	for range 2 {
		_, err := put(domain.User{Roles: []domain.Role{domain.RoleL1}, Queues: []string{"L1", "nowhere"}})
		wantCode(t, err, domain.InvalidInput)
		if got := remedyOf(err); !strings.Contains(got, "AML, L1, L2, ") || strings.Contains(got, "light") {
			t.Errorf("the remedy is %q", got)
		}
	}
	must(t, errOf(put(domain.User{Roles: []domain.Role{domain.RoleExternal}, Queues: []string{"nowhere"}})))
	env.setQueue(domain.QueueRule{Name: "nowhere", Strategy: domain.StrategyPull})
	id, err := put(domain.User{Roles: []domain.Role{domain.RoleL1}, Queues: []string{"nowhere"}})
	must(t, err)
	env.ownerExec(`DELETE FROM queues WHERE name = 'nowhere'`)
	must(t, errOf(env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{ID: id,
		Email: "rita@example.com", Name: "rita", Queues: []string{"nowhere"}}})))

	limit := domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "invoyce", BaseMinor: 1}
	err = env.svc.SetLimit(env.ctx, domain.SystemActor(), limit)
	wantCode(t, err, domain.InvalidInput)
	if got := remedyOf(err); !strings.Contains(got, "invoice") || !strings.Contains(got, "remittance") {
		t.Errorf("the remedy is %q", got)
	}
	for _, known := range []string{"", "receipt"} {
		limit.DocumentType = known
		must(t, env.svc.SetLimit(env.ctx, domain.SystemActor(), limit))
	}
}

package casework_test

import (
	"encoding/json"
	"testing"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/internal/testpasskey"
)

// The operator removes a passkey: the person is notified, their sessions end, and no one else may.
func TestOperatorRemovesPasskey(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, rita := env.person("ada", domain.RoleAdmin), env.person("rita", domain.RoleL1)
	env.setPassword(rita, "hash")
	own := env.session(rita, "hash")
	id, err := env.svc.AddPasskey(env.ctx, own, testpasskey.New("localhost",
		"http://localhost:8080").Passkey("phone"))
	must(t, err)
	env.wantNotices(rita, "sign_in* sign_in*")
	for _, by := range []domain.Actor{ada, own} {
		_, err := env.svc.RemovePersonsPasskey(env.ctx, by, id)
		wantCode(t, err, domain.NotPermitted)
	}
	removed, err := env.svc.RemovePersonsPasskey(env.ctx, domain.SystemActor(), id)
	must(t, err)
	if removed.Name != "phone" || removed.UserID != rita.UserID {
		t.Errorf("removed: %+v", removed)
	}
	if !env.sessionEnded(own.SessionID) {
		t.Error("the session of the person goes on")
	}
	env.wantNotices(rita, "sign_in* sign_in* sign_in*")
	reading, err := env.db.Reader().EventsAfter(env.ctx, domain.PeopleStream.ID, 0, 1000)
	must(t, err)
	last := reading.Events[len(reading.Events)-1]
	var body generated.PasskeyRemovedV2
	must(t, json.Unmarshal(last.Body, &body))
	if last.Type != "passkey.removed" || last.SchemaVersion != 2 || body.PasskeyID != id ||
		body.Reason != "removed_by_operator" {
		t.Errorf("the event is %s version %d: %s", last.Type, last.SchemaVersion, last.Body)
	}
	_, err = env.svc.RemovePersonsPasskey(env.ctx, domain.SystemActor(), id)
	wantCode(t, err, domain.NotFound)
}

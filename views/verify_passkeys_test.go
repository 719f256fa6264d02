package views

import (
	"encoding/json"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

// A passkey that is registered while the log is verified is no problem; a missing one is.
func TestPasskeysRegisteredDuringVerification(t *testing.T) {
	t.Parallel()
	id := domain.NewID()
	body, err := json.Marshal(map[string]string{"passkeyId": id.String(),
		"userId": domain.NewID().String(), "relyingParty": "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	event := &domain.Event{Seq: 7, Type: domain.PasskeyRegistered, Body: body}
	key, err := audit.ParseRegistration(event)
	if err != nil {
		t.Fatal(err)
	}
	registered := map[domain.ID]*domain.Event{id: event}
	row := domain.Passkey{ID: id, UserID: key.Person, RelyingParty: "localhost"}
	for _, c := range []struct {
		name     string
		rows     []domain.Passkey
		recorded int64
		problems int
	}{
		{"registered after the rows were read", nil, 6, 0},
		{"registered between the head and the rows", []domain.Passkey{row}, 6, 0},
		{"recorded", []domain.Passkey{row}, 7, 0},
		{"recorded and missing", nil, 7, 1},
		{"changed", []domain.Passkey{{ID: id, UserID: domain.NewID()}}, 6, 1},
		{"without an event", []domain.Passkey{row, {ID: domain.NewID()}}, 7, 1},
	} {
		if got := passkeyProblems(c.rows, registered, c.recorded); len(got) != c.problems {
			t.Errorf("%s: %d problems, want %d: %v", c.name, len(got), c.problems, got)
		}
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/testpasskey"
)

// passkeyOf adds a passkey of a person in a session.
func (o *operatorTool) passkeyOf(email, name string) string {
	o.t.Helper()
	opened, err := o.console(&bytes.Buffer{}, &bytes.Buffer{}).openOperator(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	defer opened.close()
	person, err := opened.personOf(o.t.Context(), email)
	if err != nil {
		o.t.Fatal(err)
	}
	phone := testpasskey.New("review.example", "https://review.example")
	id, err := opened.service.AddPasskey(o.t.Context(), domain.Actor{UserID: person.ID, Name: person.Name,
		SessionID: domain.NewID(), Channel: domain.ChannelWeb}, phone.Passkey(name))
	if err != nil {
		o.t.Fatal(err)
	}
	return id.String()
}

// The operator lists the passkeys of everyone or of one person, and removes one by its ID.
func TestPasskeysAreListedAndRemoved(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.person("root", domain.RoleAdmin)
	anna, bob := o.person("anna", domain.RoleL1), o.person("bob", domain.RoleL1)
	phone, key := o.passkeyOf(anna, "phone"), o.passkeyOf(bob, "security key")
	var rows []passkeyRow
	o.decoded(&rows, "passkeys", "list")
	if len(rows) != 2 || rows[0].UsedAt != nil {
		t.Fatalf("%+v", rows)
	}
	o.decoded(&rows, "passkeys", "list", strings.ToUpper(anna))
	if len(rows) != 1 || rows[0].ID.String() != phone || rows[0].Email != anna || rows[0].Name != "phone" ||
		rows[0].RelyingParty != "review.example" {
		t.Errorf("of anna: %+v", rows)
	}
	if table := o.ok("passkeys"); !strings.Contains(table, key+"  "+bob+"   security key  ") {
		t.Errorf("the table is\n%s", table)
	}
	if got := o.ok("passkeys", "remove", phone); got != anna+"  phone  removed\n" {
		t.Errorf("%q", got)
	}
	o.decoded(&rows, "passkeys", "list")
	if len(rows) != 1 || rows[0].ID.String() != key {
		t.Errorf("after the removal: %+v", rows)
	}
	o.decoded(&rows, "passkeys", "list", anna)
	if rows == nil || len(rows) != 0 {
		t.Errorf("of anna: %+v", rows)
	}
	o.refused(exitFailed, "No passkey has this ID.", "passkeys", "remove", phone)
	o.refused(exitFailed, "No passkey has this ID.", "passkeys", "remove", domain.NewID().String())
	o.refused(exitUsage, `"phone" is not the ID of a passkey.`, "passkeys", "remove", "phone")
	o.refused(exitFailed, "No person has the e-mail address x@example.com.", "passkeys", "list", "x@example.com")
}

package graph

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/connect"
	"countersign/domain"
	"countersign/feed"
	"countersign/graph/scalar"
	"countersign/internal/pgtest"
	"countersign/store"
	"countersign/views"
)

// localWebhooks reach receivers on this machine and have the secret "one".
func localWebhooks(t *testing.T) *connect.Webhooks {
	t.Helper()
	webhooks, err := connect.NewWebhooks(connect.WebhookSettings{Networks: []string{"127.0.0.1"},
		Secrets: []string{"one=whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))}})
	must(t, err)
	return webhooks
}

// connector lets two administrators make a connector, and returns it with a delivery that needs a
// person.
func (w *testEnv) connector(ada, adam domain.Actor, address string) (connector,
	delivery domain.ID) {
	w.t.Helper()
	ctx := w.t.Context()
	proposed, err := w.service.PutConnector(ctx, ada, casework.PutConnector{Reason: "books",
		Spec: domain.ConnectorSpec{Name: "books", Kind: domain.ConnectorWebhook, URL: address,
			Secrets: []string{"one"}, Audience: domain.ForStaff}})
	must(w.t, err)
	_, err = w.service.ConfirmControlChange(ctx, adam,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(w.t, err)
	found, err := w.db.Reader().ConnectorNamed(ctx, "books")
	must(w.t, err)
	row := domain.Delivery{ID: domain.NewID(), Connector: found.ID, Stream: domain.NewID(),
		Position: domain.FeedPosition{Era: 2, TxID: 1, ID: 1}, EventID: "e/1",
		Type: domain.CaseRejected, Status: domain.DeliveryDead, Attempts: 1, HTTPStatus: 422,
		Error: "The receiver answered 422.", Answer: "no"}
	must(w.t, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.ParkDeliveries(ctx, []domain.Delivery{row})
	}))
	return found.ID, row.ID
}

// Connectors are shown to administrators and auditors and operated by administrators.
func TestConnectors(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada, adam := w.person("ada", domain.RoleAdmin), w.person("adam", domain.RoleAdmin)
	w.person("aud", domain.RoleAuditor)
	w.person("rita", domain.RoleL1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("thanks"))
	}))
	t.Cleanup(receiver.Close)
	connector, delivery := w.connector(ada, adam, receiver.URL)
	id, row := scalar.GlobalID(scalar.KindConnector, connector),
		scalar.GlobalID(scalar.KindDelivery, delivery)
	const list = `{ connectors { id name url audience status dead lagSeconds setBy { name } } }`
	for _, by := range []string{"ada", "aud"} {
		seen := w.mustExecute(by, list)
		if seen.text("connectors", 0, "id") != id || seen.text("connectors", 0, "status") !=
			"ACTIVE" || fmt.Sprint(seen.at("connectors", 0, "dead")) != "1" ||
			seen.text("connectors", 0, "setBy", "name") != "adam" {
			t.Errorf("%s sees %+v", by, seen)
		}
	}
	const rows = `query($id: ID!) { deliveries(connectorId: $id) { nodes { id status httpStatus
		answer reason skippedBy { name } } pageInfo { hasNextPage } } }`
	if seen := w.mustExecute("aud", rows, "id", id); seen.text("deliveries", "nodes", 0, "id") !=
		row || seen.text("deliveries", "nodes", 0, "answer") != "no" {
		t.Errorf("deliveries %+v", seen)
	}
	if refused := w.execute("rita", list); len(refused.Errors) == 0 {
		t.Errorf("a reviewer sees %+v", refused)
	}
	tested := w.mustExecute("ada", `mutation($id: ID!) { testConnector(input: {connectorId: $id}) {
		test { delivered httpStatus answer error } userErrors { ... on Refusal { code } } } }`, "id", id)
	if tested.at("testConnector", "test", "delivered") != true ||
		tested.text("testConnector", "test", "answer") != "thanks" {
		t.Errorf("tested %+v", tested)
	}
	for _, step := range []struct{ call, status string }{{"pauseConnector", "PAUSED"},
		{"resumeConnector", "ACTIVE"}} {
		done := w.mustExecute("ada", `mutation($id: ID!) { done: `+step.call+`(input: {connectorId: $id,
			reason: "maintenance"}) { connector { status } userErrors { ... on Refusal { code } } } }`,
			"id", id)
		if done.text("done", "connector", "status") != step.status {
			t.Errorf("%s: %+v", step.call, done)
		}
	}
	replayed := w.mustExecute("ada", `mutation($id: ID!) { replayConnector(input: {connectorId: $id,
		from: "2099-01-01T00:00:00Z"}) { userErrors { ... on Refusal { code field } } } }`, "id", id)
	if replayed.text("replayConnector", "userErrors", 0, "field") != "from" {
		t.Errorf("events were left out: %+v", replayed)
	}
	w.mustExecute("ada", `mutation($id: ID!) { skipDelivery(input: {deliveryId: $id, reason: "by hand"}) {
		connector { dead } userErrors { ... on Refusal { code } } } }`, "id", row)
	seen := w.mustExecute("ada", rows, "id", id)
	if seen.text("deliveries", "nodes", 0, "status") != "SKIPPED" ||
		seen.text("deliveries", "nodes", 0, "skippedBy", "name") != "ada" {
		t.Errorf("skipped %+v", seen)
	}
}

// changing matches ids and durations.
var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|"durationMs":[0-9]+`)

// connectorEvents returns what a connector of the audience sends about a case, without ids and times.
func (w *amlWorld) connectorEvents(audience domain.ConnectorAudience) []string {
	w.t.Helper()
	page, err := views.New(w.db.Reader(), w.service.Authorizer).ConnectorPage(w.t.Context(),
		domain.ConnectorSpec{Audience: audience}, domain.FeedPosition{}, 1000)
	must(w.t, err)
	var sent []string
	for i := range page.Events {
		if page.Events[i].Stream[0] == 0 {
			sent = append(sent, "other stream")
			continue
		}
		event, err := feed.ToCloudEvent(&page.Events[i], "", feed.Snapshot)
		must(w.t, err)
		sent = append(sent, fmt.Sprint(event.Type, event.Sequence, event.CaseStatus, event.Actor,
			changing.ReplaceAllString(string(event.Data), "-")))
	}
	return sent
}

// What is confidential leaves only to a connector for auditors: to the others a case in an AML review
// looks like one that is not.
func TestConnectorsDoNotTellThatItIsWithAML(t *testing.T) {
	t.Parallel()
	with, without := newAMLWorld(t, true), newAMLWorld(t, false)
	pgtest.Settle(t, pgtest.New(t).Owner(t))
	for _, audience := range []domain.ConnectorAudience{domain.ForSubmitters, domain.ForStaff} {
		secret, plain := with.connectorEvents(audience), without.connectorEvents(audience)
		if !slices.Equal(secret, plain) || len(plain) == 0 {
			t.Errorf("%s: with AML %v, without %v", audience, secret, plain)
		}
		if slices.Contains(plain, "other stream") {
			t.Errorf("%s: another stream leaves", audience)
		}
	}
	all := with.connectorEvents(domain.ForAuditors)
	if !slices.Contains(all, "other stream") || !slices.ContainsFunc(all, func(sent string) bool {
		return strings.HasPrefix(sent, "review.opened")
	}) {
		t.Errorf("auditors: %v", all)
	}
}

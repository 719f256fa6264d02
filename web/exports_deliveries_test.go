package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/export"
	"countersign/store"
	"countersign/web"
)

// deliveries makes a connector with n deliveries that need a person, and one that waits.
func (w *testEnv) deliveries(by, confirms domain.Actor, n int) (ids []string) {
	w.t.Helper()
	proposed, err := w.service.PutConnector(w.ctx, by, casework.PutConnector{Reason: "books",
		Spec: domain.ConnectorSpec{Name: "books", Kind: domain.ConnectorWebhook,
			URL: "https://books.example.com/hook", Secrets: []string{"one"}, Audience: domain.ForStaff}})
	must(w.t, err)
	_, err = w.service.ConfirmControlChange(w.ctx, confirms,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(w.t, err)
	connector, err := w.db.Reader().ConnectorNamed(w.ctx, "books")
	must(w.t, err)
	rows := make([]domain.Delivery, n+1)
	for i := range rows {
		rows[i] = domain.Delivery{ID: domain.NewID(), Connector: connector.ID, Stream: domain.NewID(),
			Position: domain.FeedPosition{Era: 2, TxID: 1, ID: int64(i + 1)},
			EventID:  fmt.Sprintf("e/%d", i+1), Type: domain.CaseRejected, Status: domain.DeliveryDead,
			Attempts: 1, HTTPStatus: 422, Error: "=cmd", Answer: "no"}
		ids = append(ids, rows[i].ID.String())
	}
	rows[n].Status, rows[n].HTTPStatus = domain.DeliveryWaiting, 0
	must(w.t, w.db.InTx(w.ctx, func(tx *store.Tx) error { return tx.ParkDeliveries(w.ctx, rows) }))
	return ids
}

// Deliveries are exported to those who see connectors. The rows at which a page ended are deleted
// before the next page, as rows of delivered events are, and the export continues after them.
func TestExportOfDeliveries(t *testing.T) {
	t.Parallel()
	hooked := &hookedAuthenticator{hook: func(int64) {}}
	w := newTestEnv(t, func(o *web.Options) {
		hooked.Authenticator = o.Callers.Authenticator
		o.Callers.Authenticator = hooked
	})
	ada := w.person("ada", domain.RoleAdmin)
	w.person("rita", domain.RoleL1)
	ids := w.deliveries(ada, w.person("adam", domain.RoleAdmin), 250)
	aud := w.signedIn("ada")
	rows := rowsOf(t, w.get(aud, "/export/deliveries.csv?connector=books"), export.CSV)
	if got := column(t, rows, "id"); !slices.Equal(got, ids) {
		t.Errorf("exported %d of %d deliveries", len(got), len(ids))
	}
	if row := rows[0]; row["error"] != "'=cmd" || row["httpStatus"] != "422" || row["nextAt"] != "" ||
		row["connector"] != "books" || row["status"] != "dead" {
		t.Errorf("the first delivery is %v", row)
	}
	if row := rows[250]; row["httpStatus"] != "" || row["nextAt"] == "" {
		t.Errorf("the delivery that waits is %v", row)
	}
	waiting := w.get(aud, "/export/deliveries.jsonl?connector=books&status=waiting")
	if got := column(t, rowsOf(t, waiting, export.Lines), "id"); !slices.Equal(got, ids[250:]) {
		t.Errorf("waiting are %v", got)
	}
	before := hooked.calls.Load()
	hooked.hook = func(call int64) {
		if call == before+2 { // before the second page
			_, err := w.owner.Exec(w.ctx, `DELETE FROM connector_deliveries WHERE event BETWEEN 51 AND 210`)
			must(t, err)
		}
	}
	rest := column(t, rowsOf(t, w.get(aud, "/export/deliveries.csv?connector=books"), export.CSV), "id")
	if want := slices.Concat(ids[:100], ids[210:]); !slices.Equal(rest, want) {
		t.Errorf("after rows were deleted, %d deliveries are exported, want %d", len(rest), len(want))
	}
	hooked.hook = func(int64) {}
	for query, code := range map[string]domain.Code{"": domain.InvalidInput,
		"?connector=books&status=lost": domain.InvalidInput, "?connector=a%20b": domain.InvalidInput,
		"?connector=none": domain.NotFound, "?connector=books&text=a": domain.InvalidInput} {
		wantCode(t, query, w.get(aud, "/export/deliveries.csv"+query), code)
	}
	wantReply(t, w.get(w.signedIn("rita"), "/export/deliveries.csv?connector=books"),
		http.StatusForbidden, domain.NotPermitted)
}

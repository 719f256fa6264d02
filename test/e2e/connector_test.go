package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/test/fakeconnector"
	"countersign/test/testcluster"
)

// processWithSaga is the built-in process with a saga before its archive: the sum is reserved, paid
// and booked.
func processWithSaga(t *testing.T) string {
	t.Helper()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(checkout, "workflow", "definitions",
		"document_approval.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("        to: archive\n", "        to: pay\n",
		"      approve: archive\n", "      approve: pay\n").Replace(string(text))
	changed = strings.Replace(changed, "  - id: archive\n", `  - id: pay
    kind: saga
    title: {en: Pay and book, zh: 付款入账}
    attempts: 3
    backoff: 1s
    steps:
      - {id: reserve, call: ledger.reserve, undo: ledger.release}
      - {id: pay, call: bank.pay, undo: bank.recall}
      - {id: book, call: ledger.book}
    on:
      done: archive
      undone: seal_rejected
  - id: archive
`, 1)
	if strings.Count(changed, ": pay\n") != 3 { // both ways, and the node itself
		t.Fatalf("the process has other ways to its archive:\n%s", changed)
	}
	return changed
}

// newPayingCluster is a cluster whose invoices are paid by a bank, with two administrators to
// publish that process.
func newPayingCluster(t *testing.T) (*testcluster.Cluster, *fakeconnector.Connector) {
	t.Helper()
	b := fakeconnector.New(t)
	h := testcluster.New(t, "COUNTERSIGN_CONNECTORS=bank="+b.URL+"/bank,ledger="+b.URL+"/ledger",
		"COUNTERSIGN_CONNECTOR_TOKEN=known to both")
	h.AddUser(testcluster.Person{Email: "other@test.test", Name: "other", Roles: "administrator"})
	publish(t, h, processWithSaga(t))
	return h, b
}

// A worker dies between the bank's booking and its answer. Another repeats the call under the same
// key: paid once, and the case continues.
func TestPaidOnceThoughTheWorkerDies(t *testing.T) {
	t.Parallel()
	h, b := newPayingCluster(t)
	release := b.DelayAnswer("bank/pay")
	defer release()
	one := h.Worker()
	reference := h.CLI("submitter").WithTB(t).Expect(0, nil, "submit",
		h.PDF(testcluster.Invoice(70, 100))).Reference()
	testcluster.Eventually(t, time.Minute, "the bank has booked and not answered",
		func() bool { return b.Completed("bank/pay") == 1 })
	one.Kill()
	h.Worker()
	h.CLI("submitter").WithTB(t).Expect(0, []string{"was archived"}, "watch", reference)

	calls := b.Calls("bank/pay")
	if len(calls) != 2 || calls[0].Key != calls[1].Key || calls[0] != calls[1] {
		t.Errorf("the bank was asked %+v", calls)
	}
	if calls[0].Case != reference || calls[0].Amount != "132.60" || calls[0].Currency != "EUR" ||
		calls[0].Token != "Bearer known to both" {
		t.Errorf("the bank was sent %+v", calls[0])
	}
	for operation, want := range map[string]int{"bank/pay": 1, "ledger/reserve": 1,
		"ledger/book": 1, "bank/recall": 0, "ledger/release": 0} {
		if got := b.Completed(operation); got != want {
			t.Errorf("%s was done %d times, want %d", operation, got, want)
		}
	}
	h.CLI("").WithTB(t).Expect(0, []string{"verified"}, "audit", "verify")
	testcluster.Eventually(t, 20*time.Second, "doctor is content",
		func() bool { return h.CLI("").Run("doctor", "--grace", "1s").Code == 0 })
}

// The ledger refuses to book what was paid: the payment is recalled and the reservation released,
// the last first, and the case ends as rejected with the ledger's own reason.
func TestPaymentIsReversed(t *testing.T) {
	t.Parallel()
	h, b := newPayingCluster(t)
	b.RespondWith(func(order fakeconnector.Call) (int, string) {
		if order.Operation == "ledger/book" {
			return http.StatusUnprocessableEntity, "the period is closed"
		}
		return 0, ""
	})
	h.Worker()
	said := h.CLI("submitter").WithTB(t).Expect(2, []string{"rejected"}, "submit", "--watch",
		h.PDF(testcluster.Invoice(71, 100)))
	var done []string
	for _, order := range b.Calls("") {
		done = append(done, order.Operation)
	}
	if want := []string{"ledger/reserve", "bank/pay", "ledger/book", "bank/recall",
		"ledger/release"}; !slices.Equal(done, want) {
		t.Errorf("the systems were asked %q, want %q", done, want)
	}
	calls := b.Calls("")
	if len(calls) == 5 && (calls[3].Undoes != calls[1].Key || calls[4].Undoes != calls[0].Key) {
		t.Errorf("they undo others than were done: %+v", calls)
	}
	if shown := h.CLI("manager").WithTB(t).Expect(2, nil, "watch", "--json",
		said.Reference()); !strings.Contains(shown.Out, "the period is closed") {
		t.Errorf("the reason is not shown:\n%s", shown.Out)
	}
	h.CLI("").WithTB(t).Expect(0, []string{"verified"}, "audit", "verify")
}

package connect_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"countersign/connect"
	"countersign/domain"
)

func TestCallSendsTheOperation(t *testing.T) {
	t.Parallel()
	var got map[string]string
	var header http.Header
	connector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		if r.Method != http.MethodPost || r.URL.Path != "/v1/pay" ||
			json.NewDecoder(r.Body).Decode(&got) != nil {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		_, _ = w.Write([]byte(`{"reference":"B-1"}`))
	}))
	t.Cleanup(connector.Close)
	caller, err := connect.New(
		connect.Settings{Addresses: map[string]string{"bank": connector.URL + "/v1"},
			Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := caller.Call(t.Context(),
		domain.SagaCall{Key: "k", Operation: "bank.pay", Reference: "CS-1", Payee: "Muster",
			Account: "DE1", Amount: domain.Money{Minor: 12000, Currency: "EUR"}})
	if err != nil || answer.Reference != "B-1" {
		t.Fatalf("%+v, %v", answer, err)
	}
	if header.Get("Idempotency-Key") != "k" || header.Get("Authorization") != "Bearer secret" ||
		got["amount"] != "120.00" ||
		got["currency"] != "EUR" || got["account"] != "DE1" || got["case"] != "CS-1" ||
		got["payee"] != "Muster" {
		t.Errorf("sent %v with %v", got, header)
	}
}

// TestAnswersOfOtherSystems checks the meaning of each response, because it decides whether money
// may be sent again: only a definite refusal counts as one.
func TestAnswersOfOtherSystems(t *testing.T) {
	t.Parallel()
	status, text, release := 200, "", make(chan struct{})
	connector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// until the body is read the server does not notice that the caller has disconnected
		_, _ = io.Copy(io.Discard, r.Body)
		if status == 0 {
			select {
			case <-release:
			case <-r.Context().Done():
			}
			return
		}
		if status == 302 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(connector.Close)
	t.Cleanup(func() { close(release) })
	var callers [2]*connect.Caller // with a long and a short timeout
	for i, timeout := range []time.Duration{5 * time.Minute, 300 * time.Millisecond} {
		var err error
		if callers[i], err = connect.New(
			connect.Settings{Addresses: map[string]string{"bank": connector.URL},
				Timeout: timeout}); err != nil {
			t.Fatal(err)
		}
	}
	caller := callers[0]
	for _, tc := range []struct {
		status int
		text   string
		want   domain.Code
	}{
		{200, "", ""}, {201, "no JSON", ""}, {400, `{"message":"no such account"}`,
			domain.ValidationFailed}, {402, "", domain.ValidationFailed},
		{302, "", domain.ValidationFailed}, {408, "", domain.Unavailable},
		{409, "", domain.Unavailable}, {429, "", domain.Unavailable},
		{500, `{"message":"oops"}`, domain.Unavailable}, {503, "", domain.Unavailable},
		{0, "", domain.TimedOut},
	} {
		status, text = tc.status, tc.text
		if caller = callers[0]; status == 0 {
			caller = callers[1]
		}
		if _, err := caller.Call(context.Background(),
			domain.SagaCall{Key: "k", Operation: "bank.pay"}); domain.CodeOf(err) != tc.want {
			t.Errorf("%d %s: %v, want %s", tc.status, tc.text, err, tc.want)
		}
	}
	for _, operation := range []string{"ledger.book", "bank", "bank."} {
		if _, err := caller.Call(t.Context(),
			domain.SagaCall{Operation: operation}); !domain.HasCode(err, domain.ProcessorNotFound) {
			t.Errorf("%s: %v", operation, err)
		}
	}
	if _, err := connect.New(
		connect.Settings{Addresses: map[string]string{"bank": "ftp://x"}}); !domain.HasCode(err,
		domain.InvalidInput) {
		t.Errorf("an invalid address: %v", err)
	}
	connector.Close()
	if _, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"}); !domain.HasCode(
		err, domain.Unavailable) {
		t.Errorf("a closed connector: %v", err)
	}
}

package connect_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"countersign/connect"
	"countersign/domain"
)

// answering is a caller of one system, "bank", that responds with the handler.
func answering(t *testing.T, handler http.HandlerFunc) *connect.Caller {
	t.Helper()
	system := httptest.NewServer(handler)
	t.Cleanup(system.Close)
	caller, err := connect.New(connect.Settings{
		Addresses: map[string]string{"bank": system.URL + "/api/"}})
	if err != nil {
		t.Fatal(err)
	}
	return caller
}

// The reference and the refusal of another system are stored, so they must be short UTF-8 text
// without NUL. Otherwise the database refuses the result, and the call is repeated forever.
func TestTextsOfOtherSystemsCanBeStored(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"plain":         {`B-1 \u00e4`, "B-1 ä"},
		"NUL":           {`B\u0000-1`, "B-1"},
		"lines":         {`B-1\r\nX: y`, "B-1X: y"},
		"terminal":      {`\u001b[2JB-1`, "[2JB-1"},
		"C1 control":    {`B\u009b-1`, "B-1"},
		"half a symbol": {`B\ud800-1`, "B\ufffd-1"},
		"bytes":         {"B\xff-1", "B\ufffd-1"},
		"only control":  {`\u0000\u0001`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := http.StatusOK
			caller := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, `{"reference":"%[1]s","message":"%[1]s"}`, tc.text)
			})
			result, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
			if err != nil || result.Reference != tc.want {
				t.Errorf("the reference is %q (%v), want %q", result.Reference, err, tc.want)
			}
			status = http.StatusBadRequest
			_, err = caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
			if !domain.HasCode(err, domain.ValidationFailed) ||
				!strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("the refusal is %q", err)
			}
		})
	}
}

// A long text is cut between characters, not inside one.
func TestLongTextsOfOtherSystemsAreCut(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	caller := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		long := strings.Repeat("ä", 1000)
		_, _ = fmt.Fprintf(w, `{"reference":"%s","message":"%s"}`, long, long)
	})
	result, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
	if err != nil || result.Reference != strings.Repeat("ä", 200) {
		t.Errorf("%d characters (%v)", utf8.RuneCountInString(result.Reference), err)
	}
	status = http.StatusConflict + 1
	_, err = caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
	if n := strings.Count(err.Error(), "ä"); n != 300 || !utf8.ValidString(err.Error()) {
		t.Errorf("the refusal has %d characters: %v", n, err)
	}
}

// A response that is too long to read completely is still the response: the payment was made.
func TestLongSuccessIsASuccess(t *testing.T) {
	t.Parallel()
	caller := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"reference":"B-1","log":"`+strings.Repeat("x", 1<<20)+`"}`)
	})
	result, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
	if err != nil || result.Reference != "" {
		t.Errorf("%+v, %v", result, err)
	}
}

// A connection that breaks inside the response leaves the outcome unknown, whatever the status
// said: the system may or may not have acted.
func TestBrokenResponsesAreUnknownOutcomes(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		caller := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"reference":"B`)
		})
		result, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
		if !domain.HasCode(err, domain.Unavailable) || result.Reference != "" {
			t.Errorf("%d: %+v, %v", status, result, err)
		}
	}
}

// A redirect is not followed: the order with its token must not reach another address.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		elsewhere.Add(1)
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		caller := answering(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, status)
		})
		_, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.pay"})
		if !domain.HasCode(err, domain.ValidationFailed) ||
			!strings.Contains(err.Error(), fmt.Sprintf("(%d)", status)) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if elsewhere.Load() != 0 {
		t.Errorf("%d orders reached another address", elsewhere.Load())
	}
}

// Amounts are sent as decimals of their currency, and a case without an amount sends none, which
// differs from an amount of zero.
func TestAmountsOfCalls(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		amount domain.Money
		want   string
	}{
		"euro":       {domain.Money{Minor: 105, Currency: "EUR"}, `"amount":"1.05","currency":"EUR"`},
		"yen":        {domain.Money{Minor: 105, Currency: "JPY"}, `"amount":"105","currency":"JPY"`},
		"dinar":      {domain.Money{Minor: 105, Currency: "KWD"}, `"amount":"0.105","currency":"KWD"`},
		"credit":     {domain.Money{Minor: -5, Currency: "EUR"}, `"amount":"-0.05","currency":"EUR"`},
		"zero":       {domain.Money{Currency: "EUR"}, `"amount":"0.00","currency":"EUR"`},
		"the most":   {domain.Money{Minor: domain.MaxMinor, Currency: "EUR"}, `"10000000000000.00"`},
		"no amount":  {domain.Money{}, `{"case":"CS-1","undoes":"key-1"}`},
		"unit alone": {domain.Money{Minor: 5}, `{"case":"CS-1","undoes":"key-1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caller := answering(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || !strings.Contains(string(body), tc.want) ||
					r.URL.Path != "/api/refund" || r.Header.Get("Authorization") != "" ||
					r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s: %s with %v (%v)", r.URL, body, r.Header, err)
				}
			})
			if _, err := caller.Call(t.Context(), domain.SagaCall{Operation: "bank.refund",
				Reference: "CS-1", Undoes: "key-1", Amount: tc.amount}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{"http://bank": true, "https://bank:8443/v1": true,
		"": false, "bank": false, "bank:443": false, "ftp://bank": false, "http://": false,
		"file:///etc/passwd": false, "http://bank\x7f": false} {
		_, err := connect.New(connect.Settings{Addresses: map[string]string{"bank": address}})
		if valid && err != nil || !valid && !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// FuzzTextsOfOtherSystems checks that no response makes a text that cannot be stored.
func FuzzTextsOfOtherSystems(f *testing.F) {
	for _, seed := range []string{`{"reference":"a\u0000"}`, `{"reference":1}`, `[]`, "\xff", ``} {
		f.Add(seed)
	}
	var body atomic.Value
	body.Store("")
	system := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body.Load().(string))
	}))
	f.Cleanup(system.Close)
	caller, err := connect.New(connect.Settings{Addresses: map[string]string{"b": system.URL}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		body.Store(text)
		result, err := caller.Call(t.Context(), domain.SagaCall{Operation: "b.pay"})
		if err != nil || !utf8.ValidString(result.Reference) ||
			strings.ContainsFunc(result.Reference, unicode.IsControl) ||
			utf8.RuneCountInString(result.Reference) > 200 {
			t.Errorf("%q: %q (%v)", text, result.Reference, err)
		}
	})
}

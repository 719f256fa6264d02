package languagemodel_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
)

// class is what one request that the vendor spoils, followed by honest ones, must lead to.
type class struct {
	behaviour modelvendor.Behaviour
	outcomes  string // of all calls
	code      domain.Code
	message   string // part of it
	charged   int    // calls with tokens
	status    int    // of the first call
}

// classes is the table of failures: outcome, retries and tokens of each, recorded once.
var classes = []class{
	{modelvendor.Honest, "answered", "", "", 1, 200},
	{modelvendor.Slow, "answered", "", "", 1, 200},
	{modelvendor.NegativeUsage, "answered", "", "", 1, 200},
	{modelvendor.AbsurdUsage, "answered", "", "", 1, 200},
	{modelvendor.NoUsage, "answered", "", "", 1, 200},
	{modelvendor.TextUsage, "answered", "", "", 1, 200},
	{modelvendor.RefusesImages, "answered", "", "", 1, 200}, // with images: TestRefusedImages
	{modelvendor.OtherDocument, "answered", "", "", 1, 200},
	{modelvendor.Obeys, "answered", "", "", 1, 200},
	{modelvendor.InvalidJSONOnce, "invalid_json answered", "", "", 2, 200},
	{modelvendor.SchemaMissOnce, "schema_miss answered", "", "", 2, 200},
	{modelvendor.WrongType, "schema_miss answered", "", "", 2, 200},
	{modelvendor.NumbersAsWords, "schema_miss answered", "", "", 2, 200},
	{modelvendor.Error500, "unavailable answered", "", "", 1, 500},
	{modelvendor.Error503, "unavailable answered", "", "", 1, 503},
	{modelvendor.RateLimited, "rate_limited answered", "", "", 1, 429},
	{modelvendor.HangsUp, "unavailable answered", "", "", 2, 0},
	{modelvendor.HeaderBomb, "unavailable answered", "", "", 2, 0},
	{modelvendor.Cuts, "cut answered", "", "", 2, 200},
	{modelvendor.QuotaUsedUp, "rate_limited", domain.RateLimited, "no more requests", 0, 429},
	{modelvendor.NeverAnswers, "timeout", domain.TimedOut, "did not answer within 300ms", 1, 0},
	{modelvendor.Drips, "timeout", domain.TimedOut, "did not answer within 300ms", 1, 200},
	{modelvendor.Huge, "too_large", domain.ValidationFailed, "more than 1048576 bytes", 1, 200},
	{modelvendor.StopsAtLength, "too_large", domain.ValidationFailed, "bound of tokens", 1, 200},
	{modelvendor.Refuses, "refused", domain.ValidationFailed, "refused to answer", 1, 200},
	{modelvendor.EchoesKey, "refused", domain.ValidationFailed, "contains the API key", 1, 200},
	{modelvendor.BadRequest, "refused", domain.ValidationFailed, "(400, unsupported_parameter)", 0, 400},
	{modelvendor.Unauthorized, "refused", domain.ValidationFailed, "(401, invalid_api_key)", 0, 401},
	{modelvendor.UnknownModel, "refused", domain.ValidationFailed, "(404, model_not_found)", 0, 404},
	{modelvendor.Redirects, "refused", domain.ValidationFailed, "redirects are not followed", 0, 307},
	{modelvendor.NotACompletion, "invalid_json", domain.ValidationFailed, "something else", 1, 200},
}

// permanent behaviours continue in the repair turn.
var permanent = []class{
	{modelvendor.InvalidJSON, "invalid_json invalid_json", domain.ValidationFailed, "not valid JSON", 2, 200},
	{modelvendor.SchemaMiss, "schema_miss schema_miss", domain.ValidationFailed, "does not match the schema", 2, 200},
	{modelvendor.WrongType, "schema_miss schema_miss", domain.ValidationFailed, "does not match the schema", 2, 200},
	{modelvendor.Error500, "unavailable unavailable unavailable", domain.Unavailable, "reported an error (500)", 0, 500},
	{modelvendor.RateLimited, "rate_limited rate_limited rate_limited", domain.RateLimited, "no more requests", 0, 429},
	{modelvendor.Cuts, "cut cut cut", domain.Unavailable, "closed the connection", 3, 200},
}

func TestEveryClassOfFailure(t *testing.T) {
	t.Parallel()
	covered := map[modelvendor.Behaviour]bool{}
	for _, stream := range []bool{false, true} {
		for _, c := range classes {
			covered[c.behaviour] = true
			t.Run(fmt.Sprintf("%s, stream %t", c.behaviour, stream), func(t *testing.T) {
				t.Parallel()
				c.check(t, stream, modelvendor.Options{Sequence: []modelvendor.Behaviour{c.behaviour}})
			})
		}
		for _, c := range permanent {
			covered[c.behaviour] = true
			t.Run(fmt.Sprintf("always %s, stream %t", c.behaviour, stream), func(t *testing.T) {
				t.Parallel()
				c.check(t, stream, modelvendor.Options{Always: c.behaviour})
			})
		}
	}
	for _, behaviour := range modelvendor.Behaviours() {
		if !covered[behaviour] {
			t.Errorf("the behaviour %s is not in the table", behaviour)
		}
	}
}

func (c class) check(t *testing.T, stream bool, options modelvendor.Options) {
	t.Helper()
	options.Slow = shortTimeout / 3
	vendor := startVendor(t, options)
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) {
		s.Stream = stream
		if c.behaviour == modelvendor.NeverAnswers || c.behaviour == modelvendor.Drips {
			s.Timeout = shortTimeout
		}
	})
	answer, err := client.Ask(t.Context(), invoiceRequest())
	if outcomes(answer) != c.outcomes || domain.CodeOf(err) != c.code ||
		len(vendor.Requests()) != len(answer.Calls) {
		t.Fatalf("outcomes %q (%v) of %d requests, want %q", outcomes(answer), err, len(vendor.Requests()), c.outcomes)
	}
	if c.code != "" {
		checkError(t, err, c.message, answer)
	} else if len(answer.JSON) == 0 || answer.Model != "stub" || answer.Text == "" {
		t.Errorf("the answer is %+v", answer)
	}
	charged, sum := 0, languagemodel.Usage{}
	for _, call := range answer.Calls {
		if call.Usage.InputTokens > 0 {
			charged++
		}
		sum.InputTokens += call.Usage.InputTokens
		sum.OutputTokens += call.Usage.OutputTokens
		if call.Usage.InputTokens < 0 || call.Usage.OutputTokens < 0 || call.Usage.InputTokens > 5000 ||
			call.Usage.OutputTokens > 1<<20 || call.Took <= 0 || call.Started.IsZero() ||
			!slices.Contains(languagemodel.Outcomes(), call.Outcome) {
			t.Errorf("a call is %+v", call)
		}
	}
	if charged != c.charged || sum != answer.Usage || answer.Calls[0].Status != c.status {
		t.Errorf("%d calls are charged, want %d; usage %+v, calls %+v", charged, c.charged, answer.Usage, answer.Calls)
	}
	if elsewhere := vendor.Elsewhere(); elsewhere != 0 {
		t.Errorf("%d requests followed a redirect", elsewhere)
	}
}

func checkError(t *testing.T, err error, message string, answer languagemodel.Answer) {
	t.Helper()
	last := answer.Calls[len(answer.Calls)-1].Outcome
	known, is := err.(*domain.Error) //nolint:errorlint // the error itself, not a cause
	if !is || !strings.Contains(known.Message, message) || known.Remedy == "" ||
		known.Detail[languagemodel.OutcomeDetail] != last || answer.JSON != nil {
		t.Errorf("the error is %#v, the answer %s", err, answer.JSON)
	}
	if strings.Contains(err.Error(), testKey) || strings.Contains(err.Error(), "Muster") {
		t.Errorf("the error has the key or the document: %v", err)
	}
}

// No print of the client, its settings or an answer has the key, and only the endpoint receives it.
func TestTheKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{Key: testKey, Sequence: []modelvendor.Behaviour{modelvendor.EchoesKey}})
	settings := languagemodel.Settings{Endpoint: vendor.URL, Model: "stub", APIKey: testKey}
	client, err := languagemodel.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	answer, failed := client.Ask(t.Context(), invoiceRequest())
	honest, err := client.Ask(t.Context(), invoiceRequest())
	if failed == nil || err != nil || vendor.Requests()[0].Key != testKey {
		t.Fatalf("%v, %v", failed, err)
	}
	for _, value := range []any{settings, &settings, client, *client, answer, failed, honest} { //nolint:govet // a copy
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, testKey) {
				t.Errorf("%T in %s has the key: %s", value, format, text)
			}
		}
	}
}

// An escaped key in a value, or in the name of the model, is found, too.
func TestAnEscapedKeyIsFound(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"escaped in the answer": `{"choices":[{"message":{"content":"{\"number\":\"\\u0073k-a-secret-of-the-tests\",\"date\":null,\"total\":1,\"iban\":null}"}}]}`,
		"as a name":             `{"choices":[{"message":{"content":"{\"sk-a-secret-of-the-tests\":1}"}}]}`,
		"as the model":          `{"model":"sk-a-secret-of-the-tests","choices":[{"message":{"content":"{}"}}]}`,
	} {
		client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(body))
		}), nil)
		answer, err := client.Ask(t.Context(), invoiceRequest())
		if outcomes(answer) != languagemodel.Refused || answer.Text != "" || answer.Model != "" {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
	client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":"sk-a-secret-of-the-tests","type":"bad\nkey"}}`))
	}), nil)
	if _, err := client.Ask(t.Context(), invoiceRequest()); strings.Contains(err.Error(), "secret") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has the key: %q", err)
	}
	const identifier = "a.key_that_is_an_identifier"
	client = newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":"` + identifier + `","type":"bad_key"}}`))
	}), func(s *languagemodel.Settings) { s.APIKey = identifier })
	if _, err := client.Ask(t.Context(), invoiceRequest()); !strings.Contains(err.Error(), "(400, bad_key)") {
		t.Errorf("the error is %q", err)
	}
}

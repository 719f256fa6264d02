package languagemodel_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"countersign/languagemodel"
)

// Counts that cannot be true neither fill nor empty a budget: estimates replace them.
func TestClaimsOfTokens(t *testing.T) {
	t.Parallel()
	r := invoiceRequest()
	estimate := languagemodel.Usage{InputTokens: (len(r.System) + len(r.User) + len(r.Schema) + 2) / 3,
		OutputTokens: (len(invoiceAnswer) + 2) / 3}
	for claim, want := range map[string]languagemodel.Usage{
		`{"prompt_tokens":300,"completion_tokens":40}`:                        {InputTokens: 300, OutputTokens: 40},
		`{"prompt_tokens":300,"completion_tokens":900}`:                       {InputTokens: 300, OutputTokens: 900}, // it reasoned
		`{"prompt_tokens":100000,"completion_tokens":40}`:                     {InputTokens: estimate.InputTokens, OutputTokens: 40},
		`{"prompt_tokens":-300,"completion_tokens":-1}`:                       estimate,
		`{"prompt_tokens":1e300,"completion_tokens":1e300}`:                   estimate,
		`{"prompt_tokens":9223372036854775807,"completion_tokens":999999999}`: estimate,
		`{"prompt_tokens":1,"completion_tokens":1}`:                           estimate,
		`{"prompt_tokens":300.5,"completion_tokens":"40"}`:                    estimate,
		`{"prompt_tokens":null}`:                                              estimate,
		`"many"`:                                                              estimate,
		`[]`:                                                                  estimate,
		`null`:                                                                estimate,
	} {
		client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"usage":%s,%s`, claim, completion(invoiceAnswer)[1:])
		}), nil)
		answer, err := client.Ask(t.Context(), r)
		if err != nil || answer.Usage != want {
			t.Errorf("%s: %+v, want %+v (%v)", claim, answer.Usage, want, err)
		}
	}
}

// Images count for the estimate.
func TestImagesCount(t *testing.T) {
	t.Parallel()
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, completion(invoiceAnswer))
	})
	r := invoiceRequest()
	without, err := newClient(t, endpoint, nil).Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Images = []languagemodel.Image{{MediaType: "image/jpeg", Bytes: []byte("x")}, {MediaType: "image/jpeg", Bytes: []byte("y")}}
	with, err := newClient(t, endpoint, nil).Ask(t.Context(), r)
	if err != nil || with.Usage.InputTokens != without.Usage.InputTokens+2000 {
		t.Errorf("%+v and %+v, %v", with.Usage, without.Usage, err)
	}
}

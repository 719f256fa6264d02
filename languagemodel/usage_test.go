package languagemodel_test

import (
	"bytes"
	"fmt"
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

// Images count, whatever the endpoint reports: a claim for the text alone, none, or one per byte.
func TestImagesCount(t *testing.T) {
	t.Parallel()
	r := invoiceRequest()
	text := len(r.System) + len(r.User) + len(r.Schema)
	picture := languagemodel.Image{MediaType: "image/jpeg", Bytes: bytes.Repeat([]byte("x"), 300_000)}
	r.Images = []languagemodel.Image{picture, picture}
	for _, row := range []struct {
		claim, imageTokens, want int
	}{
		{0, 0, (text+2)/3 + 2*languagemodel.DefaultImageTokens},
		{text / 4, 0, text/20 + 2*languagemodel.DefaultImageTokens}, // for the text alone
		{text/4 + 2*765, 765, text/4 + 2*765},
		{text/4 + 2*256, 765, text/20 + 2*765},
		{text/4 + 2*36_835, 0, text/4 + 2*36_835},
		{400_000, 0, (text+2)/3 + 2*languagemodel.DefaultImageTokens}, // less than the bytes of the request
	} {
		endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"usage":{"prompt_tokens":%d,"completion_tokens":40},%s`, row.claim,
				completion(invoiceAnswer)[1:])
		})
		answer, err := newClient(t, endpoint, func(s *languagemodel.Settings) {
			s.ImageTokens = row.imageTokens
		}).Ask(t.Context(), r)
		if err != nil || answer.Usage.InputTokens != row.want {
			t.Errorf("a claim of %d with %d per image: %+v, want %d (%v)", row.claim, row.imageTokens,
				answer.Usage, row.want, err)
		}
	}
}

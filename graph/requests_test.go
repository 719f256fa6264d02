package graph

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/scalar"
)

const setRequests = `mutation($in: SetApiTokenRequestsInput!) { setApiTokenRequests(input: $in) {
	token { id requestsPerMinute } userErrors { ... on Refusal { code field } } } }`

// An administrator can raise the request limit of a token; its owner cannot, whatever their roles.
func TestOnlyAdministratorsRaiseTokenLimits(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	sam := w.person("sam", domain.RoleSubmitter)
	ada := w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	w.person("ma", domain.RoleManager)
	tokenOf := func(actor domain.Actor, chance byte) string {
		hash := make([]byte, 32)
		hash[0] = chance
		token, err := w.service.CreateToken(t.Context(), actor,
			casework.CreateToken{Name: "integration", Hash: hash})
		must(t, err)
		return scalar.GlobalID(scalar.KindAPIToken, token.ID)
	}
	token, own := tokenOf(sam, 1), tokenOf(ada, 2)
	for _, tc := range []struct {
		by, token string
		perMinute any
		want      string
	}{
		{"sam", token, 5000, "NotPermitted"}, {"ma", token, 5000, "NotFound"},
		{"ada", own, 5000, "FourEyes"},
		{"ada", token, 0, "InvalidInput"}, {"ada", token, -1, "InvalidInput"},
		{"ada", token, 100_001, "InvalidInput"},
		{"ada", token, 5000, ""}, {"adam", own, 10, ""},
	} {
		got := w.mustExecute(tc.by, setRequests, "in",
			map[string]any{"tokenId": tc.token, "requestsPerMinute": tc.perMinute})
		if code := got.text("setApiTokenRequests", "userErrors", 0, "code"); code != tc.want {
			t.Errorf("%s gives %v: %q, want %q", tc.by, tc.perMinute, code, tc.want)
		}
		if tc.want == "" && got.at("setApiTokenRequests", "token",
			"requestsPerMinute") != float64(tc.perMinute.(int)) {
			t.Errorf("%s: %+v", tc.by, got.Data)
		}
	}
	mine := w.mustExecute("sam", `{ viewer { apiTokens { id requestsPerMinute } person { apiTokens
		{ id } } } }`)
	if mine.text("viewer", "apiTokens", 0, "id") != token ||
		mine.at("viewer", "apiTokens", 0, "requestsPerMinute") != 5000.0 ||
		mine.at("viewer", "person", "apiTokens") != nil {
		t.Errorf("the list of the token's user: %+v", mine.Data)
	}
	listed := w.mustExecute("adam", `{ people { name apiTokens { id requestsPerMinute } } }`)
	found := false
	people, _ := listed.at("people").([]any)
	for i := range people {
		if listed.text("people", i, "name") == "sam" {
			found = listed.at("people", i, "apiTokens", 0, "requestsPerMinute") == 5000.0
		}
	}
	if !found {
		t.Errorf("the administrator's list: %+v", listed.Data)
	}
	if back := w.mustExecute("ada", setRequests, "in",
		map[string]any{"tokenId": token}); back.at("setApiTokenRequests", "token",
		"requestsPerMinute") != nil || back.text("setApiTokenRequests", "token", "id") == "" {
		t.Errorf("restored: %+v", back.Data)
	}
}

// Each caller has their own allowance; a token with an allowance of its own neither uses nor shares
// that of its user.
func TestPayers(t *testing.T) {
	t.Parallel()
	person, token := domain.NewID(), domain.NewID()
	for name, tc := range map[string]struct {
		actor domain.Actor
		key   string
		most  int64
	}{
		"anonymous":     {domain.Actor{}, "192.0.2.1", 10},
		"a person":      {domain.Actor{UserID: person}, person.String(), 20},
		"a plain token": {domain.Actor{UserID: person, TokenID: token}, person.String(), 20},
		"a token's own": {domain.Actor{UserID: person, TokenID: token, RequestsPerMinute: 5000},
			"token:" + token.String(), 5000},
		"never a cookie": {domain.Actor{UserID: person, RequestsPerMinute: 5000}, person.String(),
			20},
	} {
		if key, most := Payer(tc.actor, "192.0.2.1", 20, 10); key != tc.key || most != tc.most {
			t.Errorf("%s: %s %d", name, key, most)
		}
	}
}

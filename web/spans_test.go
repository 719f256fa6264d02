package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// A page's spans need a session, are few, and have names and times of which the page cannot make
// anything else.
func TestSpansOfPagesAreChecked(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	client := w.signedIn("ada")
	const at = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	span := func(change map[string]any) string {
		values := map[string]any{"kind": "request", "traceparent": at, "parent": "00f067aa0ba902b7",
			"beganAgo": 20, "endedAgo": 3.5}
		for name, value := range change {
			values[name] = value
		}
		text, err := json.Marshal(values)
		must(t, err)
		return string(text)
	}
	body := func(spans ...string) string { return `{"spans":[` + strings.Join(spans, ",") + `]}` }
	if got := w.post(client, "/spans", body(span(nil), span(map[string]any{"kind": "action",
		"parent": ""}))); got.status != http.StatusNoContent {
		t.Errorf("valid spans got %d %s", got.status, got.body)
	}
	for name, change := range map[string]map[string]any{
		"kind": {"kind": "my text"}, "traceparent": {"traceparent": "00-1"},
		"no traceparent": {"traceparent": ""}, "parent": {"parent": "00F067AA0BA902B7"},
		"zero parent": {"parent": "0000000000000000"}, "long parent": {"parent": strings.Repeat("a", 17)},
		"future": {"endedAgo": -1}, "backwards": {"beganAgo": 1}, "old": {"beganAgo": 300_001},
		"huge": {"beganAgo": 1e300}, "text": {"beganAgo": "20"},
	} {
		wantCode(t, name, w.post(client, "/spans", body(span(change))), domain.InvalidInput)
	}
	many := make([]string, 41)
	for i := range many {
		many[i] = span(nil)
	}
	wantCode(t, "41 spans", w.post(client, "/spans", body(many...)), domain.InvalidInput)
	wantReply(t, w.post(nil, "/spans", body(span(nil))), http.StatusUnauthorized,
		domain.Unauthenticated)
	_, secret := w.token(ada, "submit")
	wantReply(t, w.post(nil, "/spans", body(span(nil)), "Authorization", "Bearer "+secret),
		http.StatusForbidden, domain.NotPermitted)
}

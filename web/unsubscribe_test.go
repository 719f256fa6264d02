package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/web"
)

// Following the link of an e-mail shows a question, and only the button switches the e-mails off. Both
// need no signing in, and a token that is not signed is refused.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	var confirmed []string
	w := newTestEnv(t, func(o *web.Options) {
		o.Unsubscribe = func(_ context.Context, token string, sure bool) error {
			if token != "good" {
				return domain.Errorf(domain.NotFound, "This link is not valid.")
			}
			if sure {
				confirmed = append(confirmed, token)
			}
			return nil
		}
	})
	asked := w.get(nil, "/unsubscribe/good")
	if asked.status != http.StatusOK || !strings.Contains(asked.body, `<form method="post">`) ||
		len(confirmed) != 0 {
		t.Errorf("asked: %d %s, confirmed %v", asked.status, asked.body, confirmed)
	}
	if got := w.get(nil, "/unsubscribe/good", "Accept-Language", "zh-CN"); !strings.Contains(got.body, "电子邮件") {
		t.Errorf("in Chinese: %s", got.body)
	}
	for range 2 { // mail programs may send it again
		done := w.post(nil, "/unsubscribe/good", "List-Unsubscribe=One-Click", "Content-Type",
			"application/x-www-form-urlencoded")
		if done.status != http.StatusOK || strings.Contains(done.body, "<form") {
			t.Errorf("done: %d %s", done.status, done.body)
		}
	}
	if len(confirmed) != 2 {
		t.Errorf("confirmed %v", confirmed)
	}
	wantCode(t, "a wrong link", w.get(nil, "/unsubscribe/bad"), domain.NotFound)
	wantCode(t, "a wrong link", w.post(nil, "/unsubscribe/bad", ""), domain.NotFound)
}

package web_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// inputPoint is a point where text enters over HTTP outside GraphQL; put makes a request with the
// text at it.
type inputPoint struct {
	most int // number of characters read; 0 where the text is only compared
	put  func(w *testEnv, client *http.Client, text string) reply
}

// plainHeader removes control characters, because the client refuses header values with them before
// the server could.
func plainHeader(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

var inputPoints = map[string]inputPoint{
	"sign-in e-mail": {320, func(w *testEnv, _ *http.Client, text string) reply {
		return w.post(w.browser(), "/auth/sign-in",
			jsonOf(map[string]string{"email": text, "password": "p"}))
	}},
	"sign-in password": {1024, func(w *testEnv, _ *http.Client, text string) reply {
		return w.post(w.browser(), "/auth/sign-in",
			jsonOf(map[string]string{"email": "sam@example.com", "password": text}))
	}},
	"sign-in body": {16 << 10, func(w *testEnv, _ *http.Client, text string) reply {
		return w.post(w.browser(), "/auth/sign-in", text)
	}},
	"sign-in, other members": {16 << 10, func(w *testEnv, _ *http.Client, text string) reply {
		return w.post(w.browser(), "/auth/sign-in",
			jsonOf(map[string]any{text: text, "email": []string{text}}))
	}},
	"X-Request-Id":          {64, header("X-Request-Id", "")},
	"Accept-Language":       {0, header("Accept-Language", "")},
	"Authorization":         {0, header("Authorization", "Bearer ")},
	"Authorization, scheme": {0, header("Authorization", "")},
	"X-Countersign-Channel": {0, header("X-Countersign-Channel", "")},
	"Cookie":                {0, header("Cookie", "countersign=")},
	"Range":                 {0, header("Range", "bytes=")},
	"If-None-Match":         {0, header("If-None-Match", "")},
	"case in a path": {36, func(w *testEnv, client *http.Client, text string) reply {
		return w.get(client, "/cases/"+url.PathEscape(text)+"/document")
	}},
	"page in a path": {10, func(w *testEnv, client *http.Client, text string) reply {
		return w.get(client, "/cases/"+domain.NewID().String()+"/pages/"+url.PathEscape(text))
	}},
	"revision in a query": {10, func(w *testEnv, client *http.Client, text string) reply {
		return w.get(client, "/cases/"+domain.NewID().
			String()+"/document?revision="+url.QueryEscape(text))
	}},
	"any query": {0, func(w *testEnv, client *http.Client, text string) reply {
		return w.get(client, "/auth/me?"+url.QueryEscape(text)+"="+url.QueryEscape(text))
	}},
	"any path": {0, func(w *testEnv, client *http.Client, text string) reply {
		return w.get(client, "/"+url.PathEscape(text))
	}},
	"upload's name": {150, func(w *testEnv, client *http.Client, text string) reply {
		return w.begin(client, text, 10)
	}},
	"upload's metadata": {0, func(w *testEnv, client *http.Client, text string) reply {
		return w.send(client, http.MethodPost, "/uploads/", "", "Tus-Resumable", "1.0.0",
			"Upload-Length", "10", "Upload-Metadata",
			plainHeader(text)+" "+base64.StdEncoding.EncodeToString([]byte(text)))
	}},
	"upload's length": {20, func(w *testEnv, client *http.Client, text string) reply {
		return w.send(client, http.MethodPost, "/uploads/", "", "Tus-Resumable", "1.0.0",
			"Upload-Length", plainHeader(text))
	}},
	"upload in a path": {36, func(w *testEnv, client *http.Client, text string) reply {
		return w.head(client, "/uploads/"+url.PathEscape(text))
	}},
	"upload's offset": {20, func(w *testEnv, client *http.Client, text string) reply {
		return w.send(client, http.MethodPatch, "/uploads/"+domain.NewID().String(), "x",
			"Tus-Resumable", "1.0.0", "Upload-Offset", plainHeader(text),
			"Content-Type", "application/offset+octet-stream")
	}},
}

func header(name, before string) func(*testEnv, *http.Client, string) reply {
	return func(w *testEnv, client *http.Client, text string) reply {
		return w.get(client, "/auth/me", name, before+plainHeader(text))
	}
}

// No text at any input point causes an internal error or long processing: it is accepted, truncated
// or refused with a 4xx status.
func TestNoHTTPTextCausesAnInternalError(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	client := w.signedIn("sam")
	for name, at := range inputPoints {
		t.Logf("%-24s %5d characters", name, at.most)
		long := max(at.most, 8000)
		for attack, text := range map[string]string{
			"empty": "", "NUL": "a\x00b", "not UTF-8": "a\xff\xfeb",
			"control": "a\r\nSet-Cookie: x=y\x1b[2J", "quotes": `'"\;--`,
			"up":                  "../../../etc/passwd",
			"the longest":         strings.Repeat("\U0001F600", at.most/4),
			"beyond":              strings.Repeat("x", at.most+1),
			"far beyond":          strings.Repeat("x", long+1),
			"far beyond, 4 bytes": strings.Repeat("\U0001F600", long/8),
			"direction":           "a\u202egnp.exe", "percent": strings.Repeat("%", 200),
			"number": strings.Repeat("9", 400),
		} {
			began := time.Now()
			got := at.put(w, client, text)
			// a sign-in waits for its turn to hash
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("%s, %s: took %s", name, attack, took)
			}
			if got.status >= 500 {
				t.Errorf("%s, %s: %d %.200s", name, attack, got.status, got.body)
			}
			for header, values := range got.header {
				if strings.ContainsAny(strings.Join(values, ""), "\x00\r\n\x1b") {
					t.Errorf("%s, %s: header %s is %q", name, attack, header, values)
				}
			}
		}
	}
	if strings.Contains(w.log.String(), "panic") ||
		strings.Contains(w.log.String(), `"level":"ERROR"`) {
		t.Errorf("an internal error was logged: %.2000s", w.log.String())
	}
}

package web_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"countersign/domain"
	"countersign/web"
)

var script = strings.Repeat("console.log('countersign');\n", 500)

func pageFiles(o *web.Options) {
	o.App = fstest.MapFS{"index.html": {Data: []byte(strings.Repeat("<html>page</html>", 40))},
		"assets/a-1.js":    {Data: []byte(script)},
		"assets/b-2.js":    {Data: []byte(script)},
		"assets/b-2.js.br": {Data: []byte("compressed by the build")},
		"favicon.png":      {Data: []byte("\x89PNG\r\n\x1a\nx")}}
}

// raw sends a request with the given codings and does not decompress the response.
func (w *testEnv) raw(path string, header ...string) *http.Response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.server.URL+path, nil)
	must(w.t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).
		RoundTrip(request)
	must(w.t, err)
	w.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestPageFilesAreCompressedAndCached(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, pageFiles)
	got := w.raw("/assets/a-1.js", "Accept-Encoding", "gzip, deflate, br")
	if got.Header.Get("Content-Encoding") != "gzip" || got.ContentLength > int64(len(script))/10 ||
		got.Header.Get("Vary") != "Accept-Encoding" ||
		!strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
		t.Fatalf("%d bytes, %v", got.ContentLength, got.Header)
	}
	unpacked, err := gzip.NewReader(got.Body)
	must(t, err)
	if text, err := io.ReadAll(unpacked); err != nil || string(text) != script {
		t.Errorf("unpacked %d bytes %v", len(text), err)
	}
	if got := w.raw("/assets/b-2.js", "Accept-Encoding",
		"gzip, br"); got.Header.Get("Content-Encoding") != "br" {
		t.Errorf("file compressed by the build: %v", got.Header)
	}
	for _, accepted := range []string{"", "gzip;q=0", "identity"} {
		if got := w.raw("/assets/a-1.js", "Accept-Encoding",
			accepted); got.Header.Get("Content-Encoding") != "" ||
			got.ContentLength != int64(len(script)) {
			t.Errorf("%q: %v", accepted, got.Header)
		}
	}
	if got := w.raw("/favicon.png", "Accept-Encoding",
		"gzip"); got.Header.Get("Content-Encoding") != "" ||
		got.Header.Get("Content-Type") != "image/png" {
		t.Errorf("a picture: %v", got.Header)
	}
	tag := w.raw("/assets/a-1.js", "Accept-Encoding", "gzip").Header.Get("Etag")
	if again := w.raw("/assets/a-1.js", "Accept-Encoding", "gzip", "If-None-Match",
		tag); again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: %d", again.StatusCode)
	}
}

// What a page loads as a script has the headers that protect it, and none of those that govern documents and
// workers.
func TestHeadersOfScripts(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, pageFiles)
	script := w.raw("/assets/a-1.js", "Sec-Fetch-Dest", "script").Header
	for name, want := range map[string]bool{"X-Content-Type-Options": true, "Referrer-Policy": true,
		"Cross-Origin-Resource-Policy": true, "X-Request-Id": true, "Content-Security-Policy": false,
		"Cross-Origin-Opener-Policy": false, "Permissions-Policy": false, "X-Frame-Options": false} {
		if has := script.Get(name) != ""; has != want {
			t.Errorf("a script: %s %q", name, script.Get(name))
		}
	}
	for path, destination := range map[string]string{"/favicon.png": "image", "/queue": "document",
		"/assets/a-1.js": "worker", "/assets/gone.js": "script"} {
		if got := w.raw(path, "Sec-Fetch-Dest", destination).Header; got.Get("Content-Security-Policy") == "" ||
			got.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s as %s: %v", path, destination, got)
		}
	}
}

func TestEveryPageRouteIsTheOnePage(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, pageFiles)
	for _, path := range []string{"/", "/queue", "/cases/Q2FzZTox", "/review/x/y", "/index.html"} {
		got := w.raw(path, "Accept-Encoding", "gzip")
		policy := got.Header.Get("Content-Security-Policy")
		if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-cache" ||
			!strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(policy, "script-src 'self';") ||
			!strings.Contains(policy, "default-src 'self'") {
			t.Errorf("%s: %d %v", path, got.StatusCode, got.Header)
		}
	}
	for _, path := range []string{"/assets/gone.js", "/auth/x", "/robots.txt"} {
		if got := w.raw(path); got.StatusCode != 404 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
}

func TestSignInOptions(t *testing.T) {
	t.Parallel()
	var answer struct {
		Upload struct {
			MaxBytes   int64
			MediaTypes []string
		}
		Demo *struct{ People []web.DemoPerson }
	}
	rules := func(o *web.Options) {
		o.Uploads = web.UploadRules{MaxBytes: 1000, MediaTypes: []string{"application/pdf"}}
	}
	must(t, json.Unmarshal([]byte(newTestEnv(t, rules).get(nil, "/auth/options").body), &answer))
	if answer.Upload.MaxBytes != 1000 || !slices.Equal(answer.Upload.MediaTypes,
		[]string{"application/pdf"}) || answer.Demo != nil {
		t.Errorf("outside the demo: %+v", answer)
	}
	demo := newTestEnv(t, rules, func(o *web.Options) {
		o.DemoPeople = func() ([]web.DemoPerson, error) {
			return []web.DemoPerson{{Email: "a@demo.test", Name: "Ada",
				Roles: []domain.Role{domain.RoleAdmin}, Password: "x"}}, nil
		}
	})
	must(t, json.Unmarshal([]byte(demo.get(nil, "/auth/options").body), &answer))
	if answer.Demo == nil || len(answer.Demo.People) != 1 || answer.Demo.People[0].Password != "x" {
		t.Errorf("in the demo: %+v", answer)
	}
}

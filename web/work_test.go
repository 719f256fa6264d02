package web_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// routePattern matches the routes with an id in the route table.
var routePattern = regexp.MustCompile(`"(?:GET )?(/[^"]*\{id\}[^"]*)"`)

// TestForeignFilesTakeTheSameStatements requests every route with an id, and every upload method.
// Another user's object executes the same statements as a missing one, so that the response time
// does not distinguish them.
func TestForeignFilesTakeTheSameStatements(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf).String()
	ben := w.person("ben", domain.RoleSubmitter)
	w.person("lars", domain.RoleL2)
	w.person("otto", domain.RoleExternal)
	ada := w.signedIn("ada")
	address := w.begin(ada, "b.pdf", len(pdf)).header.Get("Location")
	_, submits := w.token(ben, "submit")
	_, reads := w.token(ben, "read")

	type request struct{ method, foreign, none, body string }
	var requests []request
	var routes [][]string
	for _, name := range []string{"routes.go", "exports.go"} {
		source, err := os.ReadFile(name)
		must(t, err)
		routes = append(routes, routePattern.FindAllStringSubmatch(string(source), -1)...)
	}
	if len(routes) < 4 {
		t.Fatalf("only %d routes with an id were found", len(routes))
	}
	for _, route := range routes {
		path := strings.ReplaceAll(route[1], "{n}", "1")
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, query := range []string{"", "?revision=1", "?revision=7"} {
				requests = append(requests, request{method,
					strings.ReplaceAll(path, "{id}", id) + query,
					strings.ReplaceAll(path, "{id}", domain.NewID().String()) + query, ""})
			}
		}
	}
	for _, method := range []string{http.MethodHead, http.MethodPatch, http.MethodDelete,
		http.MethodGet} {
		requests = append(requests, request{method, address, "/uploads/" + domain.NewID().String(),
			pdf})
	}
	callers := map[string]struct {
		client *http.Client
		header []string
	}{"ben": {w.signedIn("ben"), nil}, "lars": {w.signedIn("lars"), nil},
		"otto": {w.signedIn("otto"), nil}, "anonymous": {nil, nil},
		"submits": {nil, []string{"Authorization", "Bearer " + submits}},
		"reads":   {nil, []string{"Authorization", "Bearer " + reads}}}
	compared := 0
	for name, caller := range callers {
		for _, r := range requests {
			work := func(path string) []string {
				return w.meter.During(func() {
					w.send(caller.client, r.method, path, r.body,
						append(caller.header, "Tus-Resumable", "1.0.0", "Upload-Offset", "0",
							"Content-Type", "application/offset+octet-stream")...)
				})
			}
			foreign, none := work(r.foreign), work(r.none)
			// a cache was cold, or a session's last use was recorded
			if !slices.Equal(foreign, none) {
				foreign, none = work(r.foreign), work(r.none)
			}
			compared++
			if !slices.Equal(foreign, none) {
				t.Errorf("%s %s by %s: %d statements for a foreign one, %d for a missing one\nforeign: %s\nmissing: %s", r.method, r.foreign, name,
					len(foreign), len(none), strings.Join(foreign, "\n  "),
					strings.Join(none, "\n  "))
			}
		}
	}
	t.Logf("%d pairs of answers compared", compared)
}

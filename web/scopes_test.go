package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/identity"
)

// tokenAuthenticator accepts any token; its text names the scopes.
type tokenAuthenticator struct{ Authenticator }

func (tokenAuthenticator) Identify(_ context.Context, credential identity.Credential) (
	identity.Identity, error) {
	if credential.Bearer == "" {
		return identity.Identity{}, nil
	}
	return identity.Identity{Actor: domain.Actor{UserID: domain.NewID(), TokenID: domain.NewID(),
		Scopes: strings.Split(credential.Bearer, ",")}}, nil
}

// Providers returns one, so that the routes of providers exist.
func (tokenAuthenticator) Providers() []identity.Provider { return []identity.Provider{nil} }

// noFeed is a feed that is never read.
type noFeed struct{ unread }

type unread interface{ Feed }

// noExports are exports that are never read.
type noExports struct{ Exports }

// Every route either names the scopes that a token needs or states why it has none. A token with
// any other scope is refused, and the error names the scope. Only routes of the table can be
// served.
func TestEveryRouteNamesItsScope(t *testing.T) {
	t.Parallel()
	folder, err := OpenUploadFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(Options{Callers: Callers{Authenticator: tokenAuthenticator{}},
		PublicURL: "http://review.example", Clock: domain.SystemClock{}, Feed: noFeed{}, Exports: noExports{},
		Uploads: UploadRules{Store: folder, MaxBytes: 1 << 20},
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, route := range d.table() {
		if (len(route.Scopes) == 0) == (route.Open == "") {
			t.Errorf("%s names neither its scopes nor why it has none", route.Pattern)
		}
		if len(route.Scopes) == 0 {
			continue
		}
		method, path, _ := strings.Cut(route.Pattern, " ")
		if path == "" {
			method, path = http.MethodPost, route.Pattern
		}
		path = strings.NewReplacer("{id}", domain.NewID().String(), "{n}", "1").Replace(path)
		for _, scope := range domain.Scopes() {
			if slices.Contains(route.Scopes, scope) {
				continue
			}
			asked++
			request := httptest.NewRequest(method, path, nil)
			request.Header.Set("Authorization", "Bearer "+string(scope))
			answer := httptest.NewRecorder()
			d.ServeHTTP(answer, request)
			if body := answer.Body.String(); answer.Code != http.StatusForbidden ||
				!strings.Contains(body, string(domain.NotPermitted)) ||
				!strings.Contains(body, `\"`+string(route.Scopes[0])+`\"`) {
				t.Errorf("%s with the scope %s: %d %s", route.Pattern, scope, answer.Code, body)
			}
		}
	}
	if asked < 12*(len(domain.Scopes())-2) {
		t.Errorf("only %d requests were made", asked)
	}
}

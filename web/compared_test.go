package web_test

import (
	"net/http"
	"testing"

	"countersign/domain"
)

// The images of compared pages are served under the review only. Malformed, missing and foreign reviews
// look the same, and a token needs the scope to read.
func TestComparedPagesAreNotFoundWithoutTheRight(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	w.submit(ada, "a.pdf", pdf)
	w.person("rita", domain.RoleL1)
	rita := w.signedIn("rita")
	for _, path := range []string{"/compared/not-an-id/CS-2026-000001/pages/1",
		"/compared/" + domain.NewID().String() + "/CS-2026-000001/pages/1",
		"/compared/" + domain.NewID().String() + "/CS-2026-000001/pages/0",
		"/compared/" + domain.NewID().String() + "/CS-2026-000001/pages/x",
		"/compared/" + domain.NewID().String() + "/%00/pages/1",
		"/compared/" + domain.NewID().String() + "/CS-2026-000001/document", "/compared/"} {
		wantReply(t, w.get(rita, path), http.StatusNotFound, domain.NotFound)
	}
	path := "/compared/" + domain.NewID().String() + "/CS-2026-000001/pages/1"
	wantReply(t, w.get(nil, path), http.StatusUnauthorized, domain.Unauthenticated)
	_, external := w.token(ada, "external")
	wantReply(t, w.get(nil, path, "Authorization", "Bearer "+external), http.StatusForbidden,
		domain.NotPermitted)
}

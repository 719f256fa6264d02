package web

import (
	"net/http"

	"countersign/casework"
	"countersign/domain"
)

// route is one address of the server. Scopes are those that an API token needs, one of them, the first of which is named in
// a refusal; a route without any serves no token's holder, for the reason that Open gives.
type route struct {
	Pattern string
	Scopes  []domain.Action
	Open    string
	handler http.Handler
}

// table is every route. What is not in it is a page of the application, which holds no data.
func (d *Handler) table() []route {
	reads := []domain.Action{domain.ActRead}
	files := []domain.Action{domain.ActRead, domain.ActExternal} // a program may open the document of a stage it holds
	list := []route{
		{"POST /auth/sign-in", nil, "takes a password", d.smallRequest(d.signIn)},
		{"POST /auth/sign-out", nil, "ends a session; a token is revoked", d.smallRequest(d.signOut)},
		{"GET /auth/me", reads, "", d.smallRequest(d.currentPerson)},
		{"GET /auth/options", nil, "tells what the sign-in page offers to everybody", d.smallRequest(d.signInOptions)},
		{"GET /cases/{id}/document", files, "", d.fileHandler(casework.BlobOriginal)},
		{"GET /cases/{id}/pages/{n}", files, "", d.fileHandler(casework.BlobPage)},
		{"GET /cases/{id}/manifest", reads, "", d.fileHandler(casework.BlobManifest)},
		{"GET /healthz", nil, "tells that the server runs", http.HandlerFunc(d.serveHealth)},
		{"GET /readyz", nil, "tells whether the server is ready", http.HandlerFunc(d.serveReadiness)},
		{"/", nil, "the application, which holds no data", http.HandlerFunc(d.serveApp)},
	}
	if d.requestMetrics != nil {
		list = append(list, route{"GET /metrics", nil, "asks for the token of the metrics", http.HandlerFunc(d.serveMetrics)})
	}
	if d.options.GraphQL != nil {
		list = append(list, route{"/graphql", nil, "every operation names its scope in the schema", http.HandlerFunc(d.serveGraphQL)})
	}
	if d.tus != nil {
		list = append(list, route{uploadsPath, []domain.Action{domain.ActSubmit}, "", http.HandlerFunc(d.serveUploads)})
	}
	// Whatever else begins like an interface of ours is not a page of the application.
	for _, prefix := range []string{"/auth/", "/graphql/", uploadsPath} {
		if prefix != uploadsPath || d.tus == nil {
			list = append(list, route{prefix, nil, "there is nothing", http.HandlerFunc(d.notFound)})
		}
	}
	return list
}

type scopesKey struct{}

// scopesOf are the scopes that the route of the request names.
func scopesOf(r *http.Request) []domain.Action {
	scopes, _ := r.Context().Value(scopesKey{}).([]domain.Action)
	return scopes
}

package web

import (
	"net/http"

	"countersign/casework"
	"countersign/domain"
	"countersign/feed"
)

// route is one route of the server. An API token needs one of Scopes, the first of which is named
// in a refusal. A route without scopes accepts no token, for the reason in Open.
type route struct {
	Pattern string
	Scopes  []domain.Action
	Open    string
	handler http.Handler
}

// fileRoutes returns the routes of the files of cases. A program may open those of an external task that it
// has leased.
func (h *Handler) fileRoutes() []route {
	files := []domain.Action{domain.ActRead, domain.ActExternal}
	return []route{
		{"GET /cases/{id}/document", files, "", h.fileHandler(casework.BlobOriginal)},
		{"GET /cases/{id}/archive-copy", files, "", h.fileHandler(casework.BlobArchiveCopy)},
		{"GET /cases/{id}/pages/{n}", files, "", h.fileHandler(casework.BlobPage)},
		{"GET /cases/{id}/documents/{number}", files, "", h.fileHandler(casework.BlobSupporting)},
		{"GET /cases/{id}/documents/{number}/pages/{n}", files, "", h.fileHandler(casework.BlobSupportingPage)},
	}
}

// table returns all routes. Any other path is a page of the application, which contains no data.
func (h *Handler) table() []route {
	reads := []domain.Action{domain.ActRead}
	list := []route{
		{"POST /auth/sign-in", nil, "uses a password", h.smallRequest(h.signIn)},
		{"POST /auth/choose-password", nil, "uses a one-time link", h.smallRequest(h.choosePassword)},
		{"POST /auth/sign-out", nil, "ends a session; tokens are revoked instead", h.smallRequest(h.signOut)},
		{"GET /auth/me", reads, "", h.smallRequest(h.currentPerson)},
		{"GET /auth/options", nil, "public options of the sign-in page", h.smallRequest(h.signInOptions)},
		{"GET /cases/{id}/notes/{note}/{n}", reads, "", http.HandlerFunc(h.serveAttachment)},
		{"GET /compared/{id}/{reference}/pages/{n}", reads, "", http.HandlerFunc(h.serveComparedPage)},
		{"GET /cases/{id}/manifest", reads, "", h.fileHandler(casework.BlobManifest)},
		{"GET /cases/{id}/pack", []domain.Action{domain.ActVerify}, "", h.smallRequest(h.servePack)},
		{"POST /spans", reads, "", h.smallRequest(h.takeSpans)},
		{"GET /healthz", nil, "public health check", http.HandlerFunc(h.serveHealth)},
		{"GET /readyz", nil, "public readiness check", http.HandlerFunc(h.serveReadiness)},
		{"/", nil, "the application, which contains no data", http.HandlerFunc(h.serveApp)},
	}
	list = append(list, h.fileRoutes()...)
	if h.requestMetrics != nil {
		list = append(list, route{"GET /metrics", nil, "requires the metrics token",
			http.HandlerFunc(h.serveMetrics)})
	}
	if h.options.Feed != nil {
		list = append(list, h.feedRoutes()...)
	}
	if h.options.Passkeys != nil {
		list = append(list, h.passkeyRoutes()...)
	}
	if h.callers.Authenticator != nil && len(h.callers.Authenticator.Providers()) > 0 {
		list = append(list, h.providerRoutes()...)
	}
	if h.options.Unsubscribe != nil {
		const signed = "the link of an e-mail is signed"
		list = append(list,
			route{"GET " + domain.UnsubscribePath + "{token}", nil, signed, h.smallRequest(h.askUnsubscribe)},
			route{"POST " + domain.UnsubscribePath + "{token}", nil, signed, h.smallRequest(h.unsubscribe)})
	}
	if h.options.GraphQL != nil {
		list = append(list, route{"/graphql", nil, "every operation names its scope in the schema",
			http.HandlerFunc(h.serveGraphQL)})
	}
	if h.tus != nil {
		list = append(list, route{uploadsPath, []domain.Action{domain.ActSubmit}, "",
			http.HandlerFunc(h.serveUploads)})
	}
	if h.options.Exports != nil {
		list = append(list, h.exportRoutes()...)
	}
	// Other paths under the prefixes of the APIs are not pages of the application.
	for _, prefix := range []string{"/auth/", "/graphql/", "/export/", "/compared/", uploadsPath} {
		if prefix != uploadsPath || h.tus == nil {
			list = append(list, route{prefix, nil, "always not found",
				http.HandlerFunc(h.notFound)})
		}
	}
	return list
}

func (h *Handler) feedRoutes() []route {
	const contracts = "public contracts of events, which contain no data"
	return []route{
		{"GET /events", []domain.Action{domain.ScopeEvents}, "", h.smallRequest(h.serveEvents)},
		{"GET /access", []domain.Action{domain.ActReadAudit}, "",
			h.smallRequest(h.serveAccesses)},
		{"GET " + feed.SchemaPrefix + "{name...}", nil, contracts,
			h.smallRequest(h.serveEventSchema)},
		{"GET /asyncapi.json", nil, contracts, h.smallRequest(h.serveAsyncAPI)},
	}
}

type scopesKey struct{}

// scopesOf returns the scopes of the request's route.
func scopesOf(r *http.Request) []domain.Action {
	scopes, _ := r.Context().Value(scopesKey{}).([]domain.Action)
	return scopes
}

package transport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
)

// documentRequest is a request as it was sent: a document's text, or the id under which a document is known here.
type documentRequest struct {
	params     *graphql.RawParams
	documentID string // SHA-256 of the text in hexadecimal, "" when none was named
}

// trimHashPrefix takes the name of the algorithm off an id: "sha256:…" and the bare hash are the same.
func trimHashPrefix(id string) string { return strings.TrimPrefix(strings.ToLower(id), "sha256:") }

// resolveDocument finds the text that is meant and refuses one that the caller may not send: a browser's session, and whoever is
// not known, may send only what is listed where Listed says so. Programs with a token send what they like, within the
// limits.
func (h *Handler) resolveDocument(ctx context.Context, a *documentRequest) (*graphql.RawParams, error) {
	text, listed := h.options.Documents[a.documentID]
	switch {
	case a.documentID != "" && listed:
		a.params.Query = text
		return a.params, nil
	case h.options.ListedOnly && Caller(ctx).TokenID == domain.NoID:
		return nil, domain.Errorf(domain.NotPermitted, "A page may only send the documents that it was built with.").
			WithRemedy("Reload the page; programs use an API token.").WithDetail("documentId", a.documentID)
	case a.params.Query == "" && a.documentID != "":
		return nil, domain.Invalid("documentId", "PersistedQueryNotFound: no document is known under this id.").
			WithRemedy("Send the document's text.").WithDetail("documentId", a.documentID)
	case a.params.Query == "":
		return nil, domain.Invalid("query", "The request has no query.")
	case a.documentID != "":
		hash := sha256.Sum256([]byte(a.params.Query))
		if hex.EncodeToString(hash[:]) != a.documentID {
			return nil, domain.Invalid("documentId", "The id is not the SHA-256 of the document that was sent with it.")
		}
	}
	return a.params, nil
}

// documentIDOf reads the id from its own member, or from the extension of automatic persisted queries.
func documentIDOf(own string, extensions map[string]any) string {
	if own == "" {
		persisted, _ := extensions["persistedQuery"].(map[string]any)
		own, _ = persisted["sha256Hash"].(string)
	}
	return trimHashPrefix(own)
}

// KnownDocuments takes the algorithm's name off the ids of a list of documents, as Options.Documents wants them.
func KnownDocuments(list map[string]string) map[string]string {
	known := make(map[string]string, len(list))
	for id, text := range list {
		known[trimHashPrefix(id)] = text
	}
	return known
}

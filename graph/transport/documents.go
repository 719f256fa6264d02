package transport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
)

// documentRequest is a request as sent: the text of a document, or the id of a known one.
type documentRequest struct {
	params     *graphql.RawParams
	documentID string // SHA-256 of the text in hexadecimal, or ""
}

// trimHashPrefix removes the name of the algorithm from an id: "sha256:…" and the bare hash are
// equivalent.
func trimHashPrefix(id string) string { return strings.TrimPrefix(strings.ToLower(id), "sha256:") }

// resolveDocument returns the requested document's text, and refuses documents that the caller may
// not send: with Listed set, browser sessions and unauthenticated callers may send only listed
// documents. API tokens may send any document within the limits.
func (h *Handler) resolveDocument(ctx context.Context, a *documentRequest) (
	*graphql.RawParams, error) {
	text, listed := h.options.Documents[a.documentID]
	switch {
	case a.documentID != "" && listed:
		a.params.Query = text
		return a.params, nil
	case h.options.ListedOnly && Caller(ctx).TokenID == domain.NoID:
		return nil, domain.Errorf(domain.NotPermitted,
			"A browser session can only send the application's own documents.").
			WithRemedy("Reload the page. Programs have to use an API token.").
			WithDetail("documentId", a.documentID)
	case a.params.Query == "" && a.documentID != "":
		return nil, domain.Invalid("documentId", "PersistedQueryNotFound: unknown document id.").
			WithRemedy("Send the document's text.").WithDetail("documentId", a.documentID)
	case a.params.Query == "":
		return nil, domain.Invalid("query", "The request has no query.")
	case a.documentID != "":
		hash := sha256.Sum256([]byte(a.params.Query))
		if hex.EncodeToString(hash[:]) != a.documentID {
			return nil, domain.Invalid("documentId",
				"The document id is not the SHA-256 of the document in the request.")
		}
	}
	return a.params, nil
}

// documentIDOf returns the id from its own member, or from the extension for automatic persisted
// queries.
func documentIDOf(own string, extensions map[string]any) string {
	if own == "" {
		persisted, _ := extensions["persistedQuery"].(map[string]any)
		own, _ = persisted["sha256Hash"].(string)
	}
	return trimHashPrefix(own)
}

// KnownDocuments removes the algorithm's name from the ids, as Options.Documents requires.
func KnownDocuments(list map[string]string) map[string]string {
	known := make(map[string]string, len(list))
	for id, text := range list {
		known[trimHashPrefix(id)] = text
	}
	return known
}

package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
	"countersign/internal/slowbody"
)

// tooLargeError returns the error of a request beyond the limit.
func tooLargeError(limit int64) error {
	return domain.Errorf(domain.FileTooLarge, "The request is larger than %d bytes.", limit).
		WithDetail("limit", "request")
}

// readCapped reads everything, or fails beyond limit bytes.
func readCapped(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, incompleteBodyError(err)
	case int64(len(body)) > limit:
		return nil, tooLargeError(limit)
	}
	return body, nil
}

// incompleteBodyError returns the error of a request whose body is incomplete.
func incompleteBodyError(err error) error {
	var known *domain.Error
	if errors.As(err, &known) {
		return err
	}
	if slowbody.Late(err) {
		return domain.Errorf(domain.InvalidInput, "The request arrived too slowly.").
			WithRemedy("Send it again over a faster connection.").WithCause(err)
	}
	return domain.Errorf(domain.InvalidInput, "The request was cut off before its end.").
		WithRemedy("Send it again.").WithCause(err)
}

// envelope is a decoded request; every member may have a wrong type.
type envelope struct {
	DocumentID    json.RawMessage `json:"documentId"`
	Query         json.RawMessage `json:"query"`
	OperationName json.RawMessage `json:"operationName"`
	Variables     json.RawMessage `json:"variables"`
	Extensions    json.RawMessage `json:"extensions"`
}

// parseParams parses a JSON request. Batches are refused, because each operation is counted and
// limited separately.
func parseParams(body []byte) (*documentRequest, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, domain.Invalid("", "The request has no body.")
	}
	if body[0] == '[' {
		return nil, domain.Invalid("", "Batches are not supported. Send one operation per request.")
	}
	var parts envelope
	if err := json.Unmarshal(body, &parts); err != nil {
		return nil, domain.Invalid("", "The request is not a JSON object.").WithCause(err)
	}
	return parts.params()
}

func (e envelope) params() (*documentRequest, error) {
	params, own := &graphql.RawParams{}, ""
	for _, part := range []struct {
		name   string
		value  json.RawMessage
		target any
		kind   string
	}{
		{"documentId", e.DocumentID, &own, "text"},
		{"query", e.Query, &params.Query, "text"},
		{"operationName", e.OperationName, &params.OperationName, "text"},
		{"variables", e.Variables, &params.Variables, "an object"},
		{"extensions", e.Extensions, &params.Extensions, "an object"},
	} {
		if len(part.value) == 0 {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(part.value))
		decoder.UseNumber()
		if err := decoder.Decode(part.target); err != nil {
			return nil, domain.Invalid(part.name, "%s must be %s.", part.name, part.kind).
				WithCause(err)
		}
	}
	found := &documentRequest{params: params, documentID: documentIDOf(own, params.Extensions)}
	if params.Query == "" && found.documentID == "" {
		return nil, domain.Invalid("query", "The request has no query.")
	}
	return found, nil
}

func paramsOfURL(values url.Values) (*documentRequest, error) {
	quoted, err := json.Marshal(values.Get("query"))
	if err != nil {
		return nil, domain.Invalid("query", "The query is not UTF-8.").WithCause(err)
	}
	id, err := json.Marshal(values.Get("documentId"))
	if err != nil {
		return nil, domain.Invalid("documentId", "The id is not UTF-8.").WithCause(err)
	}
	found, err := envelope{DocumentID: id, Query: quoted,
		Variables:  json.RawMessage(values.Get("variables")),
		Extensions: json.RawMessage(values.Get("extensions"))}.params()
	if err != nil {
		return nil, err
	}
	found.params.OperationName = values.Get("operationName")
	return found, nil
}

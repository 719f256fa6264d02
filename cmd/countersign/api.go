package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/domain"
)

// requestTimeout bounds a question to the server; uploads are bounded by the person's own patience.
const requestTimeout = 30 * time.Second

// api speaks to the server's GraphQL API.
type api struct {
	address string
	token   string
	client  *http.Client
}

// api returns a client of the server that the settings name. A missing token is an error before any
// request.
func (c *console) api() (*api, error) {
	if c.settings.Client.Token == "" {
		return nil, domain.Errorf(domain.Unauthenticated, "No API token is given.").
			WithRemedy("Set COUNTERSIGN_TOKEN; those of the demo are in .data/demo-people.txt.")
	}
	return &api{address: strings.TrimRight(c.settings.Client.URL, "/") + "/graphql",
		token:  c.settings.Client.Token,
		client: &http.Client{}}, nil
}

// graphQLRequest is a GraphQL request.
type graphQLRequest struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables,omitempty"`
}

// input puts the one input object of a mutation into variables; keys without a value are left out.
func input(values map[string]any) map[string]any {
	for key, value := range values {
		if value == "" || value == nil {
			delete(values, key)
		}
	}
	return map[string]any{"input": values}
}

// query sends a question and decodes data into answer.
func (a *api) query(ctx context.Context, query string, variables map[string]any, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	body, err := json.Marshal(graphQLRequest{query, variables})
	if err != nil {
		return fmt.Errorf("encode the question: %w", err)
	}
	return a.post(ctx, "application/json", bytes.NewReader(body), answer)
}

// upload sends a mutation whose variable input.file is the file, streamed from the disk.
func (a *api) upload(ctx context.Context, query string, variables map[string]any, path string,
	answer any) error {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return domain.Errorf(domain.InvalidInput, "%s cannot be opened", path).WithCause(err)
	}
	defer func() { _ = file.Close() }()
	variables["input"].(map[string]any)["file"] = nil
	operations, err := json.Marshal(graphQLRequest{query, variables})
	if err != nil {
		return fmt.Errorf("encode the question: %w", err)
	}
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() { writer.CloseWithError(fillForm(form, operations, filepath.Base(path), file)) }()
	err = a.post(ctx, form.FormDataContentType(), reader, answer)
	_ = reader.Close() // a server that answered early reads no further
	return err
}

// fillForm writes the three parts in the order of the GraphQL multipart request specification.
func fillForm(form *multipart.Writer, operations []byte, name string, file io.Reader) error {
	if err := form.WriteField("operations", string(operations)); err != nil {
		return err
	}
	if err := form.WriteField("map", `{"0":["variables.input.file"]}`); err != nil {
		return err
	}
	header := textproto.MIMEHeader{"Content-Type": {"application/octet-stream"}}
	header.Set("Content-Disposition", multipart.FileContentDisposition("0", name))
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, file); err != nil {
		return err
	}
	return form.Close()
}

func (a *api) header(contentType string) http.Header {
	header := http.Header{"Authorization": {"Bearer " + a.token}, "Graphql-Preflight": {"1"},
		"X-Countersign-Channel": {"cli"},
		"User-Agent":            {"countersign-cli"}}
	if contentType != "" {
		header.Set("Content-Type", contentType)
		header.Set("Accept", "application/graphql-response+json, application/json")
	}
	return header
}

func (a *api) post(ctx context.Context, contentType string, body io.Reader, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address, body)
	if err != nil {
		return domain.Invalid("COUNTERSIGN_URL", "%s is not an address", a.address)
	}
	request.Header = a.header(contentType)
	response, err := a.client.Do(request)
	if err != nil {
		return a.unreachable(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	var reply struct {
		Data   json.RawMessage
		Errors []graphError
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<20)).Decode(&reply); err != nil {
		return domain.Errorf(domain.Unavailable,
			"The server at %s answered %s, which is no answer of Countersign.", a.address,
			response.Status).WithCause(err)
	}
	if len(reply.Errors) > 0 {
		return reply.Errors[0].domain()
	}
	if err := json.Unmarshal(reply.Data, answer); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

func (a *api) unreachable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return domain.Errorf(domain.Unavailable, "The server at %s does not answer.",
		strings.TrimSuffix(a.address, "/graphql")).
		WithRemedy("Is it running, and is COUNTERSIGN_URL right?").WithCause(err)
}

// serverErrorOp marks an error that the server gave, as against one of how the tool was called.
const serverErrorOp = "server"

// graphError is one entry of a reply's errors.
type graphError struct {
	Message    string
	Extensions struct {
		Code   string
		WayOut string
	}
}

func (e graphError) domain() error {
	code := domain.Code(e.Extensions.Code)
	if code == "" {
		code = domain.Internal
	}
	failure := domain.Errorf(code, "%s", e.Message).WithRemedy("%s", e.Extensions.WayOut)
	failure.Op = serverErrorOp
	return failure
}

// refusals are a payload's userErrors.
type refusals []struct {
	Code, Message, WayOut, Field string
}

// refusalFields asks for them.
const refusalFields = `userErrors { ... on Refusal { code message wayOut field } }`

// err is the first refusal, nil if there is none.
func (r refusals) err() error {
	if len(r) == 0 {
		return nil
	}
	refusal := domain.Errorf(domain.Code(r[0].Code), "%s", r[0].Message).WithRemedy("%s",
		r[0].WayOut)
	refusal.Field, refusal.Op = r[0].Field, serverErrorOp
	return refusal
}

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
	"strconv"
	"strings"
	"time"

	"github.com/Khan/genqlient/graphql"

	"countersign/domain"
)

// requestTimeout bounds one operation. An upload has no limit, because its time depends on the
// file.
const requestTimeout = 30 * time.Second

// api is a client of the server's GraphQL API. The generated operations send their requests
// through it.
type api struct {
	address string
	token   string
	client  *http.Client
}

// api returns a client of the server that the settings name. A missing token is an error before any
// request.
func (c *console) api() (*api, error) {
	if c.settings.Client.Token == "" {
		return nil, domain.Errorf(domain.Unauthenticated, "No API token is set.").
			WithRemedy("Set COUNTERSIGN_TOKEN. The demo's tokens are in .data/demo-people.txt.")
	}
	return &api{address: strings.TrimRight(c.settings.Client.URL, "/") + "/graphql",
		token:  c.settings.Client.Token,
		client: &http.Client{}}, nil
}

// upload is the path of a file that a mutation sends. In the variables it is null, because the file
// is a part of its own.
type upload string

// MarshalJSON writes null.
func (upload) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// MakeRequest sends one operation and decodes its data. An operation with files is sent as a form
// together with them.
func (a *api) MakeRequest(ctx context.Context, request *graphql.Request,
	response *graphql.Response) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the operation: %w", err)
	}
	if files := filesOf(request.Variables); len(files) > 0 {
		return a.upload(ctx, body, files, response.Data)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return a.post(ctx, "application/json", bytes.NewReader(body), response.Data)
}

// sentFile is a file of an operation: where its variables have it, and its path.
type sentFile struct{ place, path string }

// filesOf returns the files of the variables of an operation.
func filesOf(variables any) (files []sentFile) {
	if v, ok := variables.(interface{ GetFile() upload }); ok {
		files = append(files, sentFile{"variables.file", string(v.GetFile())})
	}
	if v, ok := variables.(interface {
		GetDocument() SupportingDocumentInput
	}); ok {
		files = append(files, sentFile{"variables.document.file", string(v.GetDocument().File)})
	}
	if v, ok := variables.(interface {
		GetDocuments() []SupportingDocumentInput
	}); ok {
		for i, document := range v.GetDocuments() {
			files = append(files, sentFile{fmt.Sprintf("variables.documents.%d.file", i),
				string(document.File)})
		}
	}
	return files
}

// upload sends an operation with its files, streamed from the disk.
func (a *api) upload(ctx context.Context, operation []byte, files []sentFile, data any) error {
	for _, sent := range files {
		if info, err := os.Stat(sent.path); err != nil || info.IsDir() {
			return domain.Errorf(domain.InvalidInput, "The file %s cannot be opened.",
				sent.path).WithCause(err)
		}
	}
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() { writer.CloseWithError(fillForm(form, operation, files)) }()
	err := a.post(ctx, form.FormDataContentType(), reader, data)
	_ = reader.Close() // a server that answered early reads no further
	return err
}

// fillForm writes the parts in the order of the GraphQL multipart request specification.
func fillForm(form *multipart.Writer, operation []byte, files []sentFile) error {
	places := map[string][]string{}
	for i, sent := range files {
		places[strconv.Itoa(i)] = []string{sent.place}
	}
	listed, err := json.Marshal(places)
	if err != nil {
		return err
	}
	if err := form.WriteField("operations", string(operation)); err != nil {
		return err
	}
	if err := form.WriteField("map", string(listed)); err != nil {
		return err
	}
	for i, sent := range files {
		if err := fillFile(form, strconv.Itoa(i), sent.path); err != nil {
			return err
		}
	}
	return form.Close()
}

func fillFile(form *multipart.Writer, name, path string) error {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	header := textproto.MIMEHeader{"Content-Type": {"application/octet-stream"}}
	header.Set("Content-Disposition", multipart.FileContentDisposition(name, filepath.Base(path)))
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(part, file)
	return err
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

func (a *api) post(ctx context.Context, contentType string, body io.Reader, data any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address, body)
	if err != nil {
		return domain.Invalid("COUNTERSIGN_URL", "%s is not a valid address.", a.address)
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
			"The server at %s sent an unexpected response (%s).", a.address,
			response.Status).
			WithRemedy("Check that COUNTERSIGN_URL is the address of a Countersign server.").
			WithCause(err)
	}
	if len(reply.Errors) > 0 {
		return reply.Errors[0].domain()
	}
	if err := json.Unmarshal(reply.Data, data); err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	return nil
}

func (a *api) unreachable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return domain.Errorf(domain.Unavailable, "The server at %s does not respond.",
		strings.TrimSuffix(a.address, "/graphql")).
		WithRemedy("Check that it is running and that COUNTERSIGN_URL is correct.").WithCause(err)
}

// serverErrorOp marks an error reported by the server, as opposed to a wrong invocation of the
// tool.
const serverErrorOp = "server"

// graphError is one entry of a response's errors.
type graphError struct {
	Message    string
	Extensions struct {
		Code   string
		Remedy string
	}
}

func (e graphError) domain() error {
	code := domain.Code(e.Extensions.Code)
	if code == "" {
		code = domain.Internal
	}
	failure := domain.Errorf(code, "%s", e.Message).WithRemedy("%s", e.Extensions.Remedy)
	failure.Op = serverErrorOp
	return failure
}

// refusal is one entry of a payload's userErrors.
type refusal struct{ Code, Message, Remedy, Field string }

// refused returns the first refusal as an error, nil if there is none.
func refused(refusals []refusal) error {
	if len(refusals) == 0 {
		return nil
	}
	first := refusals[0]
	err := domain.Errorf(domain.Code(first.Code), "%s", first.Message).WithRemedy("%s",
		first.Remedy)
	err.Field, err.Op = first.Field, serverErrorOp
	return err
}

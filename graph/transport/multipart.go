package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
)

// serveMultipart handles files by the GraphQL multipart request specification, in its order:
// operations, map, files. It authenticates and admits the caller before it reads the first part,
// and streams files to a private folder.
func (h *Handler) serveMultipart(answer *responseWriter, r *http.Request) {
	// Any site can submit a form with our cookies, but it cannot set a custom header.
	if r.Header.Get("GraphQL-Preflight") == "" && r.Header.Get("Apollo-Require-Preflight") == "" {
		answer.refuse(r.Context(), http.StatusForbidden,
			domain.Errorf(domain.NotPermitted,
				"A multipart request needs the header GraphQL-Preflight: 1."))
		return
	}
	ctx, ok := h.authenticate(answer, r)
	if !ok {
		return
	}
	if err := h.admitUpload(ctx, r); err != nil {
		answer.fail(ctx, err)
		return
	}
	folder, err := os.MkdirTemp(h.options.TempDir, "upload-")
	if err != nil {
		answer.fail(ctx, diskFullError(err))
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	params, err := h.readMultipart(ctx, r, folder)
	if err != nil {
		// A browser that is still sending does not read a response, so part of the rest is
		// discarded.
		_, _ = io.CopyN(io.Discard, r.Body, h.options.MaxFileBytes)
		answer.fail(ctx, err)
		return
	}
	h.run(ctx, answer, r, params, nil)
}

func (h *Handler) admitUpload(ctx context.Context, r *http.Request) error {
	if Caller(ctx).UserID == domain.NoID {
		return domain.Errorf(domain.Unauthenticated, "Sign in to send files.")
	}
	return h.options.AdmitUpload(ctx, Caller(ctx), r)
}

// cappedBody ends a request that exceeds the maximum size.
type cappedBody struct {
	body    io.Reader
	left    int64
	overrun error
}

// Read reads until the request exceeds the maximum size.
func (p *cappedBody) Read(buffer []byte) (int, error) {
	if int64(len(buffer)) > p.left+1 {
		buffer = buffer[:p.left+1]
	}
	n, err := p.body.Read(buffer)
	if p.left -= int64(n); p.left < 0 {
		return n, p.overrun
	}
	return n, err
}

func (h *Handler) readMultipart(ctx context.Context, r *http.Request, folder string) (
	*graphql.RawParams, error) {
	whole := h.options.MaxFileBytes*int64(h.options.MaxFiles) + 2*h.options.MaxBodyBytes
	r.Body = io.NopCloser(&cappedBody{body: r.Body, left: whole, overrun: tooLargeError(whole)})
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, domain.Invalid("", "This is not a multipart request.").WithCause(err)
	}
	operations, err := h.textPart(parts, "operations")
	if err != nil {
		return nil, err
	}
	sent, err := parseParams(operations)
	if err != nil {
		return nil, err
	}
	params, err := h.resolveDocument(ctx, sent) // before the first file is stored
	if err != nil {
		return nil, err
	}
	mapping, err := h.textPart(parts, "map")
	if err != nil {
		return nil, err
	}
	var places map[string][]string
	if err := json.Unmarshal(mapping, &places); err != nil {
		return nil, domain.Invalid("map", "The map must be an object of lists of paths.").
			WithCause(err)
	}
	if len(places) == 0 || len(places) > h.options.MaxFiles {
		return nil, domain.Invalid("map", "Send between 1 and %d files per request.",
			h.options.MaxFiles)
	}
	if err := h.fileParts(parts, params, places, folder); err != nil {
		return nil, err
	}
	return params, nil
}

// textPart reads the next part, which must have the name.
func (h *Handler) textPart(parts *multipart.Reader, name string) ([]byte, error) {
	part, err := parts.NextPart()
	switch {
	case errors.Is(err, io.EOF):
		return nil, domain.Invalid(name, "The part %q is missing.", name)
	case err != nil:
		return nil, incompleteBodyError(err)
	case part.FormName() != name:
		return nil, domain.Invalid(name, "The part %q must come before %q.", name, part.FormName())
	}
	return readCapped(part, h.options.MaxBodyBytes)
}

// fileParts stores the files and sets each as the value of its variables.
func (h *Handler) fileParts(parts *multipart.Reader, params *graphql.RawParams,
	places map[string][]string, folder string) error {
	for number := 0; ; number++ {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return incompleteBodyError(err)
		}
		paths, announced := places[part.FormName()]
		if !announced {
			return domain.Invalid("map", "The part %.60q is not in the map.", part.FormName())
		}
		delete(places, part.FormName())
		file, err := storeFile(folder, part.FileName(), number, part, h.options.MaxFileBytes)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := setVariable(params, path, file); err != nil {
				return err
			}
		}
	}
	if len(places) > 0 {
		return domain.Invalid("map", "A file in the map was not sent.")
	}
	return nil
}

// setVariable sets the variable at a path like variables.input.file or variables.files.0, whose
// value must be null.
func setVariable(params *graphql.RawParams, path string, file File) error {
	steps := strings.Split(path, ".")
	if len(steps) < 2 || len(steps) > 10 || steps[0] != "variables" {
		return domain.Invalid("map", "%.60q is not a path to a variable.", path)
	}
	var here any = params.Variables
	for i, step := range steps[1:] {
		last := i == len(steps)-2
		switch container := here.(type) {
		case map[string]any:
			value, there := container[step]
			if last && there && value == nil {
				container[step] = file
				return nil
			}
			here = value
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(container) {
				return domain.Invalid("map", "The path %.60q does not exist in the variables.",
					path)
			}
			if last && container[index] == nil {
				container[index] = file
				return nil
			}
			here = container[index]
		default:
			return domain.Invalid("map", "The path %.60q does not exist in the variables.", path)
		}
	}
	return domain.Invalid("map", "The variable at %.60q must be null.", path)
}

package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	tus "github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
	exp "golang.org/x/exp/slog"

	"countersign/domain"
)

// uploadsPath is the path of resumable uploads by the tus protocol 1.0.
const uploadsPath = "/uploads/"

// UploadService records the owner of each upload. casework.Service implements it.
type UploadService interface {
	BeginUpload(ctx context.Context, actor domain.Actor, name string, size int64) (domain.ID, error)
	ContinueUpload(ctx context.Context, actor domain.Actor, id domain.ID) error
	CancelUpload(ctx context.Context, actor domain.Actor, id domain.ID) error
}

// uploadContext accompanies a request through the tus library: the sender, and the error of a hook.
type uploadContext struct {
	actor   domain.Actor
	refusal error
}

type uploadContextKey struct{}

// newTus returns the library's handler for creation, continuation and termination. Requests of one
// upload are serialized within this server, and several servers must route one upload to the same
// server.
func newTus(rules UploadRules, log *slog.Logger) (http.Handler, error) {
	composer := tus.NewStoreComposer()
	composer.UseCore(rules.Store.store)
	composer.UseTerminater(rules.Store.store)
	composer.UseLocker(memorylocker.New())
	handler, err := tus.NewHandler(tus.Config{StoreComposer: composer, BasePath: uploadsPath,
		DisableDownload: true, DisableConcatenation: true,
		Cors: &tus.CorsConfig{Disable: true}, Logger: exp.New(tusLog{log}),
		PreUploadCreateCallback: func(hook tus.HookEvent) (tus.HTTPResponse, tus.FileInfoChanges, error) {
			note, ok := hook.Context.Value(uploadContextKey{}).(*uploadContext)
			if !ok {
				return tus.HTTPResponse{}, tus.FileInfoChanges{},
					errors.New("an upload without its sender")
			}
			id, err := rules.Service.BeginUpload(hook.Context, note.actor,
				hook.Upload.MetaData["filename"], hook.Upload.Size)
			note.refusal = err
			return tus.HTTPResponse{}, tus.FileInfoChanges{ID: id.String(),
				MetaData: tus.MetaData{}}, err
		}})
	if err != nil {
		return nil, fmt.Errorf("web: uploads: %w", err)
	}
	return http.StripPrefix(strings.TrimSuffix(uploadsPath, "/"), handler), nil
}

// serveUploads lets the owner create, continue, query and terminate an upload. It authenticates and
// authorizes the request before it reads the body.
func (h *Handler) serveUploads(w http.ResponseWriter, r *http.Request) {
	actor, err := h.uploader(r)
	if err == nil {
		// the method that was authorized must be the one executed
		r.Header.Del("X-HTTP-Method-Override")
		err = h.requireUploadRight(r, actor)
	}
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	upload := &uploadContext{actor: actor}
	r = r.WithContext(context.WithValue(r.Context(), uploadContextKey{}, upload))
	h.tus.ServeHTTP(&tusResponse{ResponseWriter: w, handler: h, request: r, context: upload}, r)
}

// uploader authenticates the sender of a file. Upload requests have their own rate limits.
func (h *Handler) uploader(r *http.Request) (domain.Actor, error) {
	if actor, err := h.callers.Identify(r.Context(), r, ""); err == nil &&
		actor.UserID != domain.NoID {
		return actor, actor.RequireScope(scopesOf(r)...)
	}
	return h.requireActor(r)
}

func (h *Handler) requireUploadRight(r *http.Request, actor domain.Actor) error {
	rules, ctx := h.options.Uploads, r.Context()
	name, admit := strings.TrimPrefix(r.URL.Path, uploadsPath), rules.AdmitPiece
	if name == "" && r.Method == http.MethodPost {
		admit = rules.Admit
	}
	if admit != nil {
		if err := admit(ctx, actor); err != nil {
			return err
		}
	}
	if name == "" {
		return nil
	}
	id, err := domain.ParseID(name)
	if err != nil || id.String() != name {
		return domain.Errorf(domain.NotFound, "Upload not found.").
			WithRemedy("Upload the file again.")
	}
	if r.Method == http.MethodDelete {
		return rules.Service.CancelUpload(ctx, actor, id)
	}
	return rules.Service.ContinueUpload(ctx, actor, id)
}

// tusResponse replaces the library's error responses by our own, so that no file system detail is
// sent, and removes the host from the upload's address, because a proxy may have changed it.
type tusResponse struct {
	http.ResponseWriter
	handler       *Handler
	request       *http.Request
	context       *uploadContext
	headerWritten bool
	replaced      bool // our response was sent; the library's body is dropped
}

// WriteHeader sends the library's status, or our error response instead.
func (a *tusResponse) WriteHeader(status int) {
	if a.headerWritten {
		return
	}
	a.headerWritten = true
	refusal := a.context.refusal
	if refusal == nil && status >= http.StatusInternalServerError {
		refusal = domain.Errorf(domain.Unavailable, "The file could not be saved.").
			WithRemedy("Try again. The upload will continue where it stopped.")
	}
	if a.replaced = refusal != nil; a.replaced {
		a.Header().Del("Content-Length") // of the dropped body
		a.handler.writeError(a.ResponseWriter, a.request, refusal)
		return
	}
	if location, err := url.Parse(a.Header().Get("Location")); err == nil && location.Path != "" {
		a.Header().Set("Location", location.Path)
	}
	a.Header().Set("Cache-Control", "no-store")
	a.ResponseWriter.WriteHeader(status)
}

// Write forwards the library's body unless it was replaced.
func (a *tusResponse) Write(text []byte) (int, error) {
	if !a.headerWritten {
		a.WriteHeader(http.StatusOK)
	}
	if a.replaced {
		return len(text), nil
	}
	return a.ResponseWriter.Write(text)
}

// Unwrap implements the interface of http.ResponseController.
func (a *tusResponse) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// tusLog writes the library's errors to our log, except cut connections.
type tusLog struct{ log *slog.Logger }

// Enabled accepts errors only.
func (tusLog) Enabled(_ context.Context, level exp.Level) bool { return level >= exp.LevelError }

// Handle writes one line.
func (t tusLog) Handle(ctx context.Context, record exp.Record) error {
	level := slog.LevelWarn
	if record.Message == "BodyReadError" {
		level = slog.LevelDebug
	}
	var attributes []slog.Attr
	record.Attrs(func(a exp.Attr) bool {
		attributes = append(attributes, slog.String(a.Key, a.Value.String()))
		return true
	})
	t.log.LogAttrs(ctx, level, "upload: "+record.Message, attributes...)
	return nil
}

// WithAttrs drops the attributes, because the request line already has them.
func (t tusLog) WithAttrs([]exp.Attr) exp.Handler { return t }

// WithGroup ignores groups.
func (t tusLog) WithGroup(string) exp.Handler { return t }

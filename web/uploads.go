package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/tus/tusd/v2/pkg/filestore"
	tus "github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
	exp "golang.org/x/exp/slog"

	"countersign/domain"
)

// uploadsPath is where resumable uploads are begun and gone on with, as the tus protocol 1.0 says.
const uploadsPath = "/uploads/"

// UploadService keeps whose each upload is; casework.Service is one.
type UploadService interface {
	BeginUpload(ctx context.Context, actor domain.Actor, name string, size int64) (domain.ID, error)
	ContinueUpload(ctx context.Context, actor domain.Actor, id domain.ID) error
	CancelUpload(ctx context.Context, actor domain.Actor, id domain.ID) error
}

// uploadContext goes with a request through the library: who sends, and why it was refused inside.
type uploadContext struct {
	actor   domain.Actor
	refusal error
}

type uploadContextKey struct{}

// newTus makes the library's handler: creation, continuation and termination, nothing else. Requests on one upload take
// turns within this server; several servers send one upload's requests to the same one.
func newTus(rules UploadRules, log *slog.Logger) (http.Handler, error) {
	composer := tus.NewStoreComposer()
	composer.UseCore(rules.Folder.store)
	composer.UseTerminater(rules.Folder.store)
	composer.UseLocker(memorylocker.New())
	handler, err := tus.NewHandler(tus.Config{StoreComposer: composer, BasePath: uploadsPath, DisableDownload: true, DisableConcatenation: true,
		Cors: &tus.CorsConfig{Disable: true}, Logger: exp.New(tusLog{log}),
		PreUploadCreateCallback: func(hook tus.HookEvent) (tus.HTTPResponse, tus.FileInfoChanges, error) {
			note, ok := hook.Context.Value(uploadContextKey{}).(*uploadContext)
			if !ok {
				return tus.HTTPResponse{}, tus.FileInfoChanges{}, errors.New("an upload without its sender")
			}
			id, err := rules.Service.BeginUpload(hook.Context, note.actor, hook.Upload.MetaData["filename"], hook.Upload.Size)
			note.refusal = err
			return tus.HTTPResponse{}, tus.FileInfoChanges{ID: id.String(), MetaData: tus.MetaData{}}, err
		}})
	if err != nil {
		return nil, fmt.Errorf("web: uploads: %w", err)
	}
	return http.StripPrefix(strings.TrimSuffix(uploadsPath, "/"), handler), nil
}

// serveUploads lets the owner begin, go on with, ask after and end an upload. Who sends is known, and may, before the first
// byte is read.
func (d *Handler) serveUploads(w http.ResponseWriter, r *http.Request) {
	actor, err := d.uploader(r)
	if err == nil {
		r.Header.Del("X-HTTP-Method-Override") // what is asked here is what is done there
		err = d.requireUploadRight(r, actor)
	}
	if err != nil {
		d.writeError(w, r, err)
		return
	}
	note := &uploadContext{actor: actor}
	r = r.WithContext(context.WithValue(r.Context(), uploadContextKey{}, note))
	d.tus.ServeHTTP(&tusResponse{ResponseWriter: w, handler: d, request: r, context: note}, r)
}

// uploader is who sends a file. Requests of a person are counted by what they do with uploads, not with all others.
func (d *Handler) uploader(r *http.Request) (domain.Actor, error) {
	if actor, err := d.callers.Identify(r.Context(), r, ""); err == nil && actor.UserID != domain.NoID {
		return actor, actor.RequireScope(scopesOf(r)...)
	}
	return d.requireActor(r)
}

func (d *Handler) requireUploadRight(r *http.Request, actor domain.Actor) error {
	rules, ctx := d.options.Uploads, r.Context()
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
		return domain.Errorf(domain.NotFound, "There is no such upload.").WithRemedy("Send the file again.")
	}
	if r.Method == http.MethodDelete {
		return rules.Service.CancelUpload(ctx, actor, id)
	}
	return rules.Service.ContinueUpload(ctx, actor, id)
}

// tusResponse stands between the library and the client: refusals and failures are told in our words, never in those of
// the disk, and the address of an upload is given without a host, which a proxy may have changed.
type tusResponse struct {
	http.ResponseWriter
	handler       *Handler
	request       *http.Request
	context       *uploadContext
	headerWritten bool
	replaced      bool // in our words; what the library says besides is dropped
}

// WriteHeader sends the library's answer, or ours in its place.
func (a *tusResponse) WriteHeader(status int) {
	if a.headerWritten {
		return
	}
	a.headerWritten = true
	refusal := a.context.refusal
	if refusal == nil && status >= http.StatusInternalServerError {
		refusal = domain.Errorf(domain.Unavailable, "The file could not be taken in just now.").
			WithRemedy("The upload goes on where it stopped when you try again.")
	}
	if a.replaced = refusal != nil; a.replaced {
		a.Header().Del("Content-Length") // of the words that are not said
		a.handler.writeError(a.ResponseWriter, a.request, refusal)
		return
	}
	if location, err := url.Parse(a.Header().Get("Location")); err == nil && location.Path != "" {
		a.Header().Set("Location", location.Path)
	}
	a.Header().Set("Cache-Control", "no-store")
	a.ResponseWriter.WriteHeader(status)
}

// Write passes the library's text on.
func (a *tusResponse) Write(text []byte) (int, error) {
	if !a.headerWritten {
		a.WriteHeader(http.StatusOK)
	}
	if a.replaced {
		return len(text), nil
	}
	return a.ResponseWriter.Write(text)
}

// Unwrap serves http.ResponseController.
func (a *tusResponse) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// tusLog writes what the library has to say of its own troubles to our log; a connection that was cut is none.
type tusLog struct{ log *slog.Logger }

// Enabled takes errors only.
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

// WithAttrs drops what our own request line says already.
func (t tusLog) WithAttrs([]exp.Attr) exp.Handler { return t }

// WithGroup has no use for groups.
func (t tusLog) WithGroup(string) exp.Handler { return t }

// UploadFolder is where the pieces lie until a case takes them. It is the service layer's port Uploads.
type UploadFolder struct {
	path  string
	store filestore.FileStore
}

// OpenUploadFolder makes the folder if it is missing; only its owner may look into it.
func OpenUploadFolder(path string) (*UploadFolder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, domain.Errorf(domain.Unavailable, "The folder of uploads cannot be made.").WithCause(err)
	}
	store := filestore.New(path)
	store.DirModePerm, store.FileModePerm = 0o700, 0o600
	return &UploadFolder{path: path, store: store}, nil
}

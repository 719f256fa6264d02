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

// UploadDesk keeps whose each upload is; the hall is one.
type UploadDesk interface {
	BeginUpload(ctx context.Context, actor domain.Actor, name string, size int64) (domain.ID, error)
	ContinueUpload(ctx context.Context, actor domain.Actor, id domain.ID) error
	EndUpload(ctx context.Context, actor domain.Actor, id domain.ID) error
}

// uploadNote goes with a request through the library: who sends, and why it was refused inside.
type uploadNote struct {
	actor   domain.Actor
	refusal error
}

type uploadNoteKey struct{}

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
			note, ok := hook.Context.Value(uploadNoteKey{}).(*uploadNote)
			if !ok {
				return tus.HTTPResponse{}, tus.FileInfoChanges{}, errors.New("an upload without its sender")
			}
			id, err := rules.Desk.BeginUpload(hook.Context, note.actor, hook.Upload.MetaData["filename"], hook.Upload.Size)
			note.refusal = err
			return tus.HTTPResponse{}, tus.FileInfoChanges{ID: id.String(), MetaData: tus.MetaData{}}, err
		}})
	if err != nil {
		return nil, fmt.Errorf("web: uploads: %w", err)
	}
	return http.StripPrefix(strings.TrimSuffix(uploadsPath, "/"), handler), nil
}

// uploads lets the owner begin, go on with, ask after and end an upload. Who sends is known, and may, before the first
// byte is read.
func (d *Door) uploads(w http.ResponseWriter, r *http.Request) {
	actor, err := d.signedIn(r)
	if err == nil {
		r.Header.Del("X-HTTP-Method-Override") // what is asked here is what is done there
		err = d.mayUpload(r, actor)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	note := &uploadNote{actor: actor}
	r = r.WithContext(context.WithValue(r.Context(), uploadNoteKey{}, note))
	d.tus.ServeHTTP(&tusAnswer{ResponseWriter: w, door: d, request: r, note: note}, r)
}

func (d *Door) mayUpload(r *http.Request, actor domain.Actor) error {
	rules, ctx := d.options.Uploads, r.Context()
	name := strings.TrimPrefix(r.URL.Path, uploadsPath)
	if name == "" {
		if r.Method == http.MethodPost && rules.Admit != nil {
			return rules.Admit(ctx, actor)
		}
		return nil
	}
	id, err := domain.ParseID(name)
	if err != nil || id.String() != name {
		return domain.Fail(domain.NotFound, "There is no such upload.").WithWayOut("Send the file again.")
	}
	if r.Method == http.MethodDelete {
		return rules.Desk.EndUpload(ctx, actor, id)
	}
	return rules.Desk.ContinueUpload(ctx, actor, id)
}

// tusAnswer stands between the library and the client: refusals and failures are told in our words, never in those of
// the disk, and the address of an upload is given without a host, which a proxy may have changed.
type tusAnswer struct {
	http.ResponseWriter
	door    *Door
	request *http.Request
	note    *uploadNote
	begun   bool
	told    bool // in our words; what the library says besides is dropped
}

// WriteHeader sends the library's answer, or ours in its place.
func (a *tusAnswer) WriteHeader(status int) {
	if a.begun {
		return
	}
	a.begun = true
	refusal := a.note.refusal
	if refusal == nil && status >= http.StatusInternalServerError {
		refusal = domain.Fail(domain.Unavailable, "The file could not be taken in just now.").
			WithWayOut("The upload goes on where it stopped when you try again.")
	}
	if a.told = refusal != nil; a.told {
		a.Header().Del("Content-Length") // of the words that are not said
		a.door.fail(a.ResponseWriter, a.request, refusal)
		return
	}
	if location, err := url.Parse(a.Header().Get("Location")); err == nil && location.Path != "" {
		a.Header().Set("Location", location.Path)
	}
	a.Header().Set("Cache-Control", "no-store")
	a.ResponseWriter.WriteHeader(status)
}

// Write passes the library's text on.
func (a *tusAnswer) Write(text []byte) (int, error) {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	if a.told {
		return len(text), nil
	}
	return a.ResponseWriter.Write(text)
}

// Unwrap serves http.ResponseController.
func (a *tusAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

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

// UploadFolder is where the pieces lie until a case takes them. It is the hall's port Uploads.
type UploadFolder struct {
	path  string
	store filestore.FileStore
}

// OpenUploadFolder makes the folder if it is missing; only its owner may look into it.
func OpenUploadFolder(path string) (*UploadFolder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, domain.Fail(domain.Unavailable, "The folder of uploads cannot be made.").Because(err)
	}
	store := filestore.New(path)
	store.DirModePerm, store.FileModePerm = 0o700, 0o600
	return &UploadFolder{path: path, store: store}, nil
}

package checkpoint

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"countersign/audit"
	"countersign/domain"
)

// Bounds of a request to a witness (C2SP tlog-witness).
const (
	maxProof      = 63
	maxRequest    = 64 << 10
	sizeMediaType = "text/x.tlog.size"
)

// Witness keeps the checkpoints of one log and confirms those that continue the one before. It is
// safe for concurrent use.
type Witness struct {
	signer *formats.Signer
	log    *slog.Logger

	mu     sync.Mutex
	keys   audit.Keys // of the log, also those that checkpoints announced
	folder *Folder
	path   string
}

// keysName is the file with the keys that checkpoints announced.
const keysName = "keys"

// NewWitness returns a witness that signs with the private key (one line) and keeps the checkpoints
// of the log of the keys in a folder.
func NewWitness(private string, keys audit.Keys, path string, log *slog.Logger) (*Witness, error) {
	signer, err := formats.NewSignerForCosignatureV1(strings.TrimSpace(private))
	if err != nil {
		return nil, domain.Invalid("key", "The key of the witness is damaged.").
			WithRemedy("Make a key with countersign audit keygen.")
	}
	folder, err := OpenFolder(path)
	if err != nil {
		return nil, err
	}
	w := &Witness{signer: signer, log: log, keys: keys, folder: folder, path: path}
	announced, err := os.ReadFile(filepath.Join(path, keysName))
	if err == nil {
		if w.keys, err = audit.ParseKeys(keys.String() + string(announced)); err != nil {
			return nil, domain.Errorf(domain.DamagedFile, "The file %s in the folder of the witness cannot be read.", keysName).WithCause(err)
		}
	}
	return w, nil
}

// ServeHTTP serves POST /add-checkpoint, and GET /checkpoint with the newest confirmed one.
func (w *Witness) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/add-checkpoint":
		body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, maxRequest))
		if err != nil {
			http.Error(out, "The request is too large.", http.StatusRequestEntityTooLarge)
			return
		}
		w.add(out, r, body)
	case r.Method == http.MethodGet && r.URL.Path == "/checkpoint":
		w.mu.Lock()
		newest, err := w.folder.Newest()
		w.mu.Unlock()
		switch {
		case err != nil:
			http.Error(out, "The checkpoint cannot be read.", http.StatusInternalServerError)
		case newest == nil:
			http.Error(out, "There is no checkpoint.", http.StatusNotFound)
		default:
			out.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = out.Write(newest)
		}
	case r.Method == http.MethodGet && r.URL.Path == "/readyz":
		_, _ = io.WriteString(out, "ready\n")
	default:
		http.Error(out, "Not found.", http.StatusNotFound)
	}
}

// addRequest is the body of POST /add-checkpoint.
type addRequest struct {
	old  uint64
	path [][]byte
	note []byte
}

func parseAdd(body []byte) (addRequest, error) {
	head, signed, found := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	old, isOld := strings.CutPrefix(lines[0], "old ")
	size, err := strconv.ParseUint(old, 10, 63)
	if !found || !isOld || err != nil || len(lines)-1 > maxProof {
		return addRequest{}, errors.New("the body is not that of add-checkpoint")
	}
	request := addRequest{old: size, note: []byte(signed)}
	for _, line := range lines[1:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return addRequest{}, errors.New("a line of the proof is not in base64")
		}
		request.path = append(request.path, hash)
	}
	return request, nil
}

func (w *Witness) add(out http.ResponseWriter, r *http.Request, body []byte) {
	request, err := parseAdd(body)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	given, err := audit.ParseNote(request.note)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if given.Origin != w.keys.Origin() {
		http.Error(out, "This witness does not know the log.", http.StatusNotFound)
		return
	}
	signed, err := audit.OpenNote(request.note, w.keys)
	if err != nil {
		http.Error(out, "The checkpoint is not signed by the log.", http.StatusForbidden)
		return
	}
	if request.old > signed.Size {
		http.Error(out, "The old size is larger than the checkpoint.", http.StatusBadRequest)
		return
	}
	w.decide(r.Context(), out, request, signed.Checkpoint)
}

// decide confirms the checkpoint if it continues the newest one. The caller holds the lock.
func (w *Witness) decide(ctx context.Context, out http.ResponseWriter, request addRequest,
	given audit.Checkpoint) {
	newest, err := w.newest()
	if err != nil {
		w.log.ErrorContext(ctx, "witness", "error", err)
		http.Error(out, "The newest checkpoint cannot be read.", http.StatusInternalServerError)
		return
	}
	if request.old != newest.Size || newest.Size > 0 && newest.Size == given.Size &&
		string(newest.Root) != string(given.Root) {
		out.Header().Set("Content-Type", sizeMediaType)
		out.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(out, "%d\n", newest.Size)
		return
	}
	has := false
	if newest.Size > 0 {
		has, err = continues(ctx, "the witness", newest, given,
			func(context.Context, uint64) ([][]byte, error) { return request.path, nil })
		if err != nil {
			w.log.WarnContext(ctx, "a checkpoint does not continue the one before", "kept", newest.Size,
				"given", given.Size)
			http.Error(out, "The checkpoint does not continue the one before.",
				http.StatusUnprocessableEntity)
			return
		}
	}
	line, err := w.keep(request.note, given, has)
	if err != nil {
		w.log.ErrorContext(ctx, "witness", "error", err)
		http.Error(out, "The checkpoint cannot be kept.", http.StatusInternalServerError)
		return
	}
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(out, line)
}

// newest returns the newest checkpoint, the zero Checkpoint if there is none.
func (w *Witness) newest() (audit.Checkpoint, error) {
	kept, err := w.folder.Newest()
	if err != nil || kept == nil {
		return audit.Checkpoint{}, err
	}
	return audit.ParseNote(kept)
}

// keep confirms the checkpoint and keeps it with the confirmation, so that no confirmation exists of a
// checkpoint that is not kept.
func (w *Witness) keep(signed []byte, given audit.Checkpoint, has bool) (string, error) {
	opened, err := note.Open(signed, w.keys.Verifiers())
	if err != nil {
		return "", err
	}
	line, err := cosign(opened, w.signer)
	if err != nil || has {
		return line, err
	}
	if given.NextKey != "" {
		if err := w.learn(given.NextKey); err != nil {
			return "", err
		}
	}
	return line, w.folder.write(noteName(given), append(signed, line...))
}

// learn keeps a key that a checkpoint announced.
func (w *Witness) learn(key string) error {
	keys, err := audit.ParseKeys(w.keys.String() + key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.path, keysName), []byte(keys.String()), 0o600); err != nil {
		return err
	}
	w.keys = keys
	return nil
}

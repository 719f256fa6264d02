package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/audit"
	"countersign/checkpoint"
	"countersign/domain"
)

// auditKeygen makes a key.
type auditKeygen struct {
	Name string `arg:"" help:"Name of the log or of the witness, such as countersign.example.com/2026. Another name begins another log."`
	To   string `arg:"" type:"path" help:"File for the private key; the public key is written beside it with the ending .pub."`
	Add  bool   `help:"Add the key to an existing file, to replace the present key: the next checkpoint is signed by both and announces the new one."`
}

// Run writes the key. A file with a key is never replaced.
func (k *auditKeygen) Run(c *console) error {
	private, public, err := audit.NewSigningKey(rand.Reader, k.Name)
	if err != nil {
		return domain.Invalid("name", "%.100q is not a valid name: it must not have spaces or plus signs.",
			k.Name)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if k.Add {
		known, err := os.ReadFile(filepath.Clean(k.To))
		if err != nil {
			return domain.Invalid("to", "The file %s cannot be read: %v.", k.To, err)
		}
		if _, err := audit.ParseSigner(string(known) + private + "\n" + public + "\n"); err != nil {
			return domain.Invalid("to", "The key cannot be added: %v.", err)
		}
		flags = os.O_APPEND | os.O_WRONLY
	}
	if err := writeNew(k.To, flags, 0o600, private+"\n"+public+"\n"); err != nil {
		return err
	}
	if err := writeNew(k.To+".pub", flags, 0o644, public+"\n"); err != nil {
		return err
	}
	return c.printDone(map[string]any{"public": public, "file": k.To, "publicFile": k.To + ".pub"},
		"%s\nThe private key is in %s. Keep it where the administrators of the database cannot read it.",
		public, k.To)
}

func writeNew(path string, flags int, mode fs.FileMode, text string) error {
	file, err := os.OpenFile(filepath.Clean(path), flags, mode)
	if errors.Is(err, fs.ErrExist) {
		return domain.Invalid("to", "The file %s already exists.", path).
			WithRemedy("Choose another name, or add a key with --add.")
	}
	if err != nil {
		return domain.Invalid("to", "The file %s cannot be written: %v.", path, err)
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// auditWitness runs a witness.
type auditWitness struct {
	Listen string `default:"127.0.0.1:8090" help:"Address to listen on."`
	Folder string `required:"" type:"path" help:"Folder for the confirmed checkpoints."`
	Key    string `required:"" type:"existingfile" help:"File with the private key of the witness, made by countersign audit keygen."`
	Log    string `required:"" type:"existingfile" help:"File with the public keys of the log."`
}

// Bounds of one request to the witness.
const witnessRequest = 10 * time.Second

// Run serves until it is stopped.
func (w *auditWitness) Run(ctx context.Context, c *console) error {
	private, err := os.ReadFile(filepath.Clean(w.Key))
	if err != nil {
		return domain.Invalid("key", "The file %s cannot be read: %v.", w.Key, err)
	}
	public, err := os.ReadFile(filepath.Clean(w.Log))
	if err != nil {
		return domain.Invalid("log", "The file %s cannot be read: %v.", w.Log, err)
	}
	keys, err := audit.ParseKeys(string(public))
	if err != nil {
		return domain.Invalid("log", "The file %s has no public key of a log: %v.", w.Log, err)
	}
	log := slog.New(slog.NewTextHandler(c.errs, nil))
	witness, err := checkpoint.NewWitness(firstLine(string(private)), keys, w.Folder, log)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", w.Listen)
	if err != nil {
		return domain.Errorf(domain.Unavailable, "The witness cannot listen on %s: %v.", w.Listen, err)
	}
	server := &http.Server{Handler: witness, ReadTimeout: witnessRequest,
		WriteTimeout: witnessRequest, MaxHeaderBytes: 16 << 10}
	c.printLine("The witness keeps the checkpoints of %s and listens on %s.", keys.Origin(),
		listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// firstLine returns the first line of a file with a key, which is the private key.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

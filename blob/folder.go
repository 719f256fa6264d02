package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"countersign/domain"
)

// Folder keeps blobs as files under one directory. It is safe for concurrent use by many processes.
//
// The cases born within 17 minutes lie together in one subdirectory, named by the first 28 bits of their ids (which are
// their time of birth), as case id-SHA-256. So directories are made rarely, and one flush of a directory serves all that
// were added to it meanwhile. For a small file nothing of that is flushed, but its record in the journal.
type Folder struct {
	root    *os.Root
	dirFile *os.File // the directory itself, to flush
	journal *journal // of small files; nil where there can be none

	mu     sync.Mutex
	shards map[string]*shardDir // lately used, at most keptHomes
}

const (
	// partialSuffix ends the names of files that are being written.
	partialSuffix = ".part"
	// shardDigits of a case's id name its subdirectory.
	shardDigits   = 7
	maxOpenShards = 16
)

// OpenFolder opens the directory, made if missing, readable by its owner alone.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, storageError("make the blob folder", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, storageError("open the blob folder", err)
	}
	entry, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, storageError("open the blob folder", err)
	}
	f := &Folder{root: root, dirFile: entry, shards: map[string]*shardDir{}}
	if err := f.recoverJournal(); err != nil {
		_ = f.Close()
		return nil, storageError("bring back the journal", err)
	}
	if supportsJournal(entry) {
		f.journal = newJournal(f)
	}
	return f, nil
}

// Close releases the directory.
func (f *Folder) Close() error {
	var failed error
	if f.journal != nil {
		failed = f.journal.close()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.shards {
		h.close()
	}
	f.shards = map[string]*shardDir{}
	_ = f.dirFile.Close()
	return errors.Join(failed, f.root.Close())
}

// Open opens a blob and returns its size. NotFound if there is none; a key that is none of ours is InvalidInput.
func (f *Folder) Open(_ context.Context, key string) (io.ReadCloser, int64, error) {
	if err := checkKey(key); err != nil {
		return nil, 0, err
	}
	file, err := f.root.Open(blobPath(key))
	if errors.Is(err, fs.ErrNotExist) {
		file, err = f.root.Open(key) // as it lay in the first versions: a subdirectory for each case
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, domain.Errorf(domain.NotFound, "The stored file is missing.").
			WithRemedy("An operator finds out more with `countersign doctor`.").WithCause(err)
	}
	if err != nil {
		return nil, 0, storageError("open a blob", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, 0, storageError("open a blob", err)
	}
	return file, info.Size(), nil
}

// Verify reads the whole blob and reports whether its bytes are those its key names.
func (f *Folder) Verify(ctx context.Context, key string) (bool, error) {
	content, _, err := f.Open(ctx, key)
	if err != nil {
		return false, err
	}
	defer func() { _ = content.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, content); err != nil {
		return false, storageError("read a blob", err)
	}
	_, name, _ := strings.Cut(key, "/")
	return hex.EncodeToString(hash.Sum(nil)) == name, nil
}

// BlobInfo is one blob as it lies in the store.
type BlobInfo struct {
	Key     string
	Size    int64
	Written time.Time
}

// Walk calls visit for each blob, by case; files that are being written are left out. An error of visit ends the walk.
func (f *Folder) Walk(ctx context.Context, visit func(BlobInfo) error) error {
	return fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return storageError("walk the blobs", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if entry.IsDir() && name == journalName {
			return fs.SkipDir
		}
		if entry.IsDir() || strings.HasSuffix(name, partialSuffix) {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return storageError("walk the blobs", err)
		}
		return visit(BlobInfo{Key: keyOf(filepath.ToSlash(name)), Size: info.Size(), Written: info.ModTime()})
	})
}

// blobPath is the path of a key's file: "home/case id-SHA-256".
func blobPath(key string) string {
	owner, name, _ := strings.Cut(key, "/")
	return owner[:shardDigits] + "/" + owner + "-" + name
}

// keyOf is the key of a file's path, of either form.
func keyOf(path string) string {
	directory, name, _ := strings.Cut(path, "/")
	if at := strings.LastIndexByte(name, '-'); at > 0 && len(directory) == shardDigits {
		return name[:at] + "/" + name[at+1:]
	}
	return path
}

// Remove deletes a blob that no row knows; only doctor's repair does this.
func (f *Folder) Remove(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	for _, path := range []string{blobPath(key), key} {
		if err := f.root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storageError("remove a blob", err)
		}
	}
	return nil
}

// checkKey admits only keys that Put could have made.
func checkKey(key string) error {
	home, name, ok := strings.Cut(key, "/")
	if _, err := domain.ParseID(home); !ok || err != nil || len(name) != 2*sha256.Size || strings.Trim(name, "0123456789abcdef") != "" {
		return domain.Invalid("key", "%q is not the key of a stored file", key)
	}
	return nil
}

func storageError(doing string, err error) error {
	var known *domain.Error
	if errors.As(err, &known) {
		return err
	}
	failure := &domain.Error{Code: domain.Unavailable, Message: "The document store cannot be used at the moment.", Op: "blob: " + doing, Err: err}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		failure.Message, failure.Remedy = "The document store is full.", "An operator makes room, then try again."
	}
	return fmt.Errorf("%w", failure)
}

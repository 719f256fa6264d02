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

// Folder stores blobs as files under one directory. It is safe for concurrent use by many
// processes.
//
// The cases created within 17 minutes share a subdirectory, named by the first 28 bits of their ids
// (their time of creation). So directories are created rarely, and one flush of a directory serves
// all files added to it. Of a small file only the journal record is flushed.
type Folder struct {
	root    *os.Root
	dirFile *os.File // the directory itself, to flush
	journal *journal // of small files; nil if the file system does not support it

	mu     sync.Mutex
	shards map[string]*shardDir // recently used, at most maxOpenShards
}

const (
	// partialSuffix ends the names of files that are being written.
	partialSuffix = ".part"
	// shardDigits is how many digits of a case's id name its subdirectory.
	shardDigits   = 7
	maxOpenShards = 16
)

// OpenFolder opens the directory, which it creates if missing, readable by its owner only.
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
		return nil, storageError("recover the journal", err)
	}
	if supportsJournal(entry) {
		f.journal = newJournal(f)
	}
	return f, nil
}

// Close flushes the journal and closes the directory.
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

// Open opens a blob and returns its size. NotFound if there is none, InvalidInput for a malformed
// key.
func (f *Folder) Open(_ context.Context, key string) (io.ReadCloser, int64, error) {
	if err := CheckKey(key); err != nil {
		return nil, 0, err
	}
	file, err := f.root.Open(blobPath(key))
	if errors.Is(err, fs.ErrNotExist) {
		file, err = f.root.Open(key) // the layout of the first versions: a subdirectory per case
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, domain.Errorf(domain.NotFound, "The stored file is missing.").
			WithRemedy("Ask an operator to run `countersign doctor`.").WithCause(err)
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

// Has reports whether the blob is there.
func (f *Folder) Has(ctx context.Context, key string) (bool, error) {
	content, _, err := f.Open(ctx, key)
	if domain.HasCode(err, domain.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, content.Close()
}

// Verify reads the whole blob and reports whether its content matches its key.
func (f *Folder) Verify(ctx context.Context, key string) (bool, error) {
	content, _, err := f.Open(ctx, key)
	if err != nil {
		return false, err
	}
	defer func() { _ = content.Close() }()
	whole, err := MatchesKey(content, key)
	if err != nil {
		return false, storageError("read a blob", err)
	}
	return whole, nil
}

// MatchesKey reads the content and reports whether it is that of the key.
func MatchesKey(content io.Reader, key string) (bool, error) {
	hash := sha256.New()
	_, err := io.Copy(hash, content)
	_, name, _ := strings.Cut(key, "/")
	return err == nil && hex.EncodeToString(hash.Sum(nil)) == name, err
}

// BlobInfo describes a stored blob.
type BlobInfo struct {
	Key     string
	Size    int64
	Written time.Time
}

// Walk calls visit for each blob, by case, except files that are being written. An error of visit
// ends the walk.
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
		return visit(BlobInfo{Key: keyOf(filepath.ToSlash(name)), Size: info.Size(),
			Written: info.ModTime()})
	})
}

// blobPath returns the path of a key's file: "shard/case id-SHA-256".
func blobPath(key string) string {
	owner, name, _ := strings.Cut(key, "/")
	return owner[:shardDigits] + "/" + owner + "-" + name
}

// keyOf returns the key of a file's path, in either layout.
func keyOf(path string) string {
	directory, name, _ := strings.Cut(path, "/")
	if at := strings.LastIndexByte(name, '-'); at > 0 && len(directory) == shardDigits {
		return name[:at] + "/" + name[at+1:]
	}
	return path
}

// Remove deletes a blob that no row refers to; only `doctor --repair` calls it.
func (f *Folder) Remove(_ context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	for _, path := range []string{blobPath(key), key} {
		if err := f.root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storageError("remove a blob", err)
		}
	}
	return nil
}

// CheckKey returns InvalidInput unless Put can return the key.
func CheckKey(key string) error {
	owner, name, ok := strings.Cut(key, "/")
	if _, err := domain.ParseID(owner); !ok || err != nil || len(name) != 2*sha256.Size ||
		strings.Trim(name, "0123456789abcdef") != "" {
		return domain.Invalid("key", "%q is not the key of a stored file.", key)
	}
	return nil
}

func storageError(doing string, err error) error {
	var known *domain.Error
	if errors.As(err, &known) {
		return err
	}
	failure := &domain.Error{Code: domain.Unavailable,
		Message: "The document store is not available at the moment.", Op: "blob: " + doing,
		Err: err}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		failure.Message, failure.Remedy = "The document store is full.",
			"Ask an operator to free disk space, then try again."
	}
	return fmt.Errorf("%w", failure)
}

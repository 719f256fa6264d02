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
	"syscall"
	"time"

	"countersign/domain"
)

// Folder keeps blobs as files under one directory. It is safe for concurrent use by many processes.
type Folder struct {
	root *os.Root
}

// partial ends the names of files that are being written.
const partial = ".part"

// OpenFolder opens the directory, made if missing, readable by its owner alone.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, storageError("make the blob folder", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, storageError("open the blob folder", err)
	}
	return &Folder{root: root}, nil
}

// Close releases the directory.
func (f *Folder) Close() error { return f.root.Close() }

// Put writes the content and returns its key, SHA-256 and size in bytes. It is on disk when Put returns; the same bytes
// again are no error. A full disk is Unavailable.
func (f *Folder) Put(_ context.Context, caseID domain.ID, content io.Reader) (key string, sum []byte, size int64, err error) {
	home := caseID.String()
	if err := f.root.MkdirAll(home, 0o700); err != nil {
		return "", nil, 0, storageError("make the case's folder", err)
	}
	temp := home + "/" + domain.NewID().String() + partial
	file, err := f.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if err != nil {
		return "", nil, 0, storageError("make a blob", err)
	}
	defer func() { _ = f.root.Remove(temp) }()
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(file, hash), content)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", nil, 0, storageError("write a blob", err)
	}
	sum = hash.Sum(nil)
	key = home + "/" + hex.EncodeToString(sum)
	// A link never replaces: whoever wrote the same bytes first has written the blob.
	if err := f.root.Link(temp, key); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", nil, 0, storageError("name a blob", err)
	}
	return key, sum, size, f.syncDir(home)
}

// syncDir puts the directory's entry on disk.
func (f *Folder) syncDir(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return storageError("open the case's folder", err)
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return storageError("sync the case's folder", err)
	}
	return nil
}

// Open opens a blob and returns its size. NotFound if there is none; a key that is none of ours is InvalidInput.
func (f *Folder) Open(_ context.Context, key string) (io.ReadCloser, int64, error) {
	if err := checkKey(key); err != nil {
		return nil, 0, err
	}
	file, err := f.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, domain.Fail(domain.NotFound, "The stored file is missing.").
			WithWayOut("An operator finds out more with `countersign doctor`.").Because(err)
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

// Stored is one blob as it lies in the store.
type Stored struct {
	Key     string
	Size    int64
	Written time.Time
}

// Walk calls visit for each blob, by case; files that are being written are left out. An error of visit ends the walk.
func (f *Folder) Walk(ctx context.Context, visit func(Stored) error) error {
	return fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return storageError("walk the blobs", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if entry.IsDir() || strings.HasSuffix(name, partial) {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return storageError("walk the blobs", err)
		}
		return visit(Stored{Key: filepath.ToSlash(name), Size: info.Size(), Written: info.ModTime()})
	})
}

// Remove deletes a blob that no row knows; only doctor's repair does this.
func (f *Folder) Remove(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := f.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storageError("remove a blob", err)
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
		failure.Message, failure.WayOut = "The document store is full.", "An operator makes room, then try again."
	}
	return fmt.Errorf("%w", failure)
}

package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"countersign/domain"
)

var uploadBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Put stores the content and returns its key, SHA-256 and size in bytes. When Put returns, the
// content is durable, in its file or in the journal. Storing the same bytes again is no error. A
// full disk is Unavailable.
func (f *Folder) Put(_ context.Context, caseID domain.ID,
	content io.Reader) (key string, sum []byte, size int64, err error) {
	owner := caseID.String()
	h, err := f.acquireShard(owner[:shardDigits])
	if err != nil {
		return "", nil, 0, err
	}
	defer h.dropRef()
	buffer := uploadBuffers.Get().(*bytes.Buffer)
	defer uploadBuffers.Put(buffer)
	buffer.Reset()
	size, err = buffer.ReadFrom(io.LimitReader(content, largeFile))
	if err != nil {
		return "", nil, 0, storageError("read the content", err)
	}
	if size < largeFile {
		r := record{caseID: caseID, sum: sha256.Sum256(buffer.Bytes()), content: buffer.Bytes()}
		sum, err = r.sum[:], f.putSmall(h, r)
	} else {
		sum, size, err = h.putLarge(owner, io.MultiReader(buffer, content))
	}
	if err != nil {
		return "", nil, 0, err
	}
	return owner + "/" + hex.EncodeToString(sum), sum, size, nil
}

// putSmall writes the file without a flush and adds it to the journal; without a journal it flushes
// the file.
func (f *Folder) putSmall(h *shardDir, r record) error {
	name := r.name()
	if f.journal != nil && h.placeFile(name, r.content) && f.journal.append(r) == nil {
		return nil
	}
	if err := h.writeSmall(name, r.content, nil); err != nil {
		return storageError("write a blob", err)
	}
	return h.flush()
}

// placeFile reports whether the file is at its path with these bytes, flushed or not; a partially
// written file is not. It sets the time of an existing file to now, and then checks that the file still has
// its name. Aged.Remove renames a file before it checks the time, so it either sees the new time or
// has renamed the file before this check, and then the file does not count. Setting the time alone
// is not enough: the system finds the file by its name first and sets the time later.
func (h *shardDir) placeFile(name string, content []byte) bool {
	err := writeAtomic(h.dirFile, name, content)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil
	}
	file, err := h.dir.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return hasContent(file, content) && touch(h.dirFile, name) == nil && h.isNamed(file, name)
}

// isNamed reports whether the open file has this name in the directory.
func (h *shardDir) isNamed(file *os.File, name string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := h.dir.Lstat(name)
	return err == nil && os.SameFile(opened, named)
}

// putLarge writes the file under a temporary name while it reads the content.
func (h *shardDir) putLarge(owner string, content io.Reader) (sum []byte, size int64, err error) {
	hash := sha256.New()
	name := func() string {
		sum = hash.Sum(nil)
		return owner + "-" + hex.EncodeToString(sum)
	}
	size, err = h.write(name, io.TeeReader(content, hash), nil)
	if err != nil {
		return nil, 0, storageError("write a blob", err)
	}
	return sum, size, h.flush()
}

// write writes a file, flushes it and renames it to its name, which is computed after the content
// was read. The directory is not flushed yet. The file replaces an existing one, which has the same
// bytes (perhaps not flushed) or was left incomplete by a crash. If the process is root, the file
// gets the owner of like.
func (h *shardDir) write(name func() string, content io.Reader,
	like fs.FileInfo) (size int64, err error) {
	temp := domain.NewID().String() + partialSuffix
	file, err := h.dir.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = h.dir.Remove(temp)
		}
	}()
	size, err = io.Copy(file, content)
	if err == nil && like != nil {
		err = sameOwner(file, like)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = h.dir.Rename(temp, name())
	}
	return size, err
}

// writeSmall writes content that is in memory.
func (h *shardDir) writeSmall(name string, content []byte, like fs.FileInfo) error {
	_, err := h.write(func() string { return name }, bytes.NewReader(content), like)
	return err
}

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

// Put writes the content and returns its key, SHA-256 and size in bytes. It is on disk when Put returns, at its place or in
// the journal; the same bytes again are no error. A full disk is Unavailable.
func (f *Folder) Put(_ context.Context, caseID domain.ID, content io.Reader) (key string, sum []byte, size int64, err error) {
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
		return "", nil, 0, storageError("read what is to be stored", err)
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

// putSmall places the file, then keeps a record of it; where that cannot be, the file is flushed by itself.
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

// placeFile tells whether the file now stands with these bytes, flushed or not. One left partially written by a crash does not.
// One that stood before is made young, under its name: if Aged.Remove has taken it from there meanwhile, it does not stand.
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
	return hasContent(file, content) && touch(h.dirFile, name) == nil
}

// putLarge writes the file under another name while its bytes come in.
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

// write puts a file at its place, whole and flushed; the directory is not flushed yet. The name is asked for when the bytes
// are written. The file takes the place of what stands there: the same bytes, perhaps not flushed by whoever wrote them, or
// what the machine's fall left of them. Root gives it to the owner of the file it is like.
func (h *shardDir) write(name func() string, content io.Reader, like fs.FileInfo) (size int64, err error) {
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

// writeSmall writes content held in memory.
func (h *shardDir) writeSmall(name string, content []byte, like fs.FileInfo) error {
	_, err := h.write(func() string { return name }, bytes.NewReader(content), like)
	return err
}

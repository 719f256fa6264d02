package blob

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// recoverJournal brings back what the journals of processes that died still hold. Whoever opens the folder meanwhile waits.
func (f *Folder) recoverJournal() error {
	dir, err := f.root.OpenRoot(journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	lock, err := lockJournal(dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), segmentSuffix) {
			if err := f.recoverSegment(dir, entry.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverSegment replays a segment that no living process holds, and deletes it.
func (f *Folder) recoverSegment(dir *os.Root, name string) error {
	file, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its owner was done with it
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if free, err := tryLock(file); !free {
		return err
	}
	if err := f.replay(file); err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replay sees to it that every file of a segment's records is on disk, whole.
func (f *Folder) replay(segment *os.File) error {
	info, err := segment.Stat()
	if err != nil {
		return err
	}
	touched := map[string]*shardDir{}
	defer func() {
		for _, h := range touched {
			h.dropRef()
		}
	}()
	err = readRecords(io.NewSectionReader(segment, 0, info.Size()), func(r record) error {
		h, ok := touched[r.shard()]
		if !ok {
			var err error
			if h, err = f.acquireShard(r.shard()); err != nil {
				return err
			}
			touched[r.shard()] = h
		}
		return h.restore(r.name(), r.content, info)
	})
	for _, h := range touched {
		if flushErr := h.flush(); err == nil {
			err = flushErr
		}
	}
	return err
}

// restore flushes the file if it is whole, and writes it again if it is not.
func (h *shardDir) restore(name string, content []byte, like fs.FileInfo) error {
	file, err := h.dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return h.writeSmall(name, content, like)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if !hasContent(file, content) {
		return h.writeSmall(name, content, like)
	}
	return file.Sync()
}

// hasContent tells whether the file has exactly these bytes.
func hasContent(file *os.File, content []byte) bool {
	there, err := io.ReadAll(io.LimitReader(file, int64(len(content))+1))
	return err == nil && bytes.Equal(there, content)
}

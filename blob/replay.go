package blob

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// recoverJournal replays the segments of processes that died. Concurrent calls of OpenFolder wait.
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

// recoverSegment replays a segment that no running process has locked, and deletes it.
func (f *Folder) recoverSegment(dir *os.Root, name string) error {
	file, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its owner has retired it
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

// replay makes every file of a segment's records durable and complete.
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

// restore flushes the file if it is complete, and writes it again otherwise.
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

// hasContent reports whether the file has exactly these bytes.
func hasContent(file *os.File, content []byte) bool {
	there, err := io.ReadAll(io.LimitReader(file, int64(len(content))+1))
	return err == nil && bytes.Equal(there, content)
}

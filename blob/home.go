package blob

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// home is one subdirectory, held open while it is in use.
type home struct {
	dir   *os.Root
	entry *os.File // the directory itself, to flush

	mu      sync.Mutex
	users   int
	dropped bool      // closes with its last user
	next    *flushing // that begins after the one under way
	busy    bool
}

// flushing is one flush of a directory; whoever named a file before it began is served by it.
type flushing struct {
	done chan struct{}
	err  error
}

// home opens the subdirectory, made if missing. The caller must leave it.
func (f *Folder) home(name string) (*home, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h, ok := f.homes[name]; ok {
		h.enter()
		return h, nil
	}
	h, err := f.openHome(name)
	if err != nil {
		return nil, err
	}
	if len(f.homes) >= keptHomes {
		for old, other := range f.homes {
			other.close()
			delete(f.homes, old)
			break
		}
	}
	f.homes[name] = h
	h.enter()
	return h, nil
}

func (f *Folder) openHome(name string) (*home, error) {
	err := f.root.Mkdir(name, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, storageError("make a subdirectory", err)
	}
	// Flushed also where it stood: whoever made it may have died before.
	if err := syncRoot(f.root); err != nil {
		return nil, err
	}
	dir, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, storageError("open a subdirectory", err)
	}
	entry, err := dir.Open(".")
	if err != nil {
		_ = dir.Close()
		return nil, storageError("open a subdirectory", err)
	}
	return &home{dir: dir, entry: entry}, nil
}

func syncRoot(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return storageError("open the blob folder", err)
	}
	defer func() { _ = dir.Close() }()
	return syncDir(dir)
}

// syncDir puts a directory's entries on disk, where the file system can.
func syncDir(dir *os.File) error {
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return storageError("flush a directory", err)
	}
	return nil
}

func (h *home) enter() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.users++
}

func (h *home) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users--; h.users == 0 && h.dropped {
		h.release()
	}
}

// close releases the directory as soon as nobody uses it.
func (h *home) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dropped = true; h.users == 0 {
		h.release()
	}
}

func (h *home) release() {
	_ = h.entry.Close()
	_ = h.dir.Close()
}

// flush returns when a flush that began after the call has ended: one under way may have missed what the caller named.
func (h *home) flush() error {
	h.mu.Lock()
	if h.next == nil {
		h.next = &flushing{done: make(chan struct{})}
	}
	mine := h.next
	if !h.busy {
		h.busy = true
		go h.flushAll() // whoever began it does not wait for those that come later
	}
	h.mu.Unlock()
	<-mine.done
	return mine.err
}

// flushAll flushes until nobody waits.
func (h *home) flushAll() {
	for {
		h.mu.Lock()
		flush := h.next
		h.next = nil
		if flush == nil {
			h.busy = false
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		flush.err = syncDir(h.entry)
		close(flush.done)
	}
}

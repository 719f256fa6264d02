package blob

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// shardDir is one subdirectory, kept open while it is in use.
type shardDir struct {
	dir     *os.Root
	dirFile *os.File // the directory itself, to flush

	mu           sync.Mutex
	refs         int
	closing      bool     // closes when refs is 0
	nextFlush    *flushOp // begins after the running flush
	flushRunning bool
}

// flushOp is one flush of a directory; it covers every file that was named before it began.
type flushOp struct {
	done chan struct{}
	err  error
}

// acquireShard opens the subdirectory, which it creates if missing. The caller must call dropRef.
func (f *Folder) acquireShard(name string) (*shardDir, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h, ok := f.shards[name]; ok {
		h.addRef()
		return h, nil
	}
	h, err := f.openShard(name)
	if err != nil {
		return nil, err
	}
	if len(f.shards) >= maxOpenShards {
		for old, other := range f.shards {
			other.close()
			delete(f.shards, old)
			break
		}
	}
	f.shards[name] = h
	h.addRef()
	return h, nil
}

func (f *Folder) openShard(name string) (*shardDir, error) {
	err := f.root.Mkdir(name, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, storageError("make a subdirectory", err)
	}
	// Flush also if it existed, because the process that created it may have died before its flush.
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
	return &shardDir{dir: dir, dirFile: entry}, nil
}

func syncRoot(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return storageError("open the blob folder", err)
	}
	defer func() { _ = dir.Close() }()
	return syncDir(dir)
}

// syncDir flushes a directory's entries, if the file system can.
func syncDir(dir *os.File) error {
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return storageError("flush a directory", err)
	}
	return nil
}

func (h *shardDir) addRef() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs++
}

func (h *shardDir) dropRef() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refs--; h.refs == 0 && h.closing {
		h.closeFiles()
	}
}

// close closes the directory as soon as it is unused.
func (h *shardDir) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing = true; h.refs == 0 {
		h.closeFiles()
	}
}

func (h *shardDir) closeFiles() {
	_ = h.dirFile.Close()
	_ = h.dir.Close()
}

// flush returns when a flush that began after the call has ended; a running one may have missed the
// caller's file.
func (h *shardDir) flush() error {
	h.mu.Lock()
	if h.nextFlush == nil {
		h.nextFlush = &flushOp{done: make(chan struct{})}
	}
	mine := h.nextFlush
	if !h.flushRunning {
		h.flushRunning = true
		go h.flushLoop() // so that the first caller does not wait for later flushes
	}
	h.mu.Unlock()
	<-mine.done
	return mine.err
}

// flushLoop flushes until no flush is requested.
func (h *shardDir) flushLoop() {
	for {
		h.mu.Lock()
		flush := h.nextFlush
		h.nextFlush = nil
		if flush == nil {
			h.flushRunning = false
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		flush.err = syncDir(h.dirFile)
		close(flush.done)
	}
}

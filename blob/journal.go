package blob

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

const (
	// A segment is retired when it reaches this age or size.
	segmentAge  = 10 * time.Second
	segmentSize = 32 << 20
	// maxIndividualFlushes is how many files are flushed one by one; for more, flushing the whole
	// file system is cheaper.
	maxIndividualFlushes = 64
	// maxPooledBuffer is the largest buffer of a batch that is reused.
	maxPooledBuffer = 1 << 20
)

// journal makes small files durable that are not flushed yet, so that one flush serves all
// concurrent calls of Put.
//
// A file is at its final path, not flushed, before its record is appended. So when a segment is
// retired, a flush of the file system makes all files of its records durable, and the segment is
// deleted. OpenFolder replays a segment whose owner died.
type journal struct {
	folder         *Folder
	flush          func(*os.File) error // of a segment
	syncfs         func(*os.File) error // of the file system
	maxSegmentSize int64                // bytes after which a segment is retired

	checkpointMu sync.Mutex // serializes the retirement of segments
	mu           sync.Mutex
	dir          *os.Root
	segment      *segment // nil before the first record
	nextBatch    *batch   // flushed after the running flush
	flushRunning bool
	disabledErr  error // why the journal is no longer used, or nil
}

// batch is records that are written and flushed together.
type batch struct {
	flushOp
	bytes   []byte
	records int
}

var errClosed = errors.New("blob: the journal is closed")

func newJournal(f *Folder) *journal {
	return &journal{folder: f, flush: syncData, syncfs: syncFilesystem, maxSegmentSize: segmentSize}
}

// append returns when a flush that began after the call has made the record durable. The file must
// be at its path, complete. After an error the caller flushes the file itself.
func (j *journal) append(r record) error {
	j.mu.Lock()
	if j.disabledErr != nil {
		defer j.mu.Unlock()
		return j.disabledErr
	}
	if j.nextBatch == nil {
		j.nextBatch = &batch{flushOp: flushOp{done: make(chan struct{})}, bytes: getBuffer()}
	}
	mine := j.nextBatch
	mine.bytes = appendRecord(mine.bytes, r)
	mine.records++
	if !j.flushRunning {
		j.flushRunning = true
		go j.flushLoop()
	}
	j.mu.Unlock()
	<-mine.done
	return mine.err
}

// flushLoop flushes until no batch is pending.
func (j *journal) flushLoop() {
	for {
		j.mu.Lock()
		b := j.nextBatch
		j.nextBatch = nil
		if b == nil {
			j.flushRunning = false
			j.mu.Unlock()
			return
		}
		s, err := j.lockSegment()
		j.mu.Unlock()
		if err == nil {
			err = j.writeBatch(s, b)
		}
		b.err = err
		putBuffer(b.bytes)
		close(b.done)
	}
}

// lockSegment returns the current segment, which it creates if there is none, locked so that it is
// not retired. The caller has locked the journal.
func (j *journal) lockSegment() (s *segment, err error) {
	if j.disabledErr != nil {
		return nil, j.disabledErr
	}
	if j.segment == nil {
		if j.segment, err = j.createSegment(); err != nil {
			return nil, err
		}
	}
	j.segment.mu.Lock()
	return j.segment, nil
}

// createSegment creates a segment, and the directory before the first one.
func (j *journal) createSegment() (*segment, error) {
	if j.dir == nil {
		dir, err := makeJournal(j.folder.root)
		if err != nil {
			return nil, err
		}
		j.dir = dir
	}
	return newSegment(j.dir)
}

// writeBatch writes a batch to a segment that lockSegment returned, and unlocks it.
func (j *journal) writeBatch(s *segment, b *batch) error {
	began := s.records == 0
	written, err := s.appendBatch(b, j.flush)
	long := s.size >= j.maxSegmentSize && !s.full
	s.full = s.full || long
	if err == nil && began {
		s.ageTimer = time.AfterFunc(segmentAge, func() { j.checkpoint(s) })
	}
	s.mu.Unlock()
	if written && err != nil {
		j.disable(err) // it is unknown which of the records are durable
	}
	if long {
		go j.checkpoint(s)
	}
	return err
}

// disable makes Put flush each file by itself.
func (j *journal) disable(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.disabledErr == nil {
		j.disabledErr = err
	}
}

// checkpoint directs new records to a new segment, flushes the files of the old one and deletes it.
// It runs in the background.
func (j *journal) checkpoint(s *segment) {
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	if !j.isCurrent(s) {
		return
	}
	following, err := j.createSegment()
	if err != nil {
		following = nil // the next record tries again; deleting this segment frees space
	}
	j.switchSegment(s, following)
	_ = j.retireSegment(s)
}

func (j *journal) isCurrent(s *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.segment == s && j.disabledErr == nil
}

// switchSegment returns when no more records are added to the old segment.
func (j *journal) switchSegment(old, following *segment) {
	j.mu.Lock()
	j.segment = following
	j.mu.Unlock()
	old.mu.Lock()
	defer old.mu.Unlock()
	if old.ageTimer != nil {
		old.ageTimer.Stop()
	}
}

// retireSegment flushes the files of a segment and deletes it. After an error the segment stays for
// the next OpenFolder, and the journal is disabled.
func (j *journal) retireSegment(s *segment) error {
	var err error
	switch {
	case s.records == 0:
	case s.records <= maxIndividualFlushes:
		err = j.folder.replay(s.file)
	default:
		err = j.syncfs(j.folder.dirFile)
	}
	if err != nil {
		j.disable(err)
		_ = s.file.Close()
		return err
	}
	s.remove(j.dir)
	return nil
}

// close retires the current segment. Put is no longer called.
func (j *journal) close() error {
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	j.mu.Lock()
	s, failed := j.segment, j.disabledErr
	if failed == nil {
		j.disabledErr = errClosed
	}
	j.mu.Unlock()
	if s != nil {
		j.switchSegment(s, nil)
		failed = errors.Join(failed, j.retireSegment(s))
	}
	if j.dir != nil {
		_ = j.dir.Close()
	}
	return failed
}

// makeJournal opens the journal's directory, which it creates if missing.
func makeJournal(root *os.Root) (*os.Root, error) {
	if err := root.Mkdir(journalName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := syncRoot(root); err != nil {
		return nil, err
	}
	return root.OpenRoot(journalName)
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func getBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

func putBuffer(bytes []byte) {
	if cap(bytes) <= maxPooledBuffer {
		buffers.Put(&bytes)
	}
}

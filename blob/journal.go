package blob

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

const (
	// A segment is retired when it is this old or this long.
	segmentAge  = 10 * time.Second
	segmentSize = 32 << 20
	// maxIndividualFlushes are flushed file by file: cheaper for the machine than flushing all that anybody wrote.
	maxIndividualFlushes = 64
	// maxPooledBuffer is how much of a batch's memory is used again.
	maxPooledBuffer = 1 << 20
)

// journal keeps small files whose own bytes are not on disk yet, so that one flush serves all who put one meanwhile.
//
// A file is at its final path, not flushed, before its record is added; so when a segment is retired, a flush of the file
// system puts on disk whatever its records name, and the segment goes. A segment whose owner died is replayed by whoever
// opens the folder next.
type journal struct {
	folder         *Folder
	flush          func(*os.File) error // of a segment
	syncfs         func(*os.File) error // of the file system
	maxSegmentSize int64                // bytes of a segment that is retired

	checkpointMu sync.Mutex // one segment at a time is retired
	mu           sync.Mutex
	dir          *os.Root
	segment      *segment // nil before the first record
	nextBatch    *batch   // flushed after the one under way
	flushRunning bool
	disabledErr  error // why files are flushed one by one from now on
}

// batch is records that go to disk together.
type batch struct {
	flushOp
	bytes   []byte
	records int
}

var errClosed = errors.New("the journal is closed")

func newJournal(f *Folder) *journal {
	return &journal{folder: f, flush: syncData, syncfs: syncFilesystem, maxSegmentSize: segmentSize}
}

// append returns when the record is on disk, flushed after the call began. Its file stands already, whole. On an error the
// caller flushes the file itself.
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

// flushLoop flushes until nobody waits.
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

// lockSegment returns the segment in use, made if there is none, held so that nobody is retired it. The caller holds the
// journal.
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

// createSegment makes a segment, and before the first the directory.
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

// writeBatch writes a batch to the segment that was entered, and leaves it.
func (j *journal) writeBatch(s *segment, b *batch) error {
	began := s.records == 0
	laid, err := s.appendBatch(b, j.flush)
	long := s.size >= j.maxSegmentSize && !s.full
	s.full = s.full || long
	if err == nil && began {
		s.ageTimer = time.AfterFunc(segmentAge, func() { j.checkpoint(s) })
	}
	s.mu.Unlock()
	if laid && err != nil {
		j.disable(err) // nobody knows what of it is on disk
	}
	if long {
		go j.checkpoint(s)
	}
	return err
}

// disable makes every file that comes be flushed by itself.
func (j *journal) disable(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.disabledErr == nil {
		j.disabledErr = err
	}
}

// checkpoint lets the records that come go to a new segment, sees to it that the files of this one are on disk, and
// deletes it. No caller waits for it.
func (j *journal) checkpoint(s *segment) {
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	if !j.isCurrent(s) {
		return
	}
	following, err := j.createSegment()
	if err != nil {
		following = nil // the next record tries again, when this segment has made room
	}
	j.switchSegment(s, following)
	_ = j.retireSegment(s)
}

func (j *journal) isCurrent(s *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.segment == s && j.disabledErr == nil
}

// switchSegment returns when nothing is added to the old segment any more.
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

// retireSegment puts the files of a segment on disk and deletes it. If that fails the segment stays for whoever opens the folder
// next, and nothing more is journalled.
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

// close finishes the segment in use. Nobody puts a file any more.
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

// makeJournal opens the journal's directory, made if missing.
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

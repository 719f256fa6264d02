package blob

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

const (
	// A segment is done with when it is this old or this long.
	segmentAge  = 10 * time.Second
	segmentSize = 32 << 20
	// fewRecords are flushed file by file: cheaper for the machine than flushing all that anybody wrote.
	fewRecords = 64
	// keptBuffer is how much of a batch's memory is used again.
	keptBuffer = 1 << 20
)

// journal keeps small files whose own bytes are not on disk yet, so that one flush serves all who put one meanwhile.
//
// A file stands at its place, not flushed, before its record is added; so when a segment is done with, a flush of the file
// system puts on disk whatever its records name, and the segment goes. A segment whose owner died is replayed by whoever
// opens the folder next.
type journal struct {
	folder *Folder
	flush  func(*os.File) error // of a segment
	settle func(*os.File) error // of the file system
	long   int64                // bytes of a segment that is done with

	turning sync.Mutex // one segment at a time is done with
	mu      sync.Mutex
	dir     *os.Root
	segment *segment // nil before the first record
	next    *batch   // flushed after the one under way
	busy    bool
	off     error // why files are flushed one by one from now on
}

// batch is records that go to disk together.
type batch struct {
	flushing
	bytes   []byte
	records int
}

var errClosed = errors.New("the journal is closed")

func newJournal(f *Folder) *journal {
	return &journal{folder: f, flush: flushData, settle: flushAll, long: segmentSize}
}

// keep returns when the record is on disk, flushed after the call began. Its file stands already, whole. On an error the
// caller flushes the file itself.
func (j *journal) keep(r record) error {
	j.mu.Lock()
	if j.off != nil {
		defer j.mu.Unlock()
		return j.off
	}
	if j.next == nil {
		j.next = &batch{flushing: flushing{done: make(chan struct{})}, bytes: takeBuffer()}
	}
	mine := j.next
	mine.bytes = appendRecord(mine.bytes, r)
	mine.records++
	if !j.busy {
		j.busy = true
		go j.flushAll()
	}
	j.mu.Unlock()
	<-mine.done
	return mine.err
}

// flushAll flushes until nobody waits.
func (j *journal) flushAll() {
	for {
		j.mu.Lock()
		b := j.next
		j.next = nil
		if b == nil {
			j.busy = false
			j.mu.Unlock()
			return
		}
		s, err := j.enter()
		j.mu.Unlock()
		if err == nil {
			err = j.add(s, b)
		}
		b.err = err
		giveBuffer(b.bytes)
		close(b.done)
	}
}

// enter returns the segment in use, made if there is none, held so that nobody is done with it. The caller holds the
// journal.
func (j *journal) enter() (s *segment, err error) {
	if j.off != nil {
		return nil, j.off
	}
	if j.segment == nil {
		if j.segment, err = j.create(); err != nil {
			return nil, err
		}
	}
	j.segment.mu.Lock()
	return j.segment, nil
}

// create makes a segment, and before the first the directory.
func (j *journal) create() (*segment, error) {
	if j.dir == nil {
		dir, err := makeJournal(j.folder.root)
		if err != nil {
			return nil, err
		}
		j.dir = dir
	}
	return newSegment(j.dir)
}

// add writes a batch to the segment that was entered, and leaves it.
func (j *journal) add(s *segment, b *batch) error {
	began := s.records == 0
	laid, err := s.add(b, j.flush)
	long := s.size >= j.long && !s.long
	s.long = s.long || long
	if err == nil && began {
		s.old = time.AfterFunc(segmentAge, func() { j.checkpoint(s) })
	}
	s.mu.Unlock()
	if laid && err != nil {
		j.stop(err) // nobody knows what of it is on disk
	}
	if long {
		go j.checkpoint(s)
	}
	return err
}

// stop makes every file that comes be flushed by itself.
func (j *journal) stop(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.off == nil {
		j.off = err
	}
}

// checkpoint lets the records that come go to a new segment, sees to it that the files of this one are on disk, and
// deletes it. Nobody waits for it.
func (j *journal) checkpoint(s *segment) {
	j.turning.Lock()
	defer j.turning.Unlock()
	if !j.uses(s) {
		return
	}
	following, err := j.create()
	if err != nil {
		following = nil // the next record tries again, when this segment has made room
	}
	j.replace(s, following)
	_ = j.finish(s)
}

func (j *journal) uses(s *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.segment == s && j.off == nil
}

// replace returns when nothing is added to the old segment any more.
func (j *journal) replace(old, following *segment) {
	j.mu.Lock()
	j.segment = following
	j.mu.Unlock()
	old.mu.Lock()
	defer old.mu.Unlock()
	if old.old != nil {
		old.old.Stop()
	}
}

// finish puts the files of a segment on disk and deletes it. If that fails the segment stays for whoever opens the folder
// next, and nothing more is journalled.
func (j *journal) finish(s *segment) error {
	var err error
	switch {
	case s.records == 0:
	case s.records <= fewRecords:
		err = j.folder.replay(s.file)
	default:
		err = j.settle(j.folder.entry)
	}
	if err != nil {
		j.stop(err)
		_ = s.file.Close()
		return err
	}
	s.remove(j.dir)
	return nil
}

// close finishes the segment in use. Nobody puts a file any more.
func (j *journal) close() error {
	j.turning.Lock()
	defer j.turning.Unlock()
	j.mu.Lock()
	s, failed := j.segment, j.off
	if failed == nil {
		j.off = errClosed
	}
	j.mu.Unlock()
	if s != nil {
		j.replace(s, nil)
		failed = errors.Join(failed, j.finish(s))
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

func takeBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

func giveBuffer(bytes []byte) {
	if cap(bytes) <= keptBuffer {
		buffers.Put(&bytes)
	}
}

package blob

import (
	"os"
	"sync"
	"time"

	"countersign/domain"
)

const (
	journalName   = ".journal"
	lockName      = "lock"
	segmentSuffix = ".segment"
	// A segment is preallocated with zeros, so that flushing a record writes no metadata of the
	// file system. The allocation doubles within these bounds.
	minPreallocation = 1 << 20
	maxPreallocation = 8 << 20
)

// segment is one file of the journal, locked by the process that writes it while that process runs.
type segment struct {
	name string
	file *os.File

	mu              sync.Mutex // locked while records are added
	size, allocated int64      // bytes of records; bytes preallocated
	records         int
	ageTimer        *time.Timer // since the first record
	full            bool        // about to be retired
}

// newSegment creates an empty segment that is durable under its name. It locks the journal, so that
// no other process recovers it at that moment.
func newSegment(dir *os.Root) (*segment, error) {
	lock, err := lockJournal(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }()
	s := &segment{name: domain.NewID().String() + segmentSuffix, size: int64(len(segmentMagic))}
	if s.file, err = dir.OpenFile(s.name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if _, err = tryLock(s.file); err == nil {
		err = s.preallocate(minPreallocation)
	}
	if err == nil {
		_, err = s.file.WriteAt([]byte(segmentMagic), 0)
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		err = syncRoot(dir)
	}
	if err != nil {
		s.remove(dir)
		return nil, err
	}
	return s, nil
}

// lockJournal waits until no other process creates or recovers a segment.
func lockJournal(dir *os.Root) (*os.File, error) {
	lock, err := dir.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := waitLock(lock); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

var zeros = make([]byte, 128<<10)

// preallocate writes zeros up to a size.
func (s *segment) preallocate(until int64) error {
	for s.allocated < until {
		n, err := s.file.WriteAt(zeros[:min(int64(len(zeros)), until-s.allocated)], s.allocated)
		if s.allocated += int64(n); err != nil {
			return err
		}
	}
	return nil
}

// appendBatch writes a batch and flushes it. written is false if there was no space for it; the
// segment is then unchanged.
func (s *segment) appendBatch(b *batch, flush func(*os.File) error) (written bool, err error) {
	until := s.size + int64(len(b.bytes))
	if until > s.allocated {
		if err := s.preallocate(max(until,
			s.allocated+min(s.allocated, maxPreallocation))); err != nil {
			return false, err
		}
	}
	if _, err := s.file.WriteAt(b.bytes, s.size); err != nil {
		return true, err
	}
	if err := flush(s.file); err != nil {
		return true, err
	}
	s.size, s.records = until, s.records+b.records
	return true, nil
}

// remove deletes the segment, then releases its lock.
func (s *segment) remove(dir *os.Root) {
	_ = dir.Remove(s.name)
	_ = s.file.Close()
}

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
	// A segment is laid out in zeros ahead of its records, so that flushing a record writes its bytes and nothing of the
	// file system's own: twice as much each time, within these bounds.
	minPreallocation = 1 << 20
	maxPreallocation = 8 << 20
)

// segment is one file of the journal, locked by the process that writes it for as long as it lives.
type segment struct {
	name string
	file *os.File

	mu              sync.Mutex // held while records are added
	size, allocated int64      // bytes of records; bytes on disk
	records         int
	ageTimer        *time.Timer // since the first record
	full            bool        // and so about to be done with
}

// newSegment makes an empty segment that is on disk under its name. Nobody looks for orphans meanwhile.
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

// lockJournal waits until no other process makes a segment or looks for orphans.
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

// appendBatch writes a batch and returns when it is on disk, and whether there was room for it: if not, the segment is as before.
func (s *segment) appendBatch(b *batch, flush func(*os.File) error) (laid bool, err error) {
	until := s.size + int64(len(b.bytes))
	if until > s.allocated {
		if err := s.preallocate(max(until, s.allocated+min(s.allocated, maxPreallocation))); err != nil {
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

// remove deletes the segment, then lets go of its lock.
func (s *segment) remove(dir *os.Root) {
	_ = dir.Remove(s.name)
	_ = s.file.Close()
}

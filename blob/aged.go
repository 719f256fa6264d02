package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/domain"
)

// aside ends the name of a file that Aged.Remove has renamed and not yet deleted.
const aside = ".aside" + partialSuffix

// Aged finds files older than the grace period and removes those that the caller does not know. A
// pass goes through the subdirectories one after the other, a few files in each call. It is safe
// for concurrent use.
type Aged struct {
	folder *Folder
	grace  time.Duration

	mu    sync.Mutex
	names []string // remaining subdirectories of this pass
	open  *os.File // the current subdirectory
	dir   string   // its name
	until time.Time
}

// Aged returns a search for files older than the grace period.
func (f *Folder) Aged(grace time.Duration) *Aged { return &Aged{folder: f, grace: grace} }

// Next returns keys of the next files of the pass after reading at most that many names; done ends
// the pass, and the next call begins another. It also removes files that were never completed.
func (a *Aged) Next(ctx context.Context, most int) (keys []string, done bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for left := most; left > 0; {
		if ctx.Err() != nil {
			return keys, false, ctx.Err()
		}
		if a.open == nil {
			more, err := a.nextDir()
			if err != nil || !more {
				return keys, true, err
			}
			left-- // an empty subdirectory counts as well
			continue
		}
		entries, err := a.open.ReadDir(left)
		left -= len(entries)
		for _, entry := range entries {
			if key := a.agedKey(entry); key != "" {
				keys = append(keys, key)
			}
		}
		if err != nil {
			a.closeDir()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return keys, true, storageError("list blobs", err)
		}
	}
	return keys, false, nil
}

// nextDir opens the next subdirectory, or the first one at the beginning of a pass; false if there
// are no more.
func (a *Aged) nextDir() (bool, error) {
	if a.names == nil {
		if err := a.begin(); err != nil {
			return false, err
		}
	}
	for len(a.names) > 0 {
		a.dir, a.names = a.names[0], a.names[1:]
		open, err := a.folder.root.Open(a.dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		a.open = open
		return err == nil, err
	}
	a.names = nil
	return false, nil
}

func (a *Aged) closeDir() {
	_ = a.open.Close()
	a.open = nil
}

// begin lists the subdirectories and reads the time from the file system, whose clock also set the
// times of the files.
func (a *Aged) begin() error {
	now, err := a.folder.now()
	if err != nil {
		return storageError("read the time of the blob folder", err)
	}
	a.until = now.Add(-a.grace)
	entries, err := fs.ReadDir(a.folder.root.FS(), ".")
	if err != nil {
		return storageError("list blobs", err)
	}
	a.names = []string{}
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != journalName {
			a.names = append(a.names, entry.Name())
		}
	}
	slices.Sort(a.names)
	return nil
}

// now returns the time by the clock of the file system.
func (f *Folder) now() (time.Time, error) {
	name := domain.NewID().String() + partialSuffix
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	_ = file.Close()
	if removed := f.root.Remove(name); err == nil {
		err = removed
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// agedKey returns the key of a file that is old enough, or "".
func (a *Aged) agedKey(entry fs.DirEntry) string {
	path := a.dir + "/" + entry.Name()
	if original, found := strings.CutSuffix(path, aside); found {
		a.putBack(path, original) // the process that renamed it has died; the next pass examines it
		return ""
	}
	info, err := entry.Info()
	if err != nil || !info.Mode().IsRegular() || info.ModTime().After(a.until) {
		return ""
	}
	if strings.HasSuffix(path, partialSuffix) {
		_ = a.folder.root.Remove(path) // no file takes that long to write
		return ""
	}
	key := keyOf(path)
	if CheckKey(key) != nil {
		return "" // not a blob
	}
	return key
}

// putBack renames a file to its name. A file written there in the meantime has the same bytes.
func (a *Aged) putBack(from, to string) {
	_ = a.folder.root.Rename(from, to)
}

// Remove deletes the file unless it was written within the grace period; it returns false then. Put
// sets the time of an existing file to now before it returns. So Remove first renames the file and
// then checks its time: if it is recent, Remove renames it back; a later Put does not find the file
// and writes it again.
func (a *Aged) Remove(_ context.Context, key string) (bool, error) {
	if err := CheckKey(key); err != nil {
		return false, err
	}
	now, err := a.folder.now()
	if err != nil {
		return false, storageError("read the time of the blob folder", err)
	}
	removed := false
	for _, path := range []string{blobPath(key), key} {
		deleted, err := a.remove(path, now.Add(-a.grace))
		if err != nil {
			return false, storageError("remove a blob", err)
		}
		removed = removed || deleted
	}
	return removed, nil
}

func (a *Aged) remove(path string, until time.Time) (bool, error) {
	recent := func(name string) (bool, error) {
		info, err := a.folder.root.Lstat(name)
		return err == nil && info.ModTime().After(until), err
	}
	if kept, err := recent(path); err != nil || kept {
		return false, ignoreMissing(err)
	}
	if err := a.folder.root.Rename(path, path+aside); err != nil {
		return false, ignoreMissing(err)
	}
	if kept, err := recent(path + aside); err != nil || kept {
		a.putBack(path+aside, path)
		return false, err
	}
	return true, ignoreMissing(a.folder.root.Remove(path + aside))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

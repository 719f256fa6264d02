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

// aside ends the name of a file that Aged.Remove has taken from its place and not yet deleted.
const aside = ".aside" + partialSuffix

// Aged finds files that were written longer ago than the grace period, and removes those of them that the caller does not
// know. A pass goes through the subdirectories one after the other, a few files in each call. It is safe for concurrent use.
type Aged struct {
	folder *Folder
	grace  time.Duration

	mu    sync.Mutex
	names []string // subdirectories still to be looked at in this pass
	open  *os.File // the one that is being read
	at    string   // its name
	until time.Time
}

// Aged begins to look for files older than the grace period.
func (f *Folder) Aged(grace time.Duration) *Aged { return &Aged{folder: f, grace: grace} }

// Next returns keys of the next files of the pass, having looked at no more than so many names; done ends the pass, and
// the next call begins another. Remains of files that were never written to their end are removed on the way.
func (a *Aged) Next(ctx context.Context, most int) (keys []string, done bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for left := most; left > 0; {
		if ctx.Err() != nil {
			return keys, false, ctx.Err()
		}
		if a.open == nil {
			more, err := a.enter()
			if err != nil || !more {
				return keys, true, err
			}
			left-- // an empty subdirectory is work too
			continue
		}
		entries, err := a.open.ReadDir(left)
		left -= len(entries)
		for _, entry := range entries {
			if key := a.judge(entry); key != "" {
				keys = append(keys, key)
			}
		}
		if err != nil {
			a.leave()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return keys, true, storageError("list blobs", err)
		}
	}
	return keys, false, nil
}

// enter opens the next subdirectory, at the beginning of a pass the first; false when there are no more.
func (a *Aged) enter() (bool, error) {
	if a.names == nil {
		if err := a.begin(); err != nil {
			return false, err
		}
	}
	for len(a.names) > 0 {
		a.at, a.names = a.names[0], a.names[1:]
		open, err := a.folder.root.Open(a.at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		a.open = open
		return err == nil, err
	}
	a.names = nil
	return false, nil
}

func (a *Aged) leave() {
	_ = a.open.Close()
	a.open = nil
}

// begin lists the subdirectories and takes the time from the file system, whose clock also stamped the files.
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

// now is the present time by the clock of the file system.
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

// judge returns the key of a file that is old enough, or "".
func (a *Aged) judge(entry fs.DirEntry) string {
	path := a.at + "/" + entry.Name()
	if whole, found := strings.CutSuffix(path, aside); found {
		a.putBack(path, whole) // whoever took it from its place has died: it is judged in the next pass
		return ""
	}
	info, err := entry.Info()
	if err != nil || !info.Mode().IsRegular() || info.ModTime().After(a.until) {
		return ""
	}
	if strings.HasSuffix(path, partialSuffix) {
		_ = a.folder.root.Remove(path) // nobody writes one file for so long
		return ""
	}
	key := keyOf(path)
	if checkKey(key) != nil {
		return "" // none of ours
	}
	return key
}

// putBack gives a file its place again. What came there meanwhile has the same bytes.
func (a *Aged) putBack(from, to string) {
	_ = a.folder.root.Rename(from, to)
}

// Remove deletes the file unless it was written within the grace period; false then. Put makes a file young before it
// returns. So the file is first taken from its place and looked at there: if it was made young before, it goes back;
// a Put that comes later does not find it and writes it again.
func (a *Aged) Remove(_ context.Context, key string) (bool, error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	now, err := a.folder.now()
	if err != nil {
		return false, storageError("read the time of the blob folder", err)
	}
	removed := false
	for _, path := range []string{blobPath(key), key} {
		gone, err := a.remove(path, now.Add(-a.grace))
		if err != nil {
			return false, storageError("remove a blob", err)
		}
		removed = removed || gone
	}
	return removed, nil
}

func (a *Aged) remove(path string, until time.Time) (bool, error) {
	young := func(name string) (bool, error) {
		info, err := a.folder.root.Lstat(name)
		return err == nil && info.ModTime().After(until), err
	}
	if kept, err := young(path); err != nil || kept {
		return false, ignoreMissing(err)
	}
	if err := a.folder.root.Rename(path, path+aside); err != nil {
		return false, ignoreMissing(err)
	}
	if kept, err := young(path + aside); err != nil || kept {
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

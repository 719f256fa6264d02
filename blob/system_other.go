//go:build !linux

package blob

import (
	"errors"
	"io/fs"
	"os"
)

// mayJournal: only Linux flushes a file system as a whole and names a file that had no name. Elsewhere nobody writes a
// journal, so the locks of those that came with a copied folder are free, and replaying one twice does no harm.
func mayJournal(*os.File) bool { return false }

func flushAll(*os.File) error { return errors.ErrUnsupported }

func flushData(file *os.File) error { return file.Sync() }

func tryLock(*os.File) (bool, error) { return true, nil }

func waitLock(*os.File) error { return nil }

func placeWhole(*os.File, string, []byte) error { return errors.ErrUnsupported }

func touch(*os.File, string) error { return errors.ErrUnsupported }

func sameOwner(*os.File, fs.FileInfo) error { return nil }

//go:build !linux

package blob

import (
	"errors"
	"io/fs"
	"os"
)

// supportsJournal reports false: only Linux flushes a whole file system and links unnamed files.
// Other systems write no journal, so the locks of segments in a copied folder are free, and
// replaying one twice is harmless.
func supportsJournal(*os.File) bool { return false }

func syncFilesystem(*os.File) error { return errors.ErrUnsupported }

func syncData(file *os.File) error { return file.Sync() }

func tryLock(*os.File) (bool, error) { return true, nil }

func waitLock(*os.File) error { return nil }

func writeAtomic(*os.File, string, []byte) error { return errors.ErrUnsupported }

func touch(*os.File, string) error { return errors.ErrUnsupported }

func sameOwner(*os.File, fs.FileInfo) error { return nil }

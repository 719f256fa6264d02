package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
)

const lockName = ".lock"

// lockRoot takes a lock that the kernel releases when this process ends.
func lockRoot(root string) (*os.File, error) {
	// The file is locked before it gets its name, so that removeStaleRoots never finds it unlocked.
	unnamed := filepath.Join(root, lockName+"-new")
	file, err := os.OpenFile(unnamed, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, os.Rename(unnamed, filepath.Join(root, lockName))
}

// removeStaleRoots removes the roots of killed processes, whose lock is not held.
func removeStaleRoots(base string) {
	roots, _ := filepath.Glob(filepath.Join(base, rootPrefix+"*"))
	for _, root := range roots {
		file, err := os.OpenFile(filepath.Join(root, lockName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue // not a root, or just being created
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(root)
		}
		_ = file.Close()
	}
}

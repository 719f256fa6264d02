package blob

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// journalFilesystems lists local file systems on which a lock ends with its process and which can
// be flushed as a whole.
var journalFilesystems = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC,
	// the last is ZFS
	unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
	0x2fc12fc1}

// supportsJournal reports whether small files of the directory can be journalled.
func supportsJournal(dir *os.File) bool {
	var about unix.Statfs_t
	if err := unix.Fstatfs(int(dir.Fd()), &about); err != nil {
		return false
	}
	for _, kind := range journalFilesystems {
		if int64(about.Type) == kind {
			return true
		}
	}
	return false
}

// syncFilesystem flushes the whole file system of the directory.
func syncFilesystem(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }

// syncData flushes a file's bytes and the metadata needed to read them.
func syncData(file *os.File) error {
	return retryInterrupted(func() error { return unix.Fdatasync(int(file.Fd())) })
}

// tryLock locks the file if it is free. The lock lasts until the file is closed or the process
// ends.
func tryLock(file *os.File) (bool, error) {
	err := retryInterrupted(func() error {
		return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	})
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func waitLock(file *os.File) error {
	return retryInterrupted(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX) })
}

// writeAtomic writes an unnamed file, then links it to its name, so that it appears complete or not
// at all. It does not flush the file. The error is fs.ErrExist if the name exists.
func writeAtomic(dir *os.File, name string, content []byte) error {
	at := int(dir.Fd())
	var file int
	err := retryInterrupted(func() (err error) {
		file, err = unix.Openat(at, ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o400)
		return err
	})
	if err != nil {
		return &fs.PathError{Op: "make", Path: name, Err: err}
	}
	defer func() { _ = unix.Close(file) }()
	for len(content) > 0 {
		n, err := unix.Write(file, content)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return &fs.PathError{Op: "write", Path: name, Err: err}
		}
		content = content[max(n, 0):]
	}
	if err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(file), at, name,
		unix.AT_SYMLINK_FOLLOW); err != nil {
		return &fs.PathError{Op: "name", Path: name, Err: err}
	}
	return nil
}

// touch sets a file's time to now.
func touch(dir *os.File, name string) error {
	now := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(int(dir.Fd()), name, now, unix.AT_SYMLINK_NOFOLLOW)
}

// sameOwner gives a file written by root the owner of another file.
func sameOwner(file *os.File, other fs.FileInfo) error {
	owner, ok := other.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

// retryInterrupted repeats a call that was interrupted by a signal.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

package blob

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// journalFilesystems lists the file systems on which a lock dies with its process, on this machine and no other, and which can be
// flushed as a whole.
var journalFilesystems = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
	unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, 0x2fc12fc1} // the last is ZFS

// supportsJournal tells whether small files of the directory can be journalled.
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

// syncFilesystem puts on disk all that the file system of the directory holds.
func syncFilesystem(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }

// syncData puts a file's bytes on disk, and of what is known about it only what is needed to read them.
func syncData(file *os.File) error {
	return retryInterrupted(func() error { return unix.Fdatasync(int(file.Fd())) })
}

// tryLock takes the file's lock if it is free. It lasts until the file is closed or its process ends.
func tryLock(file *os.File) (bool, error) {
	err := retryInterrupted(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func waitLock(file *os.File) error {
	return retryInterrupted(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX) })
}

// writeAtomic writes a file that has no name yet, then names it: it is there whole or not at all. It is not flushed. The
// name being taken is fs.ErrExist.
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
	if err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(file), at, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &fs.PathError{Op: "name", Path: name, Err: err}
	}
	return nil
}

// touch gives a file the present time.
func touch(dir *os.File, name string) error {
	now := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(int(dir.Fd()), name, now, unix.AT_SYMLINK_NOFOLLOW)
}

// sameOwner gives a file that root writes to whom the other belongs.
func sameOwner(file *os.File, other fs.FileInfo) error {
	owner, ok := other.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

// retryInterrupted repeats a call that a signal broke.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

package devservices

import (
	"os"

	"golang.org/x/sys/unix"
)

// topDirFlag is FS_TOPDIR_FL of linux/fs.h: subdirectories of the directory have nothing to do with
// each other.
const topDirFlag = 0x20000

// SpreadSubdirectories asks the file system to lay each new subdirectory into a region of its own.
// For minutes an ext4 without a journal does not use the inode of a deleted file again, and to make
// a file it searches past all such inodes of the region: where thousands were just deleted, as
// after tests, that is 0.5 ms a file in place of 0.02. Where the file system knows no regions,
// nothing happens.
func SpreadSubdirectories(dir string) {
	file, err := os.Open(dir)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	flags, err := unix.IoctlGetInt(int(file.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return
	}
	_ = unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, flags|topDirFlag)
}

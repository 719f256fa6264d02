package devservices

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// memoryRoot is where Linux keeps files in memory.
const memoryRoot = "/dev/shm"

// hasMemory reports whether memoryRoot and the machine have room for the databases of a test run,
// which take less than 2 GB, beside the browsers and compilers of the run.
func hasMemory() bool {
	var files unix.Statfs_t
	if unix.Statfs(memoryRoot, &files) != nil || files.Type != unix.TMPFS_MAGIC {
		return false
	}
	return files.Bavail*uint64(files.Bsize) >= 4<<30 && availableMemory() >= 6<<30
}

// availableMemory is what programs may still use without swapping; 0 if the kernel does not say.
func availableMemory() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if value, is := strings.CutPrefix(lines.Text(), "MemAvailable:"); is {
			var kilobytes uint64
			_, _ = fmt.Sscan(value, &kilobytes) // 0 if it is no number
			return kilobytes << 10
		}
	}
	return 0
}

// ownFolder reports whether dir is a folder of this user. Everyone may make folders in memoryRoot.
func ownFolder(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	status, is := info.Sys().(*syscall.Stat_t)
	return is && int(status.Uid) == os.Geteuid()
}

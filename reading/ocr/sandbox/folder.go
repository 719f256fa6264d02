package sandbox

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"

	"countersign/domain"
)

const (
	rootPrefix = "countersign-read-"
	maxSlots   = 64
	// firstUser is the first user id for jobs if this process is root. Debian assigns no users in
	// this range.
	firstUser = 61184
)

var nextUser atomic.Uint32

// Folder is the folder of a job. in/ is read-only for its children; out/ is their working directory
// and the only place they may write. Close removes it. Children of one job may run concurrently.
type Folder struct {
	box  *Runner
	path string
	slot int
	user int // user and group id of the children, -1 = those of this process
}

// NewFolder waits for a free slot and creates the folder of a job.
func (b *Runner) NewFolder(ctx context.Context) (*Folder, error) {
	var slot int
	select {
	case slot = <-b.slots:
	case <-ctx.Done():
		return nil, fmt.Errorf("sandbox: waiting for a slot: %w", context.Cause(ctx))
	}
	folder, err := b.makeFolder(slot)
	if err != nil {
		b.slots <- slot
		return nil, fmt.Errorf("sandbox: job folder: %w", err)
	}
	return folder, nil
}

func (b *Runner) makeFolder(slot int) (*Folder, error) {
	path, err := os.MkdirTemp(b.root, "job-")
	if err != nil {
		return nil, err
	}
	folder := &Folder{box: b, path: path, slot: slot, user: -1}
	if os.Geteuid() == 0 {
		// User ids are assigned per process, not per Runner, because the limit of processes is per
		// user.
		folder.user = firstUser + os.Getpid()%60*maxSlots + int(nextUser.Add(1)%maxSlots)
	}
	if err := folder.createDirs(); err != nil {
		_ = os.RemoveAll(path)
		return nil, err
	}
	return folder, nil
}

func (f *Folder) createDirs() error {
	for _, step := range []struct {
		path string
		mode os.FileMode
	}{{f.path, 0o711}, {f.In(), 0o755}, {f.Out(), 0o700}} {
		if err := os.MkdirAll(step.path, step.mode); err != nil {
			return err
		}
		if err := os.Chmod(step.path, step.mode); err != nil {
			return err
		}
	}
	if f.user >= 0 {
		return os.Chown(f.Out(), f.user, f.user)
	}
	return nil
}

// In returns the path of the folder that children can only read, as ../in/NAME.
func (f *Folder) In() string { return filepath.Join(f.path, "in") }

// Out returns the path of the working directory of children. Read its files only through Open.
func (f *Folder) Out() string { return filepath.Join(f.path, "out") }

// Put writes an input file and returns its size. It returns FileTooLarge for more than limit bytes
// (0 = no limit).
func (f *Folder) Put(name string, from io.Reader, limit int64) (int64, error) {
	file, err := os.OpenFile(filepath.Join(f.In(), name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return 0, fmt.Errorf("sandbox: put %s: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	source := from
	if limit > 0 {
		source = io.LimitReader(from, limit+1)
	}
	size, err := io.Copy(file, source)
	if err != nil {
		return size, fmt.Errorf("sandbox: put %s: %w", name, err)
	}
	if limit > 0 && size > limit {
		return size, domain.Errorf(domain.FileTooLarge, "The file is larger than %d MB.",
			limit>>20).
			WithDetail("limitBytes", strconv.FormatInt(limit, 10))
	}
	if err := file.Chmod(0o444); err != nil {
		return size, err
	}
	return size, file.Close()
}

// Open opens a file written by a child. It opens only regular files of at most limit bytes, and
// never follows links out of the folder. It returns fs.ErrNotExist for a missing file.
func (f *Folder) Open(name string, limit int64) (*os.File, error) {
	root, err := os.OpenRoot(f.Out())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("sandbox: %s is no regular file", name)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("sandbox: %s has %d bytes, more than %d", name, info.Size(), limit)
	}
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// ReadFile returns the content of a file written by a child, with the checks of Open.
func (f *Folder) ReadFile(name string, limit int64) ([]byte, error) {
	file, err := f.Open(name, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, limit))
}

// Names returns the names of the files written by children, sorted.
func (f *Folder) Names() ([]string, error) {
	entries, err := os.ReadDir(f.Out())
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

// Remove deletes a file written by a child.
func (f *Folder) Remove(name string) error {
	root, err := os.OpenRoot(f.Out())
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return root.Remove(name)
}

// Close removes the folder and frees its slot. It may be called twice.
func (f *Folder) Close() {
	if f.path == "" {
		return
	}
	if err := os.RemoveAll(f.path); err != nil {
		f.box.logger.Error("sandbox: job folder stays behind", "path", f.path, "error", err)
	}
	f.path = ""
	f.box.slots <- f.slot
}

// used returns the total size and the number of files in out.
func (f *Folder) used() (size int64, files int) {
	_ = filepath.WalkDir(f.Out(), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a file removed during the walk takes no space
		}
		files++
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, files
}

// reachable reports whether every user has the permissions to the file and may enter all its parent
// folders.
func reachable(path string, permissions os.FileMode) bool {
	if os.Geteuid() != 0 {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&permissions != permissions {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

func copyProgram(path, root string, number int) (string, error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	dir := filepath.Join(root, "bin-"+strconv.Itoa(number))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	copied := filepath.Join(dir, filepath.Base(path))
	// Forking while the copy is open for writing would make its execution fail with "text file
	// busy".
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	to, err := os.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(to, from); err != nil {
		_ = to.Close()
		return "", err
	}
	if err := to.Chmod(0o755); err != nil {
		_ = to.Close()
		return "", err
	}
	return copied, to.Close()
}

package devservices

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"countersign/domain"
)

// rootState is where root keeps servers of a checkout: the account they run under may not enter a
// closed home.
const rootState = "/var/lib/countersign-dev"

// minFreeBytes is the free disk space that a new database needs: binaries 60 MB, a fresh cluster 40
// MB, its log and some rows.
const minFreeBytes = 300 << 20

// Checkout is the folder of this project's go.mod at or above the working folder.
func Checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working folder: %w", err)
	}
	for {
		if isCheckout(filepath.Join(dir, "go.mod")) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", domain.Errorf(domain.InvalidInput,
				"This is not inside a checkout of Countersign.").
				WithRemedy("Run it in the folder where go.mod lies.")
		}
		dir = parent
	}
}

func isCheckout(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "module countersign" {
			return true
		}
	}
	return false
}

// StateDir is where private servers of the checkout keep binaries, data and logs: .data in the
// checkout, or as root a folder of /var/lib named by the checkout's path. Removing it, with all
// servers stopped, starts again.
func StateDir(checkout string) string {
	if os.Geteuid() != 0 {
		return filepath.Join(checkout, ".data")
	}
	sum := sha256.Sum256([]byte(checkout))
	return filepath.Join(rootState, hex.EncodeToString(sum[:6]))
}

// RemoveData removes the durable data of the checkout's private servers, so that the next start
// begins again. It refuses while one of them runs. Binaries copied for the account stay.
func RemoveData(checkout string) error {
	return removeData(filepath.Join(StateDir(checkout), "postgres"))
}

func removeData(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := lockDir(dir)
	if err != nil {
		return explainIO(err, dir)
	}
	defer lock.Close()
	return explainIO(os.RemoveAll(dir), dir)
}

// openState makes the state folder. Where servers run under another account it may be entered by
// all, whatever the umask says; what is secret in it lies in folders of their own.
func openState(as account, state string) error {
	if err := os.MkdirAll(state, 0o755); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if !as.dropsPrivileges {
		return nil
	}
	for dir := state; ; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			return fmt.Errorf("state folder: %w", err)
		}
		if filepath.Dir(dir) != rootState {
			return nil
		}
	}
}

// newRunDir makes and takes a folder for one throw-away server, and sweeps those whose starter is
// gone: normally their guardian did, but a machine that lost power had none.
func newRunDir(as account, state, kind string) (string, *os.File, error) {
	turn, err := os.OpenFile(filepath.Join(state, "turn"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("state folder: %w", err)
	}
	defer turn.Close()
	// One at a time, so that no process sweeps a folder between its making and its locking.
	if err = syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		return "", nil, fmt.Errorf("state folder: %w", err)
	}
	left, _ := filepath.Glob(filepath.Join(state, "*-run-*")) // fails only on a malformed pattern
	for _, dir := range left {
		if lock, err := lockDir(dir); err == nil {
			_ = os.RemoveAll(dir) // the next start tries again
			_ = lock.Close()
		}
	}
	SpreadSubdirectories(state)
	dir, err := os.MkdirTemp(state, kind+"-run-")
	if err != nil {
		return "", nil, fmt.Errorf("state folder: %w", err)
	}
	if err = as.chown(dir); err != nil {
		return dir, nil, fmt.Errorf("state folder: %w", err)
	}
	lock, err := lockDir(dir)
	return dir, lock, err
}

// lockDir takes the folder for this process until the returned file is closed.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", dir, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, domain.Errorf(domain.Unavailable,
			"The private database in %s is in use by another running program.", dir).
			WithRemedy("Stop the other demo first.")
	}
	return nil, fmt.Errorf("lock of %s: %w", dir, err)
}

// requireFreeSpace refuses a folder whose disk has less than need bytes left for ordinary users.
func requireFreeSpace(dir string, need uint64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("free room of %s: %w", dir, err)
	}
	free := uint64(disk.Bavail) * uint64(disk.Bsize)
	if free >= need {
		return nil
	}
	return diskFull(dir).WithCause(fmt.Errorf("%d MB free, %d MB needed", free>>20, need>>20))
}

func diskFull(dir string) *domain.Error {
	return domain.Errorf(domain.Unavailable, "The disk that holds %s is full.", dir).
		WithRemedy("Free at least %d MB there and start again.", minFreeBytes>>20)
}

// secret makes a password of 128 random bits.
func secret() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails: it ends the program instead
	return hex.EncodeToString(bits[:])
}

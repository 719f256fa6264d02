package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// expectedModes tests which modes must be available on this machine, without using the package. A
// nil error means available.
func expectedModes() map[sandbox.Mode]error {
	return map[sandbox.Mode]error{
		sandbox.Bubblewrap: bubblewrapWorks(), sandbox.Landlock: landlockWorks(),
		sandbox.LimitsOnly: nil,
	}
}

// bubblewrapWorks runs bwrap as an unprivileged user, like the package does.
func bubblewrapWorks() error {
	command := exec.Command(
		"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
		"/bin/true",
	)
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: 65534, Gid: 65534},
		}
	}
	command.Dir = "/"
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("bwrap: %w: %s", err, output)
	}
	return nil
}

// landlockWorks queries the Landlock version of the kernel.
func landlockWorks() error {
	version, _, errno := unix.Syscall(
		unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION,
	)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	if version < 1 {
		return fmt.Errorf("landlock: version %d", version)
	}
	return nil
}

// Every available mode must isolate. Otherwise a command line rejected by the installed bubblewrap
// would go unnoticed, because tests would pass in a weaker mode.
func TestEveryAvailableModeIsolates(t *testing.T) {
	t.Parallel()
	for mode, reason := range expectedModes() {
		box, err := sandbox.Open(t.Context(), sandbox.Options{Modes: []sandbox.Mode{mode}})
		if err != nil {
			if reason == nil {
				t.Errorf("%s works here, yet it is refused: %v", mode, err)
			}
			continue
		}
		if box.Mode() != mode {
			t.Errorf("asked for %s, got %s", mode, box.Mode())
		}
		if reason != nil {
			t.Errorf("%s was opened, yet it cannot work here: %v", mode, reason)
		}
		_ = box.Close()
	}
}

func TestTheStrongestModeIsChosen(t *testing.T) {
	t.Parallel()
	works := expectedModes()
	want := sandbox.LimitsOnly
	for _, mode := range []sandbox.Mode{sandbox.Landlock, sandbox.Bubblewrap} {
		if works[mode] == nil {
			want = mode
		}
	}
	box, err := sandbox.Open(t.Context(), sandbox.Options{AcceptLimitsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	if box.Mode() != want {
		t.Errorf("got %s, want %s; refused were %v", box.Mode(), want, box.Unavailable())
	}
	// internal/testrun prints this line and repeats it at the end.
	if box.Mode() == sandbox.LimitsOnly {
		fmt.Printf(
			"sandbox: LIMITS ONLY, nothing stronger was tested (%s)\n",
			oneLine(works[sandbox.Bubblewrap], works[sandbox.Landlock]),
		)
	} else {
		fmt.Printf("sandbox: documents are read under %s\n", box.Mode())
	}
}

func oneLine(reasons ...error) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(reasons), "[]")), " ")
}

// TestLimitsOnlyNeedsTheSetting hides bubblewrap by an empty search path, so that only limits
// remain.
func TestLimitsOnlyNeedsTheSetting(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	onlyBubblewrap := sandbox.Options{Modes: []sandbox.Mode{sandbox.Bubblewrap}}
	box, err := sandbox.Open(t.Context(), onlyBubblewrap)
	if err == nil {
		_ = box.Close()
	}
	if !domain.HasCode(err, domain.SandboxUnavailable) {
		t.Errorf("without the setting: %v", err)
	}
	onlyBubblewrap.AcceptLimitsOnly = true
	box, err = sandbox.Open(t.Context(), onlyBubblewrap)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	if box.Mode() != sandbox.LimitsOnly || box.Unavailable()[sandbox.Bubblewrap] == nil {
		t.Errorf("with the setting: %s, refused were %v", box.Mode(), box.Unavailable())
	}
}

// Without bubblewrap the default is Landlock; without Landlock, Open fails.
func TestLandlockIsUsedWithoutBubblewrap(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	box, err := sandbox.Open(t.Context(), sandbox.Options{})
	if reason := landlockWorks(); reason != nil {
		if err == nil {
			_ = box.Close()
		}
		if !domain.HasCode(err, domain.SandboxUnavailable) {
			t.Errorf("limits alone were not refused: %v (%v)", err, reason)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	if box.Mode() != sandbox.Landlock {
		t.Errorf("got %s", box.Mode())
	}
}

package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(map[string]func([]string) int{
		"say": echo, "read": read, "dial": dial, "memory": memory, "burn": burn, "flood": flood,
		"files": files,
		"env":   env, "write": writeTo, "plant": plantLinks, "fork": fork, "crash": crash,
	})
	if len(os.Args) == 4 && os.Args[1] == "victim" {
		os.Exit(killedWorker(sandbox.Mode(os.Args[2]), os.Args[3]))
	}
	os.Exit(m.Run())
}

// killedWorker runs a worker that is killed while its child sleeps.
func killedWorker(mode sandbox.Mode, long string) int {
	ctx := context.Background()
	box, err := sandbox.Open(ctx, sandbox.Options{Modes: []sandbox.Mode{mode}})
	if err != nil {
		fmt.Println("no", err)
		return 1
	}
	job, err := box.NewFolder(ctx)
	if err != nil {
		fmt.Println("no", err)
		return 1
	}
	fmt.Println(box.Root())
	_, err = job.Run(ctx, sandbox.Spec{Program: "sleep", Args: []string{long}})
	fmt.Println(err)
	return 0
}

// The functions of the test children, which run inside the sandbox.

func echo(args []string) int { fmt.Println(strings.Join(args, " ")); return 7 }

func read(args []string) int {
	content, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(len(content))
	return 0
}

func dial(args []string) int {
	connection, err := net.DialTimeout("tcp", args[0], 2*time.Second)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	_ = connection.Close()
	return 0
}

func memory([]string) int {
	var kept [][]byte
	for range 64 {
		block := make([]byte, 64<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	fmt.Println("kept", len(kept))
	return 0
}

func burn([]string) int {
	n := uint64(1)
	for n != 0 {
		n = n*6364136223846793005 + 1442695040888963407 | 1
	}
	return 0
}

func flood([]string) int {
	line := []byte(strings.Repeat("x", 1<<16))
	for {
		if _, err := os.Stdout.Write(line); err != nil {
			return 1
		}
	}
}

func files([]string) int {
	block := make([]byte, 1<<20)
	for i := 0; ; i++ {
		if err := os.WriteFile("f"+strconv.Itoa(i), block, 0o600); err != nil {
			return 1
		}
	}
}

func writeTo(args []string) int {
	if err := os.WriteFile(args[0], []byte("x"), 0o600); err != nil {
		return 1
	}
	return 0
}

func env([]string) int {
	for _, pair := range os.Environ() {
		fmt.Println(pair)
	}
	return 0
}

func plantLinks(args []string) int {
	if err := os.Symlink(args[0], "link"); err != nil {
		return 1
	}
	return 0
}

func fork([]string) int {
	process, err := os.StartProcess("/bin/sleep", []string{"sleep", "30"}, &os.ProcAttr{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(process.Pid)
	return 0
}

func crash([]string) int {
	_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
	return 0
}

// runners opens a Runner for each available mode; LimitsOnly is always available.
func runners(t *testing.T) map[sandbox.Mode]*sandbox.Runner {
	t.Helper()
	open := map[sandbox.Mode]*sandbox.Runner{}
	for _, mode := range []sandbox.Mode{sandbox.Bubblewrap, sandbox.Landlock, sandbox.LimitsOnly} {
		box, err := sandbox.Open(t.Context(), sandbox.Options{Modes: []sandbox.Mode{mode}})
		if err != nil {
			if mode == sandbox.LimitsOnly {
				t.Fatalf("limits must hold anywhere: %v", err)
			}
			t.Logf("mode %s does not hold on this machine: %v", mode, err)
			continue
		}
		t.Cleanup(func() {
			entries, err := filepath.Glob(filepath.Join(box.Root(), "job-*"))
			if err != nil || len(entries) != 0 {
				t.Errorf("mode %s: job folders left: %v %v", mode, entries, err)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(box.Root()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("mode %s: root left: %v", mode, err)
			}
		})
		open[mode] = box
	}
	return open
}

// forEachMode runs the check in every available mode.
func forEachMode(t *testing.T, check func(t *testing.T, mode sandbox.Mode, job *sandbox.Folder)) {
	t.Helper()
	for mode, box := range runners(t) {
		t.Run(string(mode), func(t *testing.T) {
			job, err := box.NewFolder(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer job.Close()
			check(t, mode, job)
		})
	}
}

func run(t *testing.T, job *sandbox.Folder, spec sandbox.Spec) sandbox.Result {
	t.Helper()
	result, err := job.Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestExitCodeAndOutput(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		result := run(t, job, sandbox.Spec{Call: "say", Args: []string{"good", "day"}})
		if result.Ending != sandbox.Exited || result.ExitCode != 7 ||
			string(result.Stdout) != "good day\n" ||
			result.OK() {
			t.Errorf("%s: %q %q", result, result.Stdout, result.Stderr)
		}
		result = run(t, job, sandbox.Spec{Program: "true"})
		if !result.OK() {
			t.Errorf("true: %s %q", result, result.Stderr)
		}
		result = run(t, job, sandbox.Spec{Call: "crash"})
		if result.OK() || result.Ending == sandbox.Cancelled {
			t.Errorf("a crash must show: %s", result)
		}
		if _, err := job.Run(t.Context(), sandbox.Spec{Program: "no-such-program"}); err == nil {
			t.Error("a missing program must be an error")
		}
	})
}

// Ended children must be waited for. Zombies left to the init process would count against the
// user's limit.
func TestEndedChildrenDoNotPileUp(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		for i := range 60 {
			if result := run(t, job, sandbox.Spec{Program: "true",
				Limits: sandbox.Limits{Threads: 16}}); !result.OK() {
				t.Fatalf("child %d: %s %s", i, result, result.Stderr)
			}
		}
	})
}

func TestProcessorTimeIsReported(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		result := run(
			t, job,
			sandbox.Spec{
				Call: "burn", Limits: sandbox.Limits{CPU: time.Second, Wall: 10 * time.Minute},
			},
		)
		if result.CPU < 900*time.Millisecond || result.CPU > 5*time.Second {
			t.Errorf("a little over a second was used, reported is %s", result.CPU)
		}
	})
}

func TestFilesOutsideAreOutOfReach(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	forEachMode(t, func(t *testing.T, mode sandbox.Mode, job *sandbox.Folder) {
		if _, err := job.Put("doc", strings.NewReader("hello"), 10); err != nil {
			t.Fatal(err)
		}
		if result := run(t, job, sandbox.Spec{Call: "read", Args: []string{"../in/doc"}}); string(
			result.Stdout,
		) != "5\n" {
			t.Errorf("its own input: %s %s", result, result.Stdout)
		}
		if mode == sandbox.LimitsOnly {
			return
		}
		for _, path := range []string{secret, "/etc/shadow", "/etc/passwd"} {
			if result := run(t, job, sandbox.Spec{Call: "read",
				Args: []string{path}}); result.OK() {
				t.Errorf("%s could be read: %s", path, result.Stdout)
			}
		}
	})
}

func TestOnlyItsOwnFolderIsWritable(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, mode sandbox.Mode, job *sandbox.Folder) {
		if result := run(t, job, sandbox.Spec{Call: "write",
			Args: []string{"mine"}}); !result.OK() {
			t.Errorf("its own folder: %s", result)
		}
		if content, err := job.ReadFile("mine", 10); err != nil || string(content) != "x" {
			t.Errorf("what it wrote: %q %v", content, err)
		}
		if mode == sandbox.LimitsOnly {
			return
		}
		for _, path := range []string{"../in/planted", "../planted", "/planted", "/tmp/planted",
			"/dev/shm/planted", "/dev/planted",
			filepath.Join(filepath.Dir(job.In()), "..", "planted")} {
			if result := run(t, job, sandbox.Spec{Call: "write",
				Args: []string{path}}); result.OK() {
				t.Errorf("%s could be written", path)
			}
		}
	})
}

func TestNetworkIsOutOfReach(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	forEachMode(t, func(t *testing.T, mode sandbox.Mode, job *sandbox.Folder) {
		result := run(t, job, sandbox.Spec{Call: "dial", Args: []string{listener.Addr().String()}})
		if result.OK() != (mode == sandbox.LimitsOnly) {
			t.Errorf("dial: %s %s", result, result.Stdout)
		}
	})
}

func TestMemoryBombIsEnded(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		// An external program, so that the test also works with the race detector: sort reads
		// an endless line into memory.
		for _, writable := range []bool{false, true} {
			result := run(t, job, sandbox.Spec{Program: "sort", Args: []string{"/dev/zero"},
				WritableMemory: writable,
				Limits:         sandbox.Limits{Memory: 128 << 20, CPU: 10 * time.Second}})
			if result.OK() {
				t.Errorf("the bomb ended well: %s", result)
			}
			if result.Ending == sandbox.WallLimit {
				t.Errorf("it was not memory that ended it: %s", result)
			}
		}
	})
}

// A child reads the further files that it is given, although they lie where only root may enter, and
// no file beside them.
func TestFurtherFilesAreReadable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	given, other := filepath.Join(folder, "given"), filepath.Join(folder, "other")
	for _, path := range []string{given, other} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	forEachMode(t, func(t *testing.T, mode sandbox.Mode, job *sandbox.Folder) {
		path, err := job.Readable(given)
		if err != nil {
			t.Fatal(err)
		}
		spec := sandbox.Spec{Program: "cat", Args: []string{path}, ReadOnly: []string{path}}
		if result := run(t, job, spec); !result.OK() || string(result.Stdout) != "given" {
			t.Errorf("%s: %s %s", path, result, result.Stderr)
		}
		if mode == sandbox.LimitsOnly {
			return
		}
		spec.Args = []string{other}
		if result := run(t, job, spec); result.OK() {
			t.Errorf("the file beside it was read: %s", result.Stdout)
		}
		if _, err := job.Readable(filepath.Join(folder, "missing")); err == nil {
			t.Error("a missing file is readable")
		}
	})
}

func TestProcessorLoopIsEnded(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		result := run(
			t, job,
			sandbox.Spec{
				Call: "burn", Limits: sandbox.Limits{CPU: time.Second, Wall: 10 * time.Minute},
			},
		)
		if result.Ending != sandbox.CPULimit {
			t.Errorf("burn: %s %s", result, result.Stderr)
		}
	})
}

func TestOutputIsCapped(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		result := run(t, job, sandbox.Spec{Call: "flood", Limits: sandbox.Limits{Output: 1 << 20}})
		if result.Ending != sandbox.OutputLimit || len(result.Stdout) != 1<<20 {
			t.Errorf("flood: %s, %d bytes %s", result, len(result.Stdout), result.Stderr)
		}
	})
}

func TestDiskIsCapped(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		result := run(t, job, sandbox.Spec{Call: "files", Limits: sandbox.Limits{Disk: 16 << 20}})
		if result.Ending != sandbox.DiskLimit {
			t.Errorf("files: %s", result)
		}
		result = run(
			t, job,
			sandbox.Spec{Program: "dd", Args: []string{"if=/dev/zero", "of=big", "bs=1M"},
				Limits: sandbox.Limits{File: 4 << 20, Disk: 1 << 30}},
		)
		if result.OK() {
			t.Errorf("big file: %s", result)
		}
		if info, err := os.Stat(filepath.Join(job.Out(), "big")); err != nil ||
			info.Size() > 4<<20 {
			t.Errorf("big file: %v %v", info, err)
		}
	})
}

func TestWallClockAndCancelEndEveryProcess(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		long := uniqueSleep()
		result := run(
			t, job,
			sandbox.Spec{
				Program: "sleep", Args: []string{long},
				Limits: sandbox.Limits{Wall: 300 * time.Millisecond},
			},
		)
		if result.Ending != sandbox.WallLimit {
			t.Errorf("sleep: %s %s", result, result.Stderr)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan string, 1)
		go func() {
			result, err := job.Run(ctx, sandbox.Spec{Program: "sleep", Args: []string{long}})
			if err != nil || result.Ending != sandbox.Cancelled {
				ended <- fmt.Sprintf("cancel: %s %v", result, err)
			}
			close(ended)
		}()
		eventually(t, "the process to run", func() bool { return runs("sleep", long) })
		cancel()
		if wrong := <-ended; wrong != "" {
			t.Error(wrong)
		}
		eventually(t, "every process to end", func() bool { return len(processesWith(long)) == 0 })
	})
}

func TestNoNewProcesses(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, mode sandbox.Mode, job *sandbox.Folder) {
		result := run(t, job, sandbox.Spec{Call: "fork"})
		if mode != sandbox.LimitsOnly && result.OK() {
			t.Errorf("a process could be started: %s", result.Stdout)
		}
		if mode == sandbox.LimitsOnly { // the process group ends with its first process
			pid, err := strconv.Atoi(strings.TrimSpace(string(result.Stdout)))
			if err != nil {
				t.Fatalf("%s %s", result, result.Stdout)
			}
			eventually(t, "the process to end", func() bool { return !alive(pid) })
		}
	})
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestEnvironmentIsCleared(t *testing.T) {
	t.Setenv("COUNTERSIGN_TEST_SECRET", "hidden")
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		result := run(
			t, job,
			sandbox.Spec{Call: "env", Env: []string{"OMP_THREAD_LIMIT=1"}, CorrelationID: "c-1"},
		)
		text := string(result.Stdout)
		if strings.Contains(text, "hidden") || strings.Contains(text, "SSH") {
			t.Errorf("our environment shows:\n%s", text)
		}
		for _, want := range []string{"OMP_THREAD_LIMIT=1\n", "LANG=C.UTF-8\n",
			"COUNTERSIGN_CORRELATION_ID=c-1\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is missing:\n%s", want, text)
			}
		}
	})
}

func TestLinksOutOfTheFolderAreNotFollowed(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		run(t, job, sandbox.Spec{Call: "plant", Args: []string{secret}})
		if file, err := job.Open("link", 100); err == nil {
			_ = file.Close()
			t.Error("a link out of the folder was opened")
		}
		if _, err := job.Open("../in/x", 100); err == nil {
			t.Error("a path out of the folder was opened")
		}
	})
}

func TestPutRefusesTooLarge(t *testing.T) {
	t.Parallel()
	forEachMode(t, func(t *testing.T, _ sandbox.Mode, job *sandbox.Folder) {
		if _, err := job.Put("doc", io.LimitReader(neverEnding{}, 11), 10); !domain.HasCode(
			err, domain.FileTooLarge,
		) {
			t.Errorf("11 bytes of 10: %v", err)
		}
	})
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { return len(p), nil }

func TestLeftoversOfKilledProcessesAreSwept(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(base, "countersign-read-dead")
	if err := os.MkdirAll(filepath.Join(dead, "job-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dead, ".lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	limits := sandbox.Options{
		Modes: []sandbox.Mode{sandbox.LimitsOnly}, TempRoot: filepath.Dir(filepath.Dir(base)),
	}
	living, err := sandbox.Open(t.Context(), limits)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = living.Close() }()
	limits.TempRoot = base
	_, _ = sandbox.Open(
		t.Context(), limits,
	) // as root the folder may be inaccessible for the job's user; the cleanup is done
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dead process's root stays: %v", err)
	}
	if _, err := os.Stat(living.Root()); err != nil {
		t.Errorf("a living process's root was swept: %v", err)
	}
}

func TestChildrenDieWithAKilledWorker(t *testing.T) {
	t.Parallel()
	for mode := range runners(t) {
		t.Run(string(mode), func(t *testing.T) {
			long := uniqueSleep()
			worker := exec.Command(os.Args[0], "victim", string(mode), long)
			output, err := worker.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := worker.Start(); err != nil {
				t.Fatal(err)
			}
			root, err := bufio.NewReader(output).ReadString('\n')
			root = strings.TrimSpace(root)
			if err != nil || strings.HasPrefix(root, "no ") {
				t.Fatalf("the worker did not start: %q %v", root, err)
			}
			// When the program runs, its wrappers are already bound to the worker's lifetime.
			eventually(t, "the child to start", func() bool { return runs("sleep", long) })
			if err := worker.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = worker.Wait()
			eventually(t, "the child to die", func() bool { return len(processesWith(long)) == 0 })
			box, err := sandbox.Open(t.Context(), sandbox.Options{Modes: []sandbox.Mode{mode}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = box.Close() }()
			if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the killed worker's folder stays: %v", err)
			}
		})
	}
}

var sleeps atomic.Int64

// uniqueSleep returns a duration that no other process on the machine sleeps, to identify the
// process.
func uniqueSleep() string { return fmt.Sprintf("77.%d%d", os.Getpid(), 1000+sleeps.Add(1)) }

// processesWith lists processes with the word in their command line: the sleep and its wrappers.
func processesWith(word string) []string {
	var found []string
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range commands {
		if command, err := os.ReadFile(path); err == nil &&
			strings.Contains(string(command), word) {
			found = append(found, path)
		}
	}
	return found
}

// runs reports whether the program is running with the word as its argument.
func runs(program, word string) bool {
	return slices.ContainsFunc(processesWith(word), func(path string) bool {
		command, err := os.ReadFile(path)
		name, _, _ := strings.Cut(string(command), "\x00")
		return err == nil && filepath.Base(name) == program
	})
}

// eventually polls until the condition is true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func TestNoModeIsARefusal(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Open(t.Context(), sandbox.Options{Modes: []sandbox.Mode{"none"}})
	if !domain.HasCode(err, domain.SandboxUnavailable) {
		t.Errorf("got %v", err)
	}
}

package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
)

// childArgument is the first argument of a child process that runs this binary.
const childArgument = "--countersign-sandboxed-child"

const probeCall = "sandbox-probe"

var mainCalled bool

// Main must be the first call of main and of TestMain in every program that opens a Runner. In a
// sandboxed child it runs the child's function and does not return; in any other process it returns
// immediately. calls are the functions by the name in Spec.Call; each receives the arguments and
// returns the exit code.
func Main(calls map[string]func(args []string) int) {
	mainCalled = true
	if len(os.Args) < 3 || os.Args[1] != childArgument {
		return
	}
	if os.Args[2] == "launch" {
		os.Exit(launchMain(os.Args[3:]))
	}
	if os.Args[2] == probeCall {
		os.Exit(probe(os.Args[3:]))
	}
	call, ok := calls[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "unknown call: %q\n", os.Args[2])
		os.Exit(127)
	}
	os.Exit(call(os.Args[3:]))
}

// launchPlan is the input of the launcher: the restrictions to apply and the program to execute.
type launchPlan struct {
	Program  string
	Args     []string
	Env      []string
	In, Out  string
	ReadOnly []string // further files and folders that the program may read and execute
	User     int      // -1 = keep
	Confine  bool     // apply Landlock and seccomp
	Memory   int64    // bytes, 0 = no limit
	// MemoryLimit is the resource (RLIMIT_…) that limits memory.
	MemoryLimit int
	CPU         int64 // seconds
	File        int64
	Threads     int
}

func launchMain(args []string) int {
	var plan launchPlan
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &plan) != nil {
		fmt.Fprintln(os.Stderr, "launcher: bad plan")
		return 126
	}
	fmt.Fprintln(os.Stderr, "launcher:", plan.exec()) // returns only on failure
	return 126
}

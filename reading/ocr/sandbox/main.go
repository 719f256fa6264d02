package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
)

// childArgument is the first argument of a child of our own binary.
const childArgument = "--countersign-sandboxed-child"

const probeCall = "sandbox-probe"

var mainCalled bool

// Main must be the first call of main and of TestMain in every program that opens a Box: when the process was started
// as a sandboxed child it does the child's work and never returns; otherwise it returns immediately. calls are the functions
// that a Spec may name; each gets the arguments and returns the exit code.
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
		fmt.Fprintf(os.Stderr, "no such call: %q\n", os.Args[2])
		os.Exit(127)
	}
	os.Exit(call(os.Args[3:]))
}

// launchPlan is what the launcher child is told: what to enclose itself in and what to become then.
type launchPlan struct {
	Program  string
	Args     []string
	Env      []string
	In, Out  string
	ReadOnly []string // further files and folders the program may read and run
	User     int      // -1 = keep
	Confine  bool     // Landlock and seccomp
	Memory   int64    // bytes, 0 = no limit
	// MemoryLimit is the resource that counts it.
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
	fmt.Fprintln(os.Stderr, "launcher:", plan.exec()) // it only comes back when it failed
	return 126
}

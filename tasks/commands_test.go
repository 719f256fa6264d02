package tasks

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/internal/sources"
)

// allowedCommands lists the commands of the service layer that the queue and the sweeper call. They
// carry ids and no actor, so they cannot break a rule about users. Steps that act on a review ask
// the policy in the service layer.
var allowedCommands = map[string]string{
	"RunStage":            "executes the run of a row; a deadline that reassigns a review chooses an eligible reviewer",
	"DueRuns":             "lists due runs; it changes nothing",
	"ReleaseWorkerRuns":   "releases the runs of a worker that stops",
	"SweepFiles":          "removes stored files without a row",
	"AcquireLeadership":   "acquires the sweeper's lease",
	"Sweep":               "re-enqueues overdue runs; ends expired delegations",
	"EnqueueAllPending":   "enqueues every pending run",
	"ExpireClaims":        "releases expired claims",
	"RunDailyMaintenance": "creates partitions and removes expired keys",
}

// TestQueueCallsOnlySystemCommands fails for a command that the queue can call and that
// allowedCommands does not list. A new one also has to be checked by the authorization tests of
// package graph.
func TestQueueCallsOnlySystemCommands(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for _, service := range []reflect.Type{reflect.TypeFor[RunService](),
		reflect.TypeFor[SweepService]()} {
		for i := range service.NumMethod() {
			method := service.Method(i)
			reached[method.Name] = true
			if _, known := allowedCommands[method.Name]; !known {
				t.Errorf("%s is not in allowedCommands", method.Name)
			}
			for n := range method.Type.NumIn() {
				if name := method.Type.In(n).Name(); name == "Actor" || name == "Verdict" {
					t.Errorf("%s takes an actor or a decision from the queue", method.Name)
				}
			}
		}
	}
	for name := range allowedCommands {
		if !reached[name] {
			t.Errorf("allowedCommands lists %s, which the queue does not call", name)
		}
	}
}

// TestOneHandlerServesTheQueue reads the source and lists every task type that has a handler.
func TestOneHandlerServesTheQueue(t *testing.T) {
	t.Parallel()
	var handled []string
	for _, file := range sources.PackageFiles(t) {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if called, ok := call.Fun.(*ast.SelectorExpr); ok &&
				strings.HasPrefix(called.Sel.Name, "Handle") && len(call.Args) == 2 {
				if kind, ok := call.Args[0].(*ast.Ident); ok {
					handled = append(handled, kind.Name)
				}
			}
			return true
		})
	}
	if !slices.Equal(handled, []string{"TypeRunStage"}) {
		t.Errorf("handled: %v", handled)
	}
}

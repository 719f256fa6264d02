package tasks

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/internal/sources"
)

// allowedCommands are the commands of the service layer that the queue and the sweeper reach, each a machine's step: it carries ids and no
// person, so it can break no rule that is about persons. A step that acts on a review asks the policy in the service layer.
var allowedCommands = map[string]string{
	"RunStage":            "does the run that a row names; a deadline that gives a review away chooses among the eligible",
	"DueRuns":             "lists runs that are due; it changes nothing",
	"ReleaseWorkerRuns":   "gives a leaving worker's runs back",
	"SweepFiles":          "removes stored files that no row names",
	"AcquireLeadership":   "takes the sweeper's lease",
	"Sweep":               "rings rows; ends what was lent until now",
	"EnqueueAllPending":   "rings every pending row",
	"ExpireClaims":        "gives claims whose time is over back",
	"RunDailyMaintenance": "partitions ahead, old keys away",
}

// TestQueueCallsOnlySystemCommands: whatever else the queue could call is a new door and needs a line here, and a look at
// the table of breaches in package graph.
func TestQueueCallsOnlySystemCommands(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for _, service := range []reflect.Type{reflect.TypeFor[RunService](), reflect.TypeFor[SweepService]()} {
		for i := range service.NumMethod() {
			method := service.Method(i)
			reached[method.Name] = true
			if _, known := allowedCommands[method.Name]; !known {
				t.Errorf("%s is a door that the table does not know", method.Name)
			}
			for n := range method.Type.NumIn() {
				if name := method.Type.In(n).Name(); name == "Actor" || name == "Verdict" {
					t.Errorf("%s takes a person or a verdict from the queue", method.Name)
				}
			}
		}
	}
	for name := range allowedCommands {
		if !reached[name] {
			t.Errorf("the table knows %s, the queue does not reach it", name)
		}
	}
}

// TestOneHandlerServesTheQueue reads the source: every kind of task that is handled stands here.
func TestOneHandlerServesTheQueue(t *testing.T) {
	t.Parallel()
	var handled []string
	for _, file := range sources.PackageFiles(t) {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if called, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(called.Sel.Name, "Handle") && len(call.Args) == 2 {
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

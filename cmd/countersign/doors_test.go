package main

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"countersign/internal/sources"
)

// way is how a command reaches what it acts on.
type way string

const (
	byAPI    way = "api"      // through the server's door, as the person whose token it is: refused like everyone
	asSystem way = "operator" // opens the database as the system; decides on nothing
	local    way = "local"    // touches no case
)

// doors has a line for every command that can be typed.
var doors = map[string]way{
	"submit": byAPI, "watch": byAPI, "resubmit": byAPI, "case list": byAPI, "case show": byAPI,
	"incident list": byAPI, "incident retry": byAPI, "incident replace": byAPI, "incident enter": byAPI, "incident abandon": byAPI,
	"review list": byAPI, "review next": byAPI, "review claim": byAPI, "review release": byAPI,
	"review decide": byAPI, "review correct": byAPI, "review show": byAPI,
	"process list": byAPI, "process check": byAPI, "process propose": byAPI, "process publish": byAPI, "process restore": byAPI,
	"country set": asSystem, "country list": asSystem,
	"migrate": asSystem, "doctor": asSystem, "demo": asSystem, "settings": local, "samples": local,
	"user add": asSystem, "user list": asSystem, "user set": asSystem, "user disable": asSystem, "user enable": asSystem,
	"token create": asSystem, "token list": asSystem, "token revoke": asSystem,
	"limit set": asSystem, "limit list": asSystem, "rate set": asSystem, "rate list": asSystem,
	"conflict declare": asSystem, "conflict end": asSystem, "conflict list": asSystem,
	"audit verify": asSystem, "audit export": asSystem,
}

// operatorsCalls are the hall's commands that the asSystem's own commands may call as the system. What judges a case is
// not among them: nobody decides past the policy from a terminal.
var operatorsCalls = []string{"Close", "CreateToken", "DeclareConflict", "EndConflict", "Examine", "Judge", "PublishBuiltins", "PutRate", "PutUser",
	"Repair", "RevokeToken", "RunStates", "SetCountryRisk", "SetLimit", "UnservedQueues"}

// TestEveryCommandIsAKnownDoor: a new command fails until it has a line here, and with it a thought about its rights.
func TestEveryCommandIsAKnownDoor(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	var typed []string
	for _, leaf := range parser.Model.Leaves(true) {
		words := strings.Fields(leaf.Path())
		if len(words) > 0 && words[0] == parser.Model.Name {
			words = words[1:]
		}
		typed = append(typed, strings.Join(slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "<") || strings.HasPrefix(word, "[") }), " "))
	}
	for _, name := range typed {
		if _, known := doors[name]; !known {
			t.Errorf("%q is a command that the table does not know", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doors)) {
		if !slices.Contains(typed, name) {
			t.Errorf("the table knows %q, nobody can type it", name)
		}
	}
}

// TestOperatorsDecideNothing reads the source: which commands of the hall are called past the API's door.
func TestOperatorsDecideNothing(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, file := range sources.Here(t) {
		ast.Inspect(file, func(node ast.Node) bool {
			method, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch hall := method.X.(type) {
			case *ast.Ident:
				called[method.Sel.Name] = called[method.Sel.Name] || hall.Name == "hall"
			case *ast.SelectorExpr:
				called[method.Sel.Name] = called[method.Sel.Name] || hall.Sel.Name == "hall"
			}
			return true
		})
	}
	for name, yes := range called {
		if yes && !slices.Contains(operatorsCalls, name) {
			t.Errorf("a command calls the hall's %s past the door", name)
		}
	}
}

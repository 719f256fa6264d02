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

// accessPath is how a command reaches what it acts on.
type accessPath string

const (
	viaAPI      accessPath = "api"      // through the server's API, as the person whose token it is: refused like everyone
	viaDatabase accessPath = "operator" // opens the database as the system; decides on nothing
	noAccess    accessPath = "local"    // touches no case
)

// commandAccess has a line for every command that can be typed.
var commandAccess = map[string]accessPath{
	"submit": viaAPI, "watch": viaAPI, "resubmit": viaAPI, "case list": viaAPI, "case show": viaAPI,
	"incident list": viaAPI, "incident retry": viaAPI, "incident replace": viaAPI,
	"incident enter": viaAPI, "incident abandon": viaAPI,
	"review list": viaAPI, "review next": viaAPI, "review claim": viaAPI, "review release": viaAPI,
	"review decide": viaAPI, "review correct": viaAPI, "review show": viaAPI,
	"process list": viaAPI, "process check": viaAPI, "process propose": viaAPI,
	"process publish": viaAPI, "process restore": viaAPI,
	"country set": viaDatabase, "country list": viaDatabase,
	"migrate": viaDatabase, "doctor": viaDatabase, "demo": viaDatabase, "settings": noAccess,
	"version": noAccess, "samples": noAccess,
	"user add": viaDatabase, "user list": viaDatabase, "user set": viaDatabase,
	"user disable": viaDatabase, "user enable": viaDatabase,
	"token create": viaDatabase, "token list": viaDatabase, "token revoke": viaDatabase,
	"limit set": viaDatabase, "limit list": viaDatabase, "rate set": viaDatabase,
	"rate list":        viaDatabase,
	"conflict declare": viaDatabase, "conflict end": viaDatabase, "conflict list": viaDatabase,
	"audit verify": viaDatabase, "audit export": viaDatabase,
}

// allowedSystemCalls are the commands that may run as the system. Commands that decide about a case
// are not among them, so no terminal bypasses the policy.
var allowedSystemCalls = []string{"Close", "CreateToken", "DeclareConflict", "EndConflict",
	"CheckConsistency", "Authorizer", "PublishBuiltins", "PutRate", "PutUser", "RekeyParties",
	"Repair", "RevokeToken", "RunStates", "SetCountryRisk", "SetLimit", "UnservedQueues"}

// TestEveryCommandHasAKnownAccessPath: a new command fails until it has a line here, and with it a
// thought about its rights.
func TestEveryCommandHasAKnownAccessPath(t *testing.T) {
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
		typed = append(typed, strings.Join(slices.DeleteFunc(words,
			func(word string) bool {
				return strings.HasPrefix(word, "<") ||
					strings.HasPrefix(word, "[")
			}), " "))
	}
	for _, name := range typed {
		if _, known := commandAccess[name]; !known {
			t.Errorf("%q is a command that the table does not know", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(commandAccess)) {
		if !slices.Contains(typed, name) {
			t.Errorf("the table knows %q, nobody can type it", name)
		}
	}
}

// TestOperatorsDecideNothing reads the source: which commands of the service layer are called past
// the API.
func TestOperatorsDecideNothing(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, file := range sources.PackageFiles(t) {
		ast.Inspect(file, func(node ast.Node) bool {
			method, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch service := method.X.(type) {
			case *ast.Ident:
				called[method.Sel.Name] = called[method.Sel.Name] || service.Name == "service"
			case *ast.SelectorExpr:
				called[method.Sel.Name] = called[method.Sel.Name] || service.Sel.Name == "service"
			}
			return true
		})
	}
	for name, yes := range called {
		if yes && !slices.Contains(allowedSystemCalls, name) {
			t.Errorf("a command calls the service's %s past the door", name)
		}
	}
}

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
	viaAPI      accessPath = "api"      // through the server's API as the owner of the token, with that person's permissions
	viaDatabase accessPath = "operator" // opens the database as the system; makes no decision
	noAccess    accessPath = "local"    // reads and writes no case
)

// commandAccess has an entry for every command.
var commandAccess = map[string]accessPath{
	"submit": viaAPI, "watch": viaAPI, "resubmit": viaAPI, "case list": viaAPI, "views": viaAPI, "case show": viaAPI,
	"case correct": viaAPI,
	"case split":   viaAPI, "case merge": viaAPI, "case result": viaAPI, "archive-copy": viaAPI,
	"export cases": viaAPI, "export reviews": viaAPI, "export audit": viaAPI,
	"export deliveries": viaAPI,
	"note list":         viaAPI, "note add": viaAPI, "note withdraw": viaAPI, "note watch": viaAPI, "note unwatch": viaAPI,
	"incident list": viaAPI, "incident retry": viaAPI, "incident replace": viaAPI,
	"incident enter": viaAPI, "incident abandon": viaAPI,
	"review list": viaAPI, "review next": viaAPI, "review claim": viaAPI, "review release": viaAPI,
	"review decide": viaAPI, "review correct": viaAPI, "review confirm": viaAPI, "review override": viaAPI, "review distinct": viaAPI, "review show": viaAPI,
	"doctype list": viaAPI, "doctype check": viaAPI, "doctype propose": viaAPI,
	"doctype publish": viaAPI, "doctype restore": viaAPI,
	"process list": viaAPI, "process check": viaAPI, "process propose": viaAPI,
	"process publish": viaAPI, "process restore": viaAPI,
	"rehearse": viaAPI, "process migrate check": viaAPI, "process migrate preview": viaAPI,
	"process migrate propose": viaAPI, "process migrate list": viaAPI,
	"process migrate results": viaAPI, "process migrate undo": viaAPI,
	"process comments": viaAPI, "process comment": viaAPI, "process resolve": viaAPI,
	"process owners": viaAPI, "process approve": viaAPI, "process set-owners": viaAPI,
	"process export-bpmn": viaAPI, "process import-bpmn": noAccess,
	"country set": viaAPI, "country import": viaAPI, "country list": viaDatabase,
	"change list": viaAPI, "change confirm": viaAPI, "change withdraw": viaAPI,
	"mark list": viaAPI, "mark propose": viaAPI, "proxy list": viaAPI, "proxy set": viaAPI,
	"connector list": viaAPI, "connector put": viaAPI, "connector pause": viaAPI,
	"connector resume": viaAPI, "connector test": viaAPI, "connector replay": viaAPI,
	"connector reconcile": viaAPI, "connector deliveries": viaAPI, "connector retry": viaAPI, "connector skip": viaAPI,
	"quality share": viaAPI, "quality figures": viaAPI,
	"migrate": viaDatabase, "doctor": viaDatabase, "blobs move": viaDatabase, "demo": viaDatabase, "settings": noAccess,
	"version": noAccess, "samples": noAccess,
	"user add": viaDatabase, "user list": viaDatabase, "user set": viaDatabase,
	"passkeys list": viaDatabase, "passkeys remove": viaDatabase,
	"user disable": viaDatabase, "user enable": viaDatabase, "user password": viaDatabase,
	"operator keygen": noAccess, "operator enroll": viaDatabase, "operator keys": viaDatabase,
	"operator revoke": viaDatabase, "operator requests": viaDatabase, "operator approve": viaDatabase,
	"operator withdraw": viaDatabase,
	"token create":      viaDatabase, "token list": viaDatabase, "token revoke": viaDatabase,
	"limit set": viaDatabase, "limit list": viaDatabase, "rate set": viaAPI,
	"rate import": viaAPI, "rate seed": viaDatabase, "rate list": viaDatabase,
	"conflict declare": viaDatabase, "conflict end": viaAPI, "conflict list": viaDatabase,
	"search find": viaAPI, "search rebuild": viaDatabase,
	"vendors rebuild": viaDatabase, "audit verify": viaDatabase, "audit export": viaDatabase,
	"audit keygen": noAccess, "audit pack": viaDatabase, "audit witness": noAccess,
}

// allowedSystemCalls are the methods of the service layer that the tool may call as the system. No
// method that decides about a case is among them, so that the tool cannot bypass the policy. Only the demo
// calls PutUser and CreateToken; the commands call OperatorChange, which lets a second operator decide.
var allowedSystemCalls = []string{"Close", "CreateToken", "DeclareConflict",
	"CheckConsistency", "Authorizer", "PublishBuiltins", "PutUser", "RebuildLessons", "RebuildSearch", "RekeyParties",
	"RemovePersonsPasskey", "Repair", "RevokeToken", "CasePack", "RunStates", "SeedRate", "UnservedQueues", "OperatorChange", "SignBreakGlass",
	"EndBreakGlass", "OperatorKeys", "RevokeOperatorKey"}

// TestEveryCommandHasAKnownAccessPath fails for a new command until commandAccess has an entry for
// it, so that its author chooses its access path.
func TestEveryCommandHasAKnownAccessPath(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, leaf := range parser.Model.Leaves(true) {
		words := strings.Fields(leaf.Path())
		if len(words) > 0 && words[0] == parser.Model.Name {
			words = words[1:]
		}
		names = append(names, strings.Join(slices.DeleteFunc(words,
			func(word string) bool {
				return strings.HasPrefix(word, "<") ||
					strings.HasPrefix(word, "[")
			}), " "))
	}
	for _, name := range names {
		if _, known := commandAccess[name]; !known {
			t.Errorf("%q has no entry in commandAccess", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(commandAccess)) {
		if !slices.Contains(names, name) {
			t.Errorf("commandAccess has the unknown command %q", name)
		}
	}
}

// TestOperatorsDecideNothing checks in the source which methods of the service layer are called
// without the API.
func TestOperatorsDecideNothing(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, file := range sources.PackageFiles(t) {
		ast.Inspect(file, func(node ast.Node) bool {
			method, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch receiver := method.X.(type) {
			case *ast.Ident:
				called[method.Sel.Name] = called[method.Sel.Name] || receiver.Name == "service"
			case *ast.SelectorExpr:
				called[method.Sel.Name] = called[method.Sel.Name] || receiver.Sel.Name == "service"
			}
			return true
		})
	}
	for name, yes := range called {
		if yes && !slices.Contains(allowedSystemCalls, name) {
			t.Errorf("a command calls %s of the service layer without the API", name)
		}
	}
}

package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Limits of size, in lines. Generated files have none.
const (
	maxFile     = 400
	maxTestFile = 800
	maxFunction = 60
	minReason   = 5
)

// File is one Go source file as the checks see it.
type File struct {
	Path        string // with slashes, from the root of the tree
	Text        []byte
	Test        bool
	Generated   bool
	tree        *ast.File
	set         *token.FileSet
	nolintRules map[int]string // line -> the rule its nolint comment names
}

// parseFile reads a source file.
func parseFile(path string, text []byte) (*File, error) {
	f := &File{Path: path, Text: text, Test: strings.HasSuffix(path, "_test.go"),
		set: token.NewFileSet(), nolintRules: map[int]string{}}
	var err error
	f.tree, err = parser.ParseFile(f.set, path, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", path, err)
	}
	f.Generated = ast.IsGenerated(f.tree)
	return f, nil
}

// under reports whether the file lies in one of the folders.
func (f *File) under(folders ...string) bool {
	for _, folder := range folders {
		if isWithin(f.Path, folder) {
			return true
		}
	}
	return false
}

// violations lists what in the file goes against the project's rules.
func (f *File) violations() []string {
	var found []string
	note := func(pos token.Pos, rule, format string, args ...any) {
		line := f.set.Position(pos).Line
		if rule != "" && f.nolintRules[line] == rule {
			return
		}
		found = append(found, fmt.Sprintf("%s:%d: %s", f.Path, line, fmt.Sprintf(format, args...)))
	}
	f.readComments(note)
	if f.Generated {
		return found
	}
	f.checkSize(note)
	names := importNames(f.tree)
	ast.Inspect(f.tree, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			f.checkSelector(n, names, note)
		case *ast.TypeSpec:
			if word := badNamePattern.FindString(n.Name.Name); word != "" {
				note(n.Pos(), "", "type %s: %s says nothing of the field; name the thing",
					n.Name.Name, word)
			}
		case *ast.GoStmt:
			if f.inPurePackage() {
				note(n.Pos(), "", "a goroutine in a pure package")
			}
		}
		return true
	})
	return found
}

type reportFunc func(pos token.Pos, rule, format string, args ...any)

var (
	badNamePattern = regexp.MustCompile(`(Manager|Helper|Util|Utils|Impl|Dto|DTO)$`)
	todoPattern    = regexp.MustCompile(`\b(` + "TO" + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	nolint         = regexp.MustCompile(`^//nolint(?::([a-z]+)\b)?(.*)$`)
)

// readComments refuses work put off, collects excuses and refuses those without a reason.
func (f *File) readComments(note reportFunc) {
	for _, group := range f.tree.Comments {
		for _, comment := range group.List {
			if word := todoPattern.FindString(comment.Text); word != "" {
				note(comment.Pos(), "", "%s: do it now, or write an issue", word)
			}
			match := nolint.FindStringSubmatch(comment.Text)
			if match == nil {
				continue
			}
			reason := strings.TrimSpace(strings.TrimLeft(match[2], " /"))
			switch {
			case match[1] == "":
				note(comment.Pos(), "", "nolint names no rule")
			case len(reason) < minReason:
				note(comment.Pos(), "", "nolint without a reason")
			default:
				f.nolintRules[f.set.Position(comment.Pos()).Line] = match[1]
			}
		}
	}
}

// checkSize holds the limits of files and functions, and what every test function begins with.
func (f *File) checkSize(note reportFunc) {
	limit := maxFile
	if f.Test {
		limit = maxTestFile
	}
	if lines := f.set.Position(f.tree.FileEnd).Line; lines > limit {
		note(f.tree.Package, "", "%d lines, at most %d", lines, limit)
	}
	for _, decl := range f.tree.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		lines := f.set.Position(function.Body.Rbrace).Line - f.set.Position(function.Pos()).Line + 1
		if !f.Test && lines > maxFunction {
			note(function.Pos(), "funlen", "function %s has %d lines, at most %d",
				function.Name.Name, lines, maxFunction)
		}
		if f.Test && isTest(function) && !startsParallel(function) && !usesSetenv(function) {
			note(function.Pos(), "paralleltest", "%s does not begin with t.Parallel()",
				function.Name.Name)
		}
	}
}

// checkSelector refuses calls that belong to one place: the clock, the environment, sleeping tests,
// skipped tests, transactions.
func (f *File) checkSelector(sel *ast.SelectorExpr, names map[string]string, note reportFunc) {
	name := sel.Sel.Name
	if x, ok := sel.X.(*ast.Ident); ok {
		switch names[x.Name] + "." + name {
		case "time.Now":
			if f.mustUseClock() {
				note(sel.Pos(), "forbidigo", "time.Now: take a domain.Clock or a time")
			}
		case "time.Since", "time.Until":
			// Where an excused time.Now began to measure, its end needs no excuse of its own.
			if f.mustUseClock() && !slices.Contains(slices.Collect(maps.Values(f.nolintRules)),
				"forbidigo") {
				note(sel.Pos(), "forbidigo", "time.%s: take a domain.Clock or a time", name)
			}
		case "time.Sleep":
			if f.Test {
				note(sel.Pos(), "", "time.Sleep in a test: wait for the moment itself")
			}
		case "os.Getenv", "os.LookupEnv", "os.Environ", "os.Setenv", "os.Unsetenv":
			// A test may hand its own environment on to a child.
			if !f.under("internal/config") && !(name == "Environ" && (f.Test || f.under("test"))) {
				note(sel.Pos(), "forbidigo",
					"os.%s: internal/config is the only reader of the environment", name)
			}
		case module + "/store.Tx":
			if !f.Test && f.under("views", "graph", "web", "tasks", "live", "authz") {
				note(sel.Pos(), "", "store.Tx: only casework writes")
			}
		}
	}
	switch name {
	case "Skip", "Skipf", "SkipNow":
		if f.Test {
			note(sel.Pos(), "", "%s: a test that does not run proves nothing", name)
		}
	case "InTx":
		// A test may set its scene; the code it tests may not.
		if !f.Test && !f.under("store", "casework", "identity") {
			note(sel.Pos(), "", "InTx: transactions belong to casework")
		}
	}
}

// mustUseClock reports whether the file has to take the time from outside.
func (f *File) mustUseClock() bool {
	return !f.Test && f.Path != "domain/clock.go" && !f.under("test")
}

func (f *File) inPurePackage() bool {
	rule := projectRules.ruleOf(module + "/" + f.Path)
	return rule != nil && rule.Pure && !f.Test && f.tree.Name.Name != "main"
}

// importNames maps the name each import has in the file to its path.
func importNames(tree *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range tree.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

func isTest(function *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(function.Name.Name, "Test")
	return ok && rest != "Main" && function.Recv == nil && len(function.Type.Params.List) == 1
}

// startsParallel reports whether the first statement is a call of Parallel.
func startsParallel(function *ast.FuncDecl) bool {
	if len(function.Body.List) == 0 {
		return false
	}
	statement, ok := function.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Parallel"
}

// usesSetenv reports whether the test changes what all tests of the process share, so that it
// cannot be parallel.
func usesSetenv(function *ast.FuncDecl) bool {
	var uses bool
	ast.Inspect(function, func(node ast.Node) bool {
		sel, ok := node.(*ast.SelectorExpr)
		uses = uses || ok && (sel.Sel.Name == "Setenv" || sel.Sel.Name == "Chdir")
		return true
	})
	return uses
}

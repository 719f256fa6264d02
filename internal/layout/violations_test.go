package layout

import (
	"strings"
	"testing"
)

// smallTables is a small tree in which each test case breaks one rule.
var smallTables = ruleTables{
	packages: []PackageRule{
		{Path: "domain", Pure: true, Exists: true},
		{Path: "store", Imports: []string{"domain", testsignal}, Exists: true},
		{Path: "casework", Imports: []string{"domain", "store"}, Exists: true,
			IntegrationTests: true},
		{Path: "blob", Imports: []string{"domain"}, Exists: true},
		{Path: "graph", Imports: []string{"casework"}},
		{Path: "internal", Exists: true},
		{Path: "migrations", Exists: true},
	},
	libraries: []Library{{Path: "example.org/sql", Packages: []string{"store"}},
		{Path: "example.org/check", Tests: true}},
	standard: []Library{{Path: "net/http", Packages: []string{"graph"}}},
}

// validPackages is a tree without violations; each case adds one package.
func validPackages(more Package) []Package {
	more.ImportPath = module + "/" + more.ImportPath
	return []Package{
		{ImportPath: module + "/domain"}, {ImportPath: module + "/store",
			Imports: []string{"example.org/sql/driver", "os"}},
		{ImportPath: module + "/casework"}, {ImportPath: module + "/blob"},
		{ImportPath: module + "/internal/pgtest"},
		{ImportPath: module + "/migrations"}, {ImportPath: "example.org/sql", DepOnly: true}, more,
	}
}

func TestImportDirectionViolations(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		added Package
		want  string // "" for a valid one
	}{
		"valid": {Package{ImportPath: "casework/rules",
			Imports: []string{module + "/store/deep", "fmt"}}, ""},
		"test signal": {Package{ImportPath: "store/x",
			Imports: []string{module + "/internal/testsignal"}}, ""},
		"other of internal": {Package{ImportPath: "store/x",
			Imports: []string{module + "/internal/pgtest"}}, "may import only"},
		"upward": {Package{ImportPath: "store/x",
			Imports: []string{module + "/casework"}},
			"store may import only: domain, internal/testsignal"},
		"no package of the project": {Package{ImportPath: "domain/x",
			Imports: []string{module + "/store"}}, "may import only: no package of the project"},
		"unknown package": {Package{ImportPath: "basement"},
			"is not in the table of packages"},
		"import of unknown package": {Package{ImportPath: "casework/x",
			Imports: []string{module + "/basement"}}, "not in the table"},
		"library of another": {Package{ImportPath: "casework/x",
			Imports: []string{"example.org/sql"}}, "belongs to store"},
		"library without owner": {Package{ImportPath: "casework/x",
			Imports: []string{"example.org/new"}}, "has no owner"},
		"test library in source": {Package{ImportPath: "casework/x",
			Imports: []string{"example.org/check"}}, "is for tests"},
		"test library in a test": {Package{ImportPath: "casework/x",
			XTestImports: []string{"example.org/check"}}, ""},
		"library in a test": {Package{ImportPath: "casework/x",
			TestImports: []string{"example.org/sql"}}, "(tests) imports example.org/sql"},
		"plumbing in a test": {Package{ImportPath: "domain/x",
			TestImports: []string{module + "/internal/pgtest", module + "/migrations"}}, ""},
		"wiring in a test": {Package{ImportPath: "casework/x",
			TestImports: []string{module + "/blob"}}, ""},
		"wiring in a lower test": {Package{ImportPath: "store/x",
			TestImports: []string{module + "/blob"}}, "may import only"},
		"HTTP in casework": {Package{ImportPath: "casework/x",
			Imports: []string{"net/http"}}, "belongs to graph"},
		"unmarked adapter": {Package{ImportPath: "graph"}, "set Exists"},
		"adapter in a lower test": {Package{ImportPath: "casework/x",
			TestImports: []string{module + "/graph"}}, "may import only"},
		"I/O in a pure package": {Package{ImportPath: "domain/x", Imports: []string{"os"}},
			"domain is pure"},
		"I/O in its generator": {Package{ImportPath: "domain/gen", Name: "main",
			Imports: []string{"os"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := strings.Join(smallTables.violations(validPackages(tc.added)), "\n")
			if tc.want == "" && found != "" || !strings.Contains(found, tc.want) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
}

func TestVanishedPackage(t *testing.T) {
	t.Parallel()
	all := validPackages(Package{ImportPath: "casework/x"})
	var left []Package
	for _, p := range all {
		if p.ImportPath != module+"/blob" {
			left = append(left, p)
		}
	}
	if found := smallTables.violations(left); len(found) != 1 ||
		!strings.Contains(found[0], "blob is listed as existing") {
		t.Errorf("found %q", found)
	}
}

func TestSourceViolations(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\t_ = 0\n", 70)
	for name, tc := range map[string]struct{ path, text, want string }{
		"clock": {"store/x.go", "import \"time\"\nvar n = time.Now",
			"time.Now: take a domain.Clock"},
		"a measured length": {"store/x.go",
			"import \"time\"\nvar n = time.Now //nolint:forbidigo // a duration\nvar m = time.Since(n)", ""},
		"clock by alias": {"store/x.go", "import clock \"time\"\nvar n = clock.Since",
			"time.Since"},
		"clock of domain": {"domain/clock.go", "import \"time\"\nvar n = time.Now", ""},
		"clock in a test": {"store/x_test.go", "import \"time\"\nvar n = time.Now", ""},
		"own Now":         {"store/x.go", "var n = c.Now", ""},
		"excused": {"store/x.go",
			"import \"time\"\nvar n = time.Now //nolint:forbidigo // a duration, never a time of day", ""},
		"without reason": {"store/x.go",
			"import \"time\"\nvar n = time.Now //nolint:forbidigo", "without a reason"},
		"excused otherwise": {"store/x.go",
			"import \"time\"\nvar n = time.Now //nolint:funlen // a reason", "time.Now: take"},
		"bare nolint": {"store/x.go", "var n = 1 //nolint // because", "names no rule"},
		"environment": {"store/x.go", "import \"os\"\nvar n = os.LookupEnv",
			"only reader of the environment"},
		"environment reader": {"internal/config/x.go", "import \"os\"\nvar n = os.Getenv", ""},
		"sleep in a test": {"store/x_test.go",
			"import \"time\"\nfunc f() { time.Sleep(1) }", "time.Sleep in a test"},
		"skip": {"store/x_test.go", "func f(t T) { t.Skip() }", "does not run"},
		"transaction": {"graph/x.go", "func f() { db.InTx(nil) }",
			"transactions belong to casework"},
		"transaction in casework": {"casework/x.go", "func f() { db.InTx(nil) }", ""},
		"scene of a test":         {"web/x_test.go", "func f() { db.InTx(nil) }", ""},
		"writer in a view": {"views/x.go", "import \"countersign/store\"\nvar t store.Tx",
			"only casework writes"},
		"put off": {"store/x.go", "// TO" + "DO later", "do it now"},
		"name": {"store/x.go", "type CaseManager struct{}",
			"says nothing of the field"},
		"goroutine": {"workflow/x.go", "func f() { go f() }",
			"a goroutine in a pure package"},
		"long function": {"store/x.go", "func f() {\n" + long + "}",
			"function f has 72 lines"},
		"long file":      {"store/x.go", strings.Repeat("\n", 400), "at most 400"},
		"long test file": {"store/x_test.go", strings.Repeat("\n", 790), ""},
		"serial test": {"store/x_test.go", "func TestA(t *testing.T) { t.Log(1) }",
			"does not begin with t.Parallel"},
		"empty test": {"store/x_test.go", "func TestA(t *testing.T) {}",
			"does not begin with t.Parallel"},
		"parallel test": {"store/x_test.go",
			"func TestA(t *testing.T) { t.Parallel() }\nfunc TestMain(m *testing.M) {}", ""},
		"test of a setting": {"store/x_test.go",
			"func TestA(t *testing.T) { t.Setenv(``, ``) }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := parseFile(tc.path, []byte("package x\n"+tc.text))
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Join(f.violations(), "\n")
			if tc.want == "" && found != "" || !strings.Contains(found, tc.want) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
}

func TestGeneratedFilesHaveNoLimits(t *testing.T) {
	t.Parallel()
	f, err := parseFile("graph/generated/x.go",
		[]byte("// Code generated by a program. DO NOT EDIT.\npackage x\n"+strings.Repeat("\n",
			900)))
	if err != nil || len(f.violations()) > 0 {
		t.Errorf("%v %v", f.violations(), err)
	}
}

func TestPackageCommentsAreRequired(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"package x":                              "has no opening comment",
		"// It is a package.\npackage x":         "does not begin with",
		"// Package x is for things.\npackage x": "does not say what never",
		"// Package x is for things.\n// What never happens here: others.\npackage x": "",
		"// The server; it never decides.\npackage main":                              "",
	} {
		f, err := parseFile("x/x.go", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Join(commentViolations([]*File{f}), "\n")
		if want == "" && found != "" || !strings.Contains(found, want) {
			t.Errorf("%q: found %q, want %q", text, found, want)
		}
	}
}

func TestUnusedLibrary(t *testing.T) {
	t.Parallel()
	found := smallTables.unusedLibraries(validPackages(Package{ImportPath: "casework/x"}))
	if len(found) != 1 || !strings.HasPrefix(found[0], "example.org/check is listed") {
		t.Errorf("found %q", found)
	}
}

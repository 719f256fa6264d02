package layout

import (
	"fmt"
	"slices"
	"strings"
)

// Package is what the go command says of one package.
type Package struct {
	ImportPath, Name, Dir                       string
	Imports, TestImports, XTestImports          []string
	GoFiles, TestGoFiles, XTestGoFiles, Ignored []string
	Standard                                    bool
	DepOnly                                     bool
}

const module = "countersign"

// ruleTables is the tables in one value, so that tests can build another.
type ruleTables struct {
	packages  []PackageRule
	libraries []Library
	standard  []Library
}

// projectRules is the rules of this tree.
var projectRules = ruleTables{packages: packageRules, libraries: libraries, standard: standard}

// ruleOf is the package whose folder holds the package, the innermost of several, or nil.
func (h ruleTables) ruleOf(importPath string) *PackageRule {
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return nil
	}
	var found *PackageRule
	for i := range h.packages {
		if isWithin(rest, h.packages[i].Path) && (found == nil ||
			len(h.packages[i].Path) > len(found.Path)) {
			found = &h.packages[i]
		}
	}
	return found
}

// isWithin reports whether path is folder or lies below it.
func isWithin(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// violations lists every import that the tables forbid, and every package that is missing or not
// listed.
func (h ruleTables) violations(packages []Package) []string {
	var found []string
	existing := map[string]bool{}
	for _, p := range packages {
		if p.DepOnly || p.Standard {
			continue
		}
		rule := h.ruleOf(p.ImportPath)
		if rule == nil {
			found = append(found, fmt.Sprintf("%s is not in the table of packages", p.ImportPath))
			continue
		}
		existing[rule.Path] = true
		for _, path := range p.Imports {
			found = appendProblem(found, p.ImportPath, h.importProblem(rule, p, path, false))
		}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			found = appendProblem(found, p.ImportPath+" (tests)",
				h.importProblem(rule, p, path, true))
		}
	}
	for _, rule := range h.packages {
		switch {
		case rule.Exists && !existing[rule.Path]:
			found = append(found,
				fmt.Sprintf("package %s is listed as existing but the tree lacks it", rule.Path))
		case !rule.Exists && existing[rule.Path]:
			found = append(found,
				fmt.Sprintf("package %s exists: set Exists in internal/layout/packages.go",
					rule.Path))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func appendProblem(list []string, who, problem string) []string {
	if problem == "" {
		return list
	}
	return append(list, who+" "+problem)
}

// importProblem returns why the package may not import the path, or "".
func (h ruleTables) importProblem(rule *PackageRule, p Package, path string, test bool) string {
	if isWithin(path, module) {
		return h.internalImportProblem(rule, path, test)
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return libraryProblem(h.libraries, rule, path, test, true)
	}
	if problem := libraryProblem(h.standard, rule, path, test, false); problem != "" {
		return problem
	}
	if rule.Pure && !test && p.Name != "main" && slices.Contains(impure, path) {
		return fmt.Sprintf("imports %s, but %s is pure: values in, values out", path, rule.Path)
	}
	return ""
}

// internalImportProblem checks the direction of imports between packages of the project.
func (h ruleTables) internalImportProblem(rule *PackageRule, path string, test bool) string {
	target := h.ruleOf(path)
	switch {
	case target == nil:
		return fmt.Sprintf("imports %s, which is not in the table of packages", path)
	case target.Path == rule.Path, slices.Contains(rule.Imports, anyPackage),
		slices.Contains(rule.Imports, target.Path):
		return ""
	case slices.ContainsFunc(rule.Imports, func(allowed string) bool {
		return path == module+"/"+
			allowed
	}):
		return "" // one package of a package
	case test && (target.Path == "internal" || target.Path == "migrations"):
		return ""
	case test && rule.IntegrationTests && !slices.Contains(adapters, target.Path):
		return ""
	}
	return fmt.Sprintf("imports %s, but %s may import only: %s", path, rule.Path,
		allowedText(rule.Imports))
}

func allowedText(packages []string) string {
	if len(packages) == 0 {
		return "no package of the project"
	}
	return strings.Join(packages, ", ")
}

// libraryProblem holds the owners of libraries; one that is in no table is refused if all must be
// listed.
func libraryProblem(table []Library, rule *PackageRule, path string, test, listed bool) string {
	var owner *Library
	for i := range table {
		if isWithin(path, table[i].Path) && (owner == nil || len(table[i].Path) > len(owner.Path)) {
			owner = &table[i]
		}
	}
	switch {
	case owner == nil && listed:
		return fmt.Sprintf("imports %s, which has no owner in internal/layout/packages.go", path)
	case owner == nil, rule.AllLibraries, slices.Contains(owner.Packages, rule.Path), test &&
		owner.Tests:
		return ""
	case len(owner.Packages) == 0:
		return fmt.Sprintf("imports %s, which is for tests", path)
	}
	return fmt.Sprintf("imports %s, which belongs to %s", path, strings.Join(owner.Packages, ", "))
}

// unusedLibraries lists the libraries of the table that no package of the project imports. They are
// added again with their first use.
func (h ruleTables) unusedLibraries(packages []Package) []string {
	var unused []string
	for _, library := range h.libraries {
		imported := func(path string) bool { return isWithin(path, library.Path) }
		if !slices.ContainsFunc(packages, func(p Package) bool {
			return !p.DepOnly && !p.Standard && slices.ContainsFunc(slices.Concat(p.Imports,
				p.TestImports, p.XTestImports), imported)
		}) {
			unused = append(unused,
				library.Path+" is listed in internal/layout/packages.go but no package imports it")
		}
	}
	return unused
}

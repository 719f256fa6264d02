package layout

import (
	"slices"
	"strings"
	"testing"
)

// stubs answer in place of a real service. Only tests, benchmarks and the demo start them.
var stubs = []string{module + "/internal/modelvendor"}

// chainTo returns the imports that lead from one package to another, nil if there are none.
func chainTo(packages []Package, from, to string) []string {
	imports := map[string][]string{}
	for _, p := range packages {
		imports[p.ImportPath] = p.Imports
	}
	seen := map[string]bool{from: true}
	for chains := [][]string{{from}}; len(chains) > 0; chains = chains[1:] {
		chain := chains[0]
		last := chain[len(chain)-1]
		if last == to {
			return chain
		}
		for _, next := range imports[last] {
			if !seen[next] {
				seen[next] = true
				chains = append(chains, append(slices.Clone(chain), next))
			}
		}
	}
	return nil
}

// The programs of an installation contain no stub, so that no setting can start one.
func TestProgramsContainNoStub(t *testing.T) {
	t.Parallel()
	packages := listPackages(t)
	for _, stub := range stubs {
		for _, program := range []string{"cmd/server", "cmd/worker", "cmd/ocrengine"} {
			if chain := chainTo(packages, module+"/"+program, stub); chain != nil {
				t.Errorf("%s contains a stub: %s", program, strings.Join(chain, " imports "))
			}
		}
		if chainTo(packages, module+"/cmd/countersign", stub) == nil {
			t.Errorf("the demo does not start %s, or its imports are not found", stub)
		}
	}
}

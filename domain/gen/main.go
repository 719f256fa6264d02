// Command gen writes the labels of the document fields, which the pages show, from the rows of
// domain/fields.go.
//
// What may enter: texts of the pages that follow from a table of domain. What never happens here:
// a label written by hand.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"countersign/domain"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	for name, content := range files(domain.FieldSpecs()) {
		path := filepath.Join(*root, filepath.FromSlash(name))
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// files returns the content of every generated file by its path from the root of the module.
func files(specs []domain.FieldSpec) map[string]string {
	const folder = "frontend/src/i18n/"
	return map[string]string{
		folder + "en/fields.json": labels(specs,
			func(spec domain.FieldSpec) string { return spec.English }),
		folder + "zh/fields.json": labels(specs,
			func(spec domain.FieldSpec) string { return spec.Chinese }),
	}
}

// labels returns the labels of one language as JSON, in display order.
func labels(specs []domain.FieldSpec, label func(domain.FieldSpec) string) string {
	lines := make([]string, len(specs))
	for i, spec := range specs {
		lines[i] = fmt.Sprintf("  %s: %s", strconv.Quote(spec.Name), strconv.Quote(label(spec)))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
}

package layout

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// commentViolations lists packages without an opening comment that says what they are and what
// never happens in them.
func commentViolations(files []*File) []string {
	comment, first := map[string]string{}, map[string]*File{}
	for _, f := range files {
		folder := path.Dir(f.Path)
		if f.Test {
			continue
		}
		if first[folder] == nil || f.Path < first[folder].Path {
			first[folder] = f
		}
		if f.tree.Doc != nil && len(f.tree.Doc.Text()) > len(comment[folder]) {
			comment[folder] = f.tree.Doc.Text()
		}
	}
	var found []string
	for folder, f := range first {
		name, text := f.tree.Name.Name, comment[folder]
		switch {
		case f.Generated && text == "":
		case text == "":
			found = append(found, fmt.Sprintf("%s: package %s has no opening comment", folder,
				name))
		case name != "main" && !strings.HasPrefix(text, "Package "+name+" "):
			found = append(found,
				fmt.Sprintf("%s: the opening comment does not begin with \"Package %s\"", folder,
					name))
		case name == "main" && !f.under("cmd"): // a small program of a package or of the internal tooling
		case !f.Generated && !strings.Contains(strings.ToLower(text), "never"):
			found = append(found,
				fmt.Sprintf("%s: the opening comment does not say what never happens here", folder))
		}
	}
	slices.Sort(found)
	return found
}

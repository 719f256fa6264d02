package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// set is one folder of documents.
type set struct {
	name  string
	files []string
}

var readable = map[string]bool{".pdf": true, ".png": true, ".jpg": true, ".jpeg": true,
	".tif": true, ".tiff": true}

// findSets returns the sub-folders of a folder, or only those named, with their documents. It
// follows links, because sets are often linked into one folder. A set that is missing or empty is an
// error: otherwise a figure of nothing would look like a success.
func findSets(data, only string) ([]set, error) {
	entries, err := os.ReadDir(data)
	if err != nil {
		return nil, err
	}
	wanted := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	var sets []set
	for _, entry := range entries {
		name := entry.Name()
		if len(wanted) > 0 && !slices.Contains(wanted, name) || name == "hostile" {
			continue
		}
		info, err := os.Stat(filepath.Join(data, name)) // of what a link leads to
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
		if !info.IsDir() {
			continue
		}
		files, err := documentsIn(filepath.Join(data, name))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set{name: name, files: files})
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(sets, func(s set) bool { return s.name == name }) {
			return nil, fmt.Errorf("%s has no set %q", data, name)
		}
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%s has no sub-folder with documents", data)
	}
	return sets, nil
}

// documentsIn returns the documents in a folder, at least one.
func documentsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if readable[strings.ToLower(filepath.Ext(path))] && !twinOfPDF(path) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the set %s has no documents", folder)
	}
	return files, nil
}

// twinOfPDF: a picture beside a PDF of the same name is the same document.
func twinOfPDF(path string) bool {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	_, err := os.Stat(base + ".pdf")
	return err == nil && !strings.EqualFold(filepath.Ext(path), ".pdf")
}

func truthPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".gt.json"
}

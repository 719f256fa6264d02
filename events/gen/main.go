// Command gen writes the Go and TypeScript types of the event contracts, and the labels of the event
// types in each language of the pages. It runs as `go generate ./events`. Its output is committed, and a test checks that it is up to date.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"countersign/events"
	"countersign/events/gen/render"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := writeFiles(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func writeFiles(root string) error {
	files, err := render.Files(events.Contracts())
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(render.LabelsFile)))
	if err != nil {
		return fmt.Errorf("read labels: %w", err)
	}
	labels, err := render.Labels(events.Contracts(), text)
	if err != nil {
		return err
	}
	maps.Copy(files, labels)
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("write types: %w", err)
		}
	}
	return nil
}

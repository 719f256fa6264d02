// Command gen writes the Go and TypeScript types of the event contracts. It runs as `go generate
// ./events`. Its output is committed, and a test checks that it is up to date.
package main

import (
	"flag"
	"fmt"
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

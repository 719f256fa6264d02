// Command gen writes the packages for consumers of the feed: the Go package contracts/events, and
// the npm package contracts/npm with its declarations and JSON Schemas. It runs in `make generate`.
//
// What may enter: the files of these packages. What never happens here: changes of contracts.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"countersign/events"
	"countersign/events/gen/render"
	"countersign/feed"
)

// schemaFolder holds the JSON Schemas of the npm package, and nothing else.
const schemaFolder = "contracts/npm/schemas"

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := writeFiles(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func writeFiles(root string) error {
	goText, err := render.PublicGo(events.Contracts())
	if err != nil {
		return err
	}
	schemas, err := feed.Schemas()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"contracts/events/bodies.go": goText,
		"contracts/npm/index.d.ts":   render.PublicTypeScript(events.Contracts()),
	}
	for name, text := range schemas {
		files[schemaFolder+"/"+name] = append(text, '\n')
	}
	// A contract that no longer exists must not remain in the package.
	if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(schemaFolder))); err != nil {
		return fmt.Errorf("remove schemas: %w", err)
	}
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("write package: %w", err)
		}
	}
	return nil
}

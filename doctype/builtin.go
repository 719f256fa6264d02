package doctype

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed types/*.yaml
var types embed.FS

// Source is a built-in document type as text.
type Source struct {
	Key     string
	Version int
	YAML    []byte
}

// Builtin returns the built-in document types, sorted by key.
func Builtin() ([]Source, error) {
	names, err := fs.Glob(types, "types/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("doctype.Builtin: %w", err)
	}
	sources := make([]Source, 0, len(names))
	for _, name := range names {
		text, err := types.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("doctype.Builtin: %w", err)
		}
		made, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("doctype.Builtin: %s: %w", name, err)
		}
		sources = append(sources, Source{Key: made.Key, Version: made.Version, YAML: text})
	}
	return sources, nil
}

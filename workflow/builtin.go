package workflow

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed definitions/*.yaml
var definitions embed.FS

//go:embed definition.schema.json
var schema []byte

// Source is the text of a built-in definition.
type Source struct {
	Key     string
	Version int
	YAML    []byte
}

// Builtin returns the definitions that are part of the program, sorted by key.
func Builtin() ([]Source, error) {
	names, err := fs.Glob(definitions, "definitions/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("workflow.Builtin: %w", err)
	}
	sources := make([]Source, 0, len(names))
	for _, name := range names {
		text, err := definitions.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("workflow.Builtin: %w", err)
		}
		def, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("workflow.Builtin: %s: %w", name, err)
		}
		sources = append(sources, Source{Key: def.Key, Version: def.Version, YAML: text})
	}
	return sources, nil
}

// Schema returns the JSON Schema of the definition format, for editors.
func Schema() []byte { return append([]byte(nil), schema...) }

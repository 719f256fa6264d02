package rules

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed sets/*.yaml
var sets embed.FS

// Source is a built-in rule set as text.
type Source struct {
	Key     string
	Version int
	YAML    []byte
}

// builtins are the sets that come with the product, compiled once for the whole program: compiling one takes a tenth of
// a second.
type builtins struct {
	sources []Source
	byHash  map[[sha256.Size]byte]*Set
}

var builtin = sync.OnceValues(func() (builtins, error) {
	all := builtins{byHash: map[[sha256.Size]byte]*Set{}}
	names, err := fs.Glob(sets, "sets/*.yaml")
	if err != nil {
		return all, fmt.Errorf("rules.Builtin: %w", err)
	}
	for _, name := range names {
		text, err := sets.ReadFile(name)
		if err != nil {
			return all, fmt.Errorf("rules.Builtin: %w", err)
		}
		set, err := ParseSet(text)
		if err != nil {
			return all, fmt.Errorf("rules.Builtin: %s: %w", name, err)
		}
		all.byHash[sha256.Sum256(text)] = set
		all.sources = append(all.sources, Source{Key: set.Key, Version: set.Version, YAML: text})
	}
	return all, nil
})

// Builtin returns the rule sets that come with the product, by key.
func Builtin() ([]Source, error) {
	all, err := builtin()
	return append([]Source(nil), all.sources...), err
}

// ParsePublished reads a set that was published, as ParseSet does; one that comes with the product is compiled already.
func ParsePublished(source []byte) (*Set, error) {
	if all, err := builtin(); err == nil {
		if set, ok := all.byHash[sha256.Sum256(source)]; ok {
			return set, nil
		}
	}
	return ParseSet(source)
}

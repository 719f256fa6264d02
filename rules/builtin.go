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

// builtins are the built-in sets. They are compiled once per process, because compiling a set takes
// 0.1 s.
type builtins struct {
	sources []Source
	sets    []*Set
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
		all.sets = append(all.sets, set)
		all.sources = append(all.sources, Source{Key: set.Key, Version: set.Version, YAML: text})
	}
	return all, nil
})

// Builtin returns the built-in rule sets, sorted by key.
func Builtin() ([]Source, error) {
	all, err := builtin()
	return append([]Source(nil), all.sources...), err
}

// ParsePublished parses a published set like ParseSet, but accepts rules without a title, because
// sets published before titles were required are never changed. Such rules get one. A built-in set
// is not compiled again.
func ParsePublished(source []byte) (*Set, error) {
	return setOrError(CheckPublished(source))
}

// CheckPublished is ParsePublished that returns all problems. The set is nil if there is a problem.
func CheckPublished(source []byte) (*Set, []Problem) {
	all, err := builtin()
	if err == nil {
		if set, ok := all.byHash[sha256.Sum256(source)]; ok {
			return set, nil
		}
	}
	set, problems := checkSet(source, titlesOptional)
	if set != nil {
		set.addMissingTitles(all.sets)
		set.addRequiredRules(all.sets)
	}
	return set, problems
}

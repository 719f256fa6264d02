package domain

import "sync"

// VersionCache caches the parsed form of published documents by key and version. A published
// version never changes, so entries are never invalidated. It is safe for concurrent use; two
// callers may parse the same version at the same time, because a lock held while parsing could
// block callers that hold a database connection.
type VersionCache[T any] struct {
	entries sync.Map // versionKey -> T
}

type versionKey struct {
	key     string
	version int
}

// Load returns the cached version, and false if it was not parsed yet.
func (c *VersionCache[T]) Load(key string, version int) (T, bool) {
	entry, _ := c.entries.Load(versionKey{key, version})
	parsed, ok := entry.(T)
	return parsed, ok
}

// Parse returns the cached version, or parses and caches it. It does not cache errors.
func (c *VersionCache[T]) Parse(key string, version int, parse func() (T, error)) (T, error) {
	if parsed, ok := c.Load(key, version); ok {
		return parsed, nil
	}
	parsed, err := parse()
	if err != nil {
		return parsed, err
	}
	c.entries.Store(versionKey{key, version}, parsed)
	return parsed, nil
}

package casework

import "sync"

// syncMap is a typed sync.Map.
type syncMap[K comparable, V any] struct{ m sync.Map }

func (s *syncMap[K, V]) load(key K) (V, bool) {
	value, ok := s.m.Load(key)
	if !ok {
		var zero V
		return zero, false
	}
	typed, ok := value.(V)
	return typed, ok
}

func (s *syncMap[K, V]) store(key K, value V) { s.m.Store(key, value) }

package domain_test

import (
	"errors"
	"sync"
	"testing"

	"countersign/domain"
)

func TestVersionCacheParsesEachVersionOnce(t *testing.T) {
	t.Parallel()
	var cache domain.VersionCache[*string]
	if _, ok := cache.Load("a", 1); ok {
		t.Error("an empty cache has an entry")
	}
	failure := errors.New("not valid")
	if _, err := cache.Parse("a", 1, func() (*string, error) {
		return nil,
			failure
	}); !errors.Is(err, failure) {
		t.Errorf("got %v, want the error of the parser", err)
	}
	text := "parsed"
	for _, version := range []int{1, 1, 2} {
		got, err := cache.Parse("a", version, func() (*string, error) { return &text, nil })
		if err != nil || got != &text {
			t.Errorf("version %d: got %v, %v", version, got, err)
		}
	}
	other := "other"
	if got, _ := cache.Parse("a", 1, func() (*string, error) { return &other, nil }); got != &text {
		t.Error("a cached version was parsed again")
	}
	if _, ok := cache.Load("b", 1); ok {
		t.Error("another key has an entry")
	}
}

func TestVersionCacheIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var cache domain.VersionCache[int]
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for version := range 100 {
				got, err := cache.Parse("a", version, func() (int, error) {
					return version * 2,
						nil
				})
				if got != version*2 || err != nil {
					t.Errorf("version %d: got %d, %v", version, got, err)
				}
			}
		})
	}
	callers.Wait()
}

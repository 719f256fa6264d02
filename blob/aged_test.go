package blob_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/blob"
	"countersign/domain"
)

// age makes every file of the folder older by the duration.
func age(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, ".journal") {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(path, time.Time{}, info.ModTime().Add(-by))
	}); err != nil {
		t.Fatal(err)
	}
}

// pass returns all keys of one pass, reading a few names in each step.
func pass(t *testing.T, aged *blob.Aged, most int) []string {
	t.Helper()
	var all []string
	for range 10_000 {
		keys, done, err := aged.Next(t.Context(), most)
		if err != nil || len(keys) > most {
			t.Fatal(len(keys), err)
		}
		all = append(all, keys...)
		if done {
			slices.Sort(all)
			return all
		}
	}
	t.Fatal("the pass does not end")
	return nil
}

func TestOnlyFilesOlderThanTheGraceAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	put := func(id domain.ID, content string) string {
		key, _, _, err := folder.Put(t.Context(), id, strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	var old []string
	for i := range 25 {
		id := domain.NewID()
		id[0] = byte(i % 5) // cases of different times: several subdirectories
		old = append(old, put(id, "old"))
	}
	large := put(domain.NewID(), strings.Repeat("x", 300<<10))
	old = append(old, large)
	// A crash leaves a file that was not completed and one that was being removed; there are also
	// files that are not blobs.
	home := filepath.Join(dir, large[:7])
	for _, name := range []string{domain.NewID().String() + ".part", "stranger.txt"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("x"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	taken := filepath.Join(home, strings.Replace(large, "/", "-", 1))
	if err := os.Rename(taken, taken+".aside.part"); err != nil {
		t.Fatal(err)
	}
	age(t, dir, 2*time.Hour)
	young := put(domain.NewID(), "young")
	again := put(domain.ID{1: 7}, "again")
	slices.Sort(old)

	aged := folder.Aged(time.Hour)
	if got := pass(t, aged, 4); len(got) != len(old)-1 || slices.Contains(got, large) {
		t.Errorf("found %d of %d; the one that was being removed waits for the next pass", len(got),
			len(old)-1)
	}
	if got := pass(t, aged, 4); !slices.Equal(got, old) {
		t.Errorf("found %d, want %d: %v", len(got), len(old), got)
	}
	if got := pass(t, folder.Aged(3*time.Hour), 1000); len(got) != 0 {
		t.Errorf("within the grace: %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "*.part")); len(left) != 0 {
		t.Errorf("remains stay: %v", left)
	}
	if gone, err := aged.Remove(t.Context(), old[0]); err != nil || !gone {
		t.Error(gone, err)
	}
	for _, key := range []string{young, again, old[0]} {
		if gone, err := aged.Remove(t.Context(), key); err != nil || gone {
			t.Error(key, gone, err)
		}
	}
	if got := pass(t, aged, 1000); len(got) != len(old)-1 {
		t.Errorf("%d are left", len(got))
	}
}

// If the same bytes are stored while the old file is being removed, they stay stored.
func TestPutDuringRemoval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	aged := folder.Aged(time.Hour)
	removed := 0
	for round := range 300 {
		id, content := domain.NewID(), []byte("the same bytes")
		if round%10 == 0 {
			content = bytes.Repeat(content, 30<<10)
		}
		key, _, _, err := folder.Put(t.Context(), id, bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, key[:7], strings.Replace(key, "/", "-", 1))
		long := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(path, time.Time{}, long); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, _, _, err := folder.Put(t.Context(), id, bytes.NewReader(content)); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			gone, err := aged.Remove(t.Context(), key)
			if err != nil {
				t.Error(err)
			}
			if gone {
				removed++
			}
		})
		group.Wait()
		if whole, err := folder.Verify(t.Context(), key); err != nil || !whole {
			t.Fatalf("round %d: kept and gone: %v %v", round, whole, err)
		}
	}
	t.Logf("%d of 300 were removed and written again", removed)
}

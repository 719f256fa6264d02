package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"countersign/blob"
	"countersign/domain"
)

func open(t *testing.T) (*blob.Folder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	folder, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return folder, dir
}

func TestPutOnceReadMany(t *testing.T) {
	t.Parallel()
	folder, _ := open(t)
	ctx, caseID, content := context.Background(), domain.NewID(),
		bytes.Repeat([]byte("countersign"), 100_000)
	var done sync.WaitGroup
	keys := make([]string, 8)
	for i := range keys {
		done.Go(func() {
			key, _, size, err := folder.Put(ctx, caseID, bytes.NewReader(content))
			if err != nil || size != int64(len(content)) {
				t.Errorf("put: %d bytes, %v", size, err)
			}
			keys[i] = key
		})
	}
	done.Wait()
	for _, key := range keys {
		if key != keys[0] {
			t.Fatalf("the same bytes have the keys %s and %s", keys[0], key)
		}
	}
	stored, size, err := folder.Open(ctx, keys[0])
	if err != nil || size != int64(len(content)) {
		t.Fatalf("open: %d bytes, %v", size, err)
	}
	defer func() { _ = stored.Close() }()
	if text, err := io.ReadAll(stored); err != nil || !bytes.Equal(text, content) {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
	var seen []string
	if err := folder.Walk(ctx, func(s blob.BlobInfo) error {
		seen = append(seen,
			s.Key)
		return nil
	}); err != nil || len(seen) != 1 {
		t.Errorf("walk saw %v, %v", seen, err)
	}
}

func TestAlteredBytesAreFound(t *testing.T) {
	t.Parallel()
	folder, dir := open(t)
	ctx := context.Background()
	key, _, _, err := folder.Put(ctx, domain.NewID(), strings.NewReader("original"))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := folder.Verify(ctx, key); err != nil || !same {
		t.Errorf("verify: %v %v", same, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "[0-9a-f]*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	file := files[0]
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("forged!!"), 0o600); err != nil {
		t.Fatal(err)
	}
	if same, err := folder.Verify(ctx, key); err != nil || same {
		t.Errorf("a forged blob verified: %v %v", same, err)
	}
}

func TestForeignKeysAreRefused(t *testing.T) {
	t.Parallel()
	folder, dir := open(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret"), []byte("s"),
		0o600); err != nil {
		t.Fatal(err)
	}
	id, sum := domain.NewID().String(), strings.Repeat("a", 64)
	for _, key := range []string{"", "../secret", id + "/../../secret", id, id + "/short",
		id + "/" + sum + "/x", "/etc/passwd", id + "/" + strings.ToUpper(sum)} {
		if _, _, err := folder.Open(context.Background(), key); !domain.HasCode(err,
			domain.InvalidInput) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, _, err := folder.Open(context.Background(), id+"/"+sum); !domain.HasCode(err,
		domain.NotFound) {
		t.Errorf("missing: %v", err)
	}
}

// Files of the first versions are in a subdirectory for each case and are still found.
func TestFilesOfTheFirstVersions(t *testing.T) {
	t.Parallel()
	folder, dir := open(t)
	ctx := context.Background()
	sum := sha256.Sum256([]byte("old"))
	key := domain.NewID().String() + "/" + hex.EncodeToString(sum[:])
	if err := os.Mkdir(filepath.Dir(filepath.Join(dir, key)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, key), []byte("old"), 0o400); err != nil {
		t.Fatal(err)
	}
	if same, err := folder.Verify(ctx, key); err != nil || !same {
		t.Errorf("verify: %v %v", same, err)
	}
	var seen []string
	if err := folder.Walk(ctx, func(s blob.BlobInfo) error {
		seen = append(seen,
			s.Key)
		return nil
	}); err != nil || len(seen) != 1 || seen[0] != key {
		t.Errorf("walk saw %v, %v", seen, err)
	}
	if err := folder.Remove(ctx, key); err != nil {
		t.Error(err)
	}
	if _, _, err := folder.Open(ctx, key); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("removed: %v", err)
	}
}

// Cases of many months are written concurrently, in more subdirectories than are kept open.
func TestConcurrentShards(t *testing.T) {
	t.Parallel()
	folder, dir := open(t)
	ctx := context.Background()
	var done sync.WaitGroup
	keys := make([]string, 200)
	for i := range keys {
		done.Go(func() {
			id := domain.NewID()
			id[1], id[2] = byte(i%40), 0
			var err error
			if keys[i], _, _, err = folder.Put(ctx, id,
				strings.NewReader(fmt.Sprint("content ", i))); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	for _, key := range keys {
		if same, err := folder.Verify(ctx, key); err != nil || !same {
			t.Errorf("%s: %v %v", key, same, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*.part")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A failure leaves no files behind.
func TestBrokenContentLeavesNothing(t *testing.T) {
	t.Parallel()
	folder, dir := open(t)
	_, _, _, err := folder.Put(context.Background(), domain.NewID(),
		io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("cut off"))))
	if !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("put: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"countersign/blob"
	"countersign/blob/s3"
	"countersign/domain"
	"countersign/internal/devservices"
)

var server *devservices.S3

func TestMain(m *testing.M) {
	os.Exit(withServer(m))
}

func withServer(m *testing.M) int {
	folder, err := os.MkdirTemp("", "countersign-s3-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if server, err = devservices.StartS3(context.Background(), folder); err != nil {
		panic(err)
	}
	defer server.Close()
	return m.Run()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kind is what a bucket offers.
type kind int

const (
	plain kind = iota
	versioned
	locked
)

// settingsOf makes a bucket and returns its settings.
func settingsOf(t *testing.T, kind kind) s3.Settings {
	t.Helper()
	client, err := minio.New(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, "")})
	must(t, err)
	name := "test-" + domain.NewID().String()
	must(t, client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{ObjectLocking: kind == locked}))
	if kind == versioned {
		must(t, client.EnableVersioning(t.Context(), name))
	}
	return s3.Settings{Endpoint: server.Endpoint, Bucket: name, Prefix: "countersign/",
		AccessKey: server.AccessKey, SecretKey: server.SecretKey, TempDir: t.TempDir()}
}

func open(t *testing.T, settings s3.Settings) *s3.Bucket {
	t.Helper()
	bucket, err := s3.Open(t.Context(), settings)
	must(t, err)
	return bucket
}

// at is a clock that shows the present time with an offset.
type at time.Duration

func (a at) Now() time.Time { return time.Now().Add(time.Duration(a)) }

// Blobs of all sizes come back as they were, under the key of the folder, in a bucket of each kind.
func TestBlobs(t *testing.T) {
	t.Parallel()
	for _, kind := range []kind{plain, versioned, locked} {
		settings := settingsOf(t, kind)
		if kind == locked {
			settings.LockDays = 1
		}
		bucket := open(t, settings)
		folder, err := blob.OpenFolder(t.TempDir())
		must(t, err)
		t.Cleanup(func() { _ = folder.Close() })
		var keys []string
		for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5 << 20} {
			content := bytes.Repeat([]byte("a\x00b"), size/3+1)[:size]
			id := domain.NewID()
			for range 2 {
				key, sum, n, err := bucket.Put(t.Context(), id, bytes.NewReader(content))
				must(t, err)
				wanted, wantedSum, _, err := folder.Put(t.Context(), id, bytes.NewReader(content))
				must(t, err)
				if key != wanted || !bytes.Equal(sum, wantedSum) || n != int64(size) {
					t.Fatalf("%d bytes: %s, %d bytes, want %s", size, key, n, wanted)
				}
				keys = append(keys, key)
			}
			got, n, err := bucket.Open(t.Context(), keys[len(keys)-1])
			must(t, err)
			read, err := io.ReadAll(got)
			must(t, err)
			if n != int64(size) || !bytes.Equal(read, content) {
				t.Errorf("%d bytes come back as %d", size, len(read))
			}
			must(t, got.Close())
			if has, err := bucket.Has(t.Context(), keys[len(keys)-1]); err != nil || !has {
				t.Errorf("%d bytes are not there: %v", size, err)
			}
			if whole, err := bucket.Verify(t.Context(), keys[len(keys)-1]); err != nil || !whole {
				t.Errorf("%d bytes: %v, %v", size, whole, err)
			}
		}
		var walked []string
		must(t, bucket.Walk(t.Context(), func(info blob.BlobInfo) error {
			walked = append(walked, info.Key)
			return nil
		}))
		slices.Sort(keys)
		if keys = slices.Compact(keys); !slices.Equal(walked, keys) {
			t.Errorf("%v, want %v", walked, keys)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); slices.ContainsFunc(left, func(e os.DirEntry) bool {
		return strings.HasPrefix(e.Name(), "countersign-s3-") && !e.IsDir()
	}) {
		t.Error("temporary files stay")
	}
}

// Attack: malformed keys, missing blobs and content that breaks off leave nothing and are typed errors.
func TestBadInput(t *testing.T) {
	t.Parallel()
	bucket := open(t, settingsOf(t, plain))
	id := domain.NewID()
	for _, key := range []string{"", "x", "../" + strings.Repeat("a", 64), id.String() + "/../../x",
		id.String() + "/" + strings.Repeat("A", 64)} {
		if _, _, err := bucket.Open(t.Context(), key); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("open %q: %v", key, err)
		}
		if err := bucket.Remove(t.Context(), key); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("remove %q: %v", key, err)
		}
	}
	missing := id.String() + "/" + strings.Repeat("a", 64)
	if _, _, err := bucket.Open(t.Context(), missing); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("missing: %v", err)
	}
	if has, err := bucket.Has(t.Context(), missing); err != nil || has {
		t.Errorf("a missing blob is there: %v, %v", has, err)
	}
	must(t, bucket.Remove(t.Context(), missing))
	for _, size := range []int{10, 3 << 20} {
		cut := io.MultiReader(bytes.NewReader(make([]byte, size)), brokenReader{})
		if _, _, _, err := bucket.Put(t.Context(), id, cut); err == nil {
			t.Errorf("%d bytes that break off are stored", size)
		}
	}
	must(t, bucket.Walk(t.Context(), func(info blob.BlobInfo) error {
		t.Errorf("stored: %s", info.Key)
		return nil
	}))
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the line is cut") }

// Wrong settings are named, a service that is away is Unavailable.
func TestSettings(t *testing.T) {
	t.Parallel()
	right := settingsOf(t, plain)
	for name, tc := range map[string]struct {
		change func(*s3.Settings)
		want   domain.Code
	}{
		"no address":       {func(s *s3.Settings) { s.Endpoint = "s3.example.com" }, domain.InvalidInput},
		"prefix":           {func(s *s3.Settings) { s.Prefix = "x" }, domain.InvalidInput},
		"missing bucket":   {func(s *s3.Settings) { s.Bucket = "missing-bucket" }, domain.InvalidInput},
		"no object lock":   {func(s *s3.Settings) { s.LockDays = 3 }, domain.InvalidInput},
		"wrong secret":     {func(s *s3.Settings) { s.SecretKey = "wrong" }, domain.Unavailable},
		"no service":       {func(s *s3.Settings) { s.Endpoint = "http://127.0.0.1:1" }, domain.Unavailable},
		"as they are":      {func(*s3.Settings) {}, ""},
		"without a prefix": {func(s *s3.Settings) { s.Prefix = "" }, ""},
	} {
		settings := right
		tc.change(&settings)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := s3.Open(ctx, settings)
		cancel()
		if tc.want == "" && err != nil || tc.want != "" && !domain.HasCode(err, tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

// Old blobs are found and removed; the same bytes, stored while the old ones are removed, stay.
func TestAged(t *testing.T) {
	t.Parallel()
	if open(t, settingsOf(t, plain)).Aged(time.Hour) != nil {
		t.Error("blobs of a bucket without versions are removed")
	}
	settings := settingsOf(t, versioned)
	bucket := open(t, settings)
	var keys []string
	put := func(id domain.ID) string {
		key, _, _, err := bucket.Put(t.Context(), id, strings.NewReader("old"))
		must(t, err)
		return key
	}
	for range 7 {
		keys = append(keys, put(domain.NewID()))
	}
	slices.Sort(keys)
	if got, done, err := bucket.Aged(time.Hour).Next(t.Context(), 100); err != nil || !done || len(got) != 0 {
		t.Errorf("within the grace: %v, %v", got, err)
	}
	if gone, err := bucket.Aged(time.Hour).Remove(t.Context(), keys[0]); err != nil || gone {
		t.Errorf("a recent blob: %v, %v", gone, err)
	}
	settings.Clock = at(2 * time.Hour)
	aged := open(t, settings).Aged(time.Hour)
	var found []string
	for done := false; !done; {
		var some []string
		var err error
		some, done, err = aged.Next(t.Context(), 3)
		must(t, err)
		if len(some) > 3 {
			t.Errorf("%d at a time", len(some))
		}
		found = append(found, some...)
	}
	if !slices.Equal(found, keys) {
		t.Errorf("found %v, want %v", found, keys)
	}
	if gone, err := aged.Remove(t.Context(), keys[0]); err != nil || !gone {
		t.Errorf("%v, %v", gone, err)
	}
	if _, _, err := bucket.Open(t.Context(), keys[0]); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("it is still there: %v", err)
	}
	if gone, err := aged.Remove(t.Context(), keys[0]); err != nil || gone {
		t.Errorf("again: %v, %v", gone, err)
	}
}

// Attack: the same bytes are stored again while the orphan with them is removed. They stay.
func TestPutDuringRemoval(t *testing.T) {
	t.Parallel()
	bucket := open(t, settingsOf(t, versioned))
	for range 10 {
		id := domain.NewID()
		put := func() (key string) {
			key, _, _, err := bucket.Put(t.Context(), id, strings.NewReader("the same bytes"))
			must(t, err)
			return key
		}
		key := put()
		must(t, bucket.RemoveListed(t.Context(), key, func() { put() }))
		if whole, err := bucket.Verify(t.Context(), key); err != nil || !whole {
			t.Fatalf("the bytes that were stored again: %v, %v", whole, err)
		}
	}
}

// A blob that object lock protects cannot be removed.
func TestObjectLock(t *testing.T) {
	t.Parallel()
	settings := settingsOf(t, locked)
	settings.LockDays = 2
	bucket := open(t, settings)
	key, _, _, err := bucket.Put(t.Context(), domain.NewID(), strings.NewReader("evidence"))
	must(t, err)
	if err := bucket.Remove(t.Context(), key); !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("a protected blob was removed: %v", err)
	}
	if whole, err := bucket.Verify(t.Context(), key); err != nil || !whole {
		t.Errorf("%v, %v", whole, err)
	}
}

// Attack: an account with the right to write puts other bytes at a key. Verify finds it.
func TestChangedBytes(t *testing.T) {
	t.Parallel()
	settings := settingsOf(t, plain)
	bucket := open(t, settings)
	key, _, _, err := bucket.Put(t.Context(), domain.NewID(), strings.NewReader("100.00 EUR"))
	must(t, err)
	client, err := minio.New(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, "")})
	must(t, err)
	_, err = client.PutObject(t.Context(), settings.Bucket, "countersign/blobs/"+key,
		strings.NewReader("900.00 EUR"), 10, minio.PutObjectOptions{})
	must(t, err)
	if whole, err := bucket.Verify(t.Context(), key); err != nil || whole {
		t.Errorf("changed bytes are not found: %v, %v", whole, err)
	}
	sum := sha256.Sum256([]byte("100.00 EUR"))
	if !strings.HasSuffix(key, hex.EncodeToString(sum[:])) {
		t.Error(key)
	}
}

package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"countersign/blob/s3"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/web"
)

// openBucket makes a bucket on an S3 service of its own.
func openBucket(t *testing.T) s3.Uploads {
	t.Helper()
	folder := t.TempDir()
	service, err := devservices.StartS3(t.Context(), folder)
	must(t, err)
	t.Cleanup(service.Close)
	client, err := minio.New(strings.TrimPrefix(service.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(service.AccessKey, service.SecretKey, "")})
	must(t, err)
	must(t, client.MakeBucket(t.Context(), "uploads", minio.MakeBucketOptions{}))
	bucket, err := s3.Open(t.Context(), s3.Settings{Endpoint: service.Endpoint, Bucket: "uploads",
		AccessKey: service.AccessKey, SecretKey: service.SecretKey})
	must(t, err)
	return bucket.Uploads()
}

// What is left of uploads in the bucket.
func objectsOf(t *testing.T, objects s3.Uploads) []string {
	t.Helper()
	sizes, err := objects.ListObjects(t.Context(), "")
	must(t, err)
	var names []string
	for name := range sizes {
		names = append(names, name)
	}
	return names
}

// A file arrives in pieces at two servers that share a bucket, over a connection that breaks, and becomes
// a case with the same bytes.
func TestUploadInABucket(t *testing.T) {
	t.Parallel()
	objects := openBucket(t)
	w := newTestEnvOn(t, web.NewUploadObjects(objects))
	first, second := w.server, startServer(t, w.options)
	ada := w.person("ada", domain.RoleSubmitter)
	_, secret := w.token(ada)
	bearer := "Bearer " + secret
	content := make([]byte, 9<<20+123)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(content)
	copy(content, pdf)
	begun := w.begin(nil, "large.pdf", len(content), "Authorization", bearer)
	address := begun.header.Get("Location")
	if begun.status != http.StatusCreated {
		t.Fatalf("%d %s", begun.status, begun.body)
	}
	offset, rounds := 0, 0
	for ; offset < len(content); rounds++ {
		if rounds > 30 {
			t.Fatalf("only %d bytes arrived", offset)
		}
		w.server = first
		if rounds%2 == 1 {
			w.server = second
		}
		end := min(offset+3<<20+7, len(content))
		if rounds < 3 {
			w.cutPatch(address, bearer, content[offset:end], offset)
		} else if got := w.patch(nil, address, string(content[offset:end]), offset, "Authorization",
			bearer); got.status != http.StatusNoContent {
			t.Fatalf("patch: %d %s", got.status, got.body)
		}
		now, err := strconv.Atoi(w.head(nil, address, "Authorization", bearer).header.Get("Upload-Offset"))
		must(t, err)
		if now < offset {
			t.Fatalf("the offset decreased from %d to %d", offset, now)
		}
		offset = now
	}
	if rounds < 4 {
		t.Errorf("%d rounds", rounds)
	}
	submitted, err := w.service.SubmitDocument(w.ctx, ada, casework.SubmitDocument{UploadID: w.idOf(address)})
	must(t, err)
	opened, err := w.service.OpenBlob(w.ctx, ada,
		casework.OpenBlob{CaseID: submitted.CaseID, Kind: casework.BlobOriginal})
	must(t, err)
	defer func() { _ = opened.Content.Close() }()
	kept, want := sha256.New(), sha256.Sum256(content)
	if n, err := io.Copy(kept, opened.Content); err != nil || n != int64(len(content)) ||
		hex.EncodeToString(kept.Sum(nil)) != hex.EncodeToString(want[:]) {
		t.Errorf("stored %d bytes: %v", n, err)
	}
	if left := objectsOf(t, objects); len(left) != 0 {
		t.Errorf("the uploaded bytes were not deleted: %v", left)
	}
}

// cutPatch sends a part of the piece, breaks off, and waits until the server has ended the request. The
// offset that another server reads before is still right, but the next piece could conflict with it.
func (w *testEnv) cutPatch(address, bearer string, piece []byte, offset int) {
	w.t.Helper()
	ended := func() int { return strings.Count(w.log.String(), `"method":"PATCH"`) }
	before := ended()
	defer func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for ended() == before {
			select {
			case <-ticker.C:
			case <-w.ctx.Done():
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	body := io.MultiReader(strings.NewReader(string(piece[:len(piece)/2])), brokenPiece{})
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, w.server.URL+address, body)
	must(w.t, err)
	request.ContentLength = int64(len(piece))
	for name, value := range map[string]string{"Tus-Resumable": "1.0.0", "Authorization": bearer,
		"Upload-Offset": strconv.Itoa(offset), "Content-Type": "application/offset+octet-stream"} {
		request.Header.Set(name, value)
	}
	if response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request); err == nil {
		_ = response.Body.Close()
		w.t.Errorf("a piece that breaks off is answered with %d", response.StatusCode)
	}
}

type brokenPiece struct{}

func (brokenPiece) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// Attack: parts behind a gap, parts that others contain, and objects that are no uploads do not count, and
// forgotten uploads are swept.
func TestPartsInABucket(t *testing.T) {
	t.Parallel()
	objects := openBucket(t)
	w := newTestEnvOn(t, web.NewUploadObjects(objects))
	w.person("ada", domain.RoleSubmitter)
	client := w.signedIn("ada")
	address := w.begin(client, "a.pdf", 1000).header.Get("Location")
	id := w.idOf(address)
	offset := func() string { return w.head(client, address).header.Get("Upload-Offset") }
	put := func(name string, size int) {
		must(t, objects.PutObject(t.Context(), name, make([]byte, size)))
	}
	if got := offset(); got != "0" {
		t.Errorf("at the beginning: %s", got)
	}
	if got := w.patch(client, address, pdf, 0); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	have := strconv.Itoa(len(pdf))
	put(id.String()+"/000000000000500", 10)  // behind a gap
	put(id.String()+"/000000000000003", 900) // within the first part
	put("stranger", 5)
	put(domain.NewID().String()+"/000000000000000", 5) // without its info
	if got := offset(); got != have {
		t.Errorf("the offset is %s, want %s", got, have)
	}
	must(t, errorOf(w.uploads.Sweep(w.ctx, w.service, time.Hour)))
	if got := offset(); got != have || len(objectsOf(t, objects)) != 5 {
		t.Errorf("after the sweep: %s, %v", got, objectsOf(t, objects))
	}
	w.moveClock(2 * time.Hour)
	must(t, errorOf(w.uploads.Sweep(w.ctx, w.service, time.Hour)))
	if left := objectsOf(t, objects); len(left) != 1 || left[0] != "stranger" {
		t.Errorf("left: %v", left)
	}
	if got := w.head(client, address); got.status != http.StatusNotFound {
		t.Errorf("a swept upload: %d", got.status)
	}
}

func errorOf(_ int, err error) error { return err }

package s3_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"countersign/domain"
)

// A locked object is read as it was first written, also after another version was written over it or
// a delete marker hides it.
func TestLockedObjects(t *testing.T) {
	t.Parallel()
	settings := settingsOf(t, locked)
	settings.LockDays = 1
	bucket := open(t, settings)
	ctx := t.Context()
	const name = "2026-11-27/00000000000000000007.note"
	if _, err := bucket.ReadLocked(ctx, name); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("nothing is written yet: %v", err)
	}
	for _, content := range []string{"first", "forged"} {
		must(t, bucket.PutLocked(ctx, name, []byte(content)))
	}
	client, err := minio.New(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, "")})
	must(t, err)
	must(t, client.RemoveObject(ctx, settings.Bucket, settings.Prefix+name, minio.RemoveObjectOptions{}))
	content, err := bucket.ReadLocked(ctx, name)
	if err != nil || string(content) != "first" {
		t.Errorf("got %q, %v", content, err)
	}
	names, err := bucket.ListLocked(ctx, "")
	if err != nil || !slices.Contains(names, name) {
		t.Errorf("got %v, %v", names, err)
	}
}

package testcluster

import (
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"countersign/internal/devservices"
)

// Bucket is a bucket with versions on an S3 service of its own.
type Bucket struct {
	Service *devservices.S3
	Client  *minio.Client
	// Settings are those of the programs that use it.
	Settings []string
}

// bucketName is the name of the bucket.
const bucketName = "files"

// BucketPrefix begins the names of its objects.
const BucketPrefix = "first/"

// NewBucket starts the service and makes the bucket.
func NewBucket(tb testing.TB) *Bucket {
	tb.Helper()
	service, err := devservices.StartS3(tb.Context(), tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(service.Close)
	b := &Bucket{Service: service, Settings: []string{"COUNTERSIGN_S3_BUCKET=" + bucketName,
		"COUNTERSIGN_S3_ENDPOINT=" + service.Endpoint, "COUNTERSIGN_S3_PREFIX=" + BucketPrefix,
		"COUNTERSIGN_S3_ACCESS_KEY=" + service.AccessKey,
		"COUNTERSIGN_S3_SECRET_KEY=" + service.SecretKey}}
	b.Client, err = minio.New(strings.TrimPrefix(service.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(service.AccessKey, service.SecretKey, "")})
	if err == nil {
		err = b.Client.MakeBucket(tb.Context(), bucketName, minio.MakeBucketOptions{})
	}
	if err == nil {
		err = b.Client.EnableVersioning(tb.Context(), bucketName)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Last returns the name of the last blob.
func (b *Bucket) Last(tb testing.TB) (name string) {
	tb.Helper()
	for object := range b.Client.ListObjects(tb.Context(), bucketName, minio.ListObjectsOptions{
		Prefix: BucketPrefix + "blobs/", Recursive: true}) {
		name = object.Key
	}
	return name
}

// Overwrite puts other bytes at a name.
func (b *Bucket) Overwrite(tb testing.TB, name, content string) {
	tb.Helper()
	if _, err := b.Client.PutObject(tb.Context(), bucketName, name, strings.NewReader(content),
		int64(len(content)), minio.PutObjectOptions{}); err != nil {
		tb.Fatal(err)
	}
}

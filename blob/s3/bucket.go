package s3

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"countersign/domain"
)

// Settings say which bucket is used.
type Settings struct {
	Endpoint             string // https://s3.eu-central-1.amazonaws.com; http is not encrypted
	Region               string // empty = us-east-1
	Bucket               string
	Prefix               string // before the names of all objects, such as countersign/; may be empty
	AccessKey, SecretKey string
	// LockDays is for how many days object lock forbids to delete or change a blob (governance mode);
	// 0 = not at all.
	LockDays int
	TempDir  string // for large files before they are sent; empty = the system's
	Clock    domain.Clock
}

// Bucket is a bucket with its blobs and uploads. It is safe for concurrent use by many processes.
type Bucket struct {
	settings  Settings
	client    *minio.Client
	versioned bool
}

const (
	blobFolder   = "blobs/"
	uploadFolder = "uploads/"
	// maxRetries bounds the repetitions of a request that failed. Callers have deadlines and repeat their
	// own work.
	maxRetries = 4
)

// Open checks that the bucket can be used. It returns InvalidInput for settings that cannot be right, and
// Unavailable if the bucket does not answer.
func Open(ctx context.Context, settings Settings) (*Bucket, error) {
	endpoint, err := url.Parse(settings.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" {
		return nil, domain.Invalid("COUNTERSIGN_S3_ENDPOINT", "%.200q is not the address of an S3 service.",
			settings.Endpoint).WithRemedy("Enter it in the form https://s3.example.com.")
	}
	if settings.Prefix != "" && (!strings.HasSuffix(settings.Prefix, "/") ||
		strings.HasPrefix(settings.Prefix, "/")) {
		return nil, domain.Invalid("COUNTERSIGN_S3_PREFIX", "The prefix %.200q does not end with a slash.",
			settings.Prefix).WithRemedy("Enter it in the form countersign/.")
	}
	if settings.Region == "" {
		settings.Region = "us-east-1"
	}
	if settings.Clock == nil {
		settings.Clock = domain.SystemClock{}
	}
	client, err := minio.New(endpoint.Host, &minio.Options{Secure: endpoint.Scheme == "https",
		Creds:  credentials.NewStaticV4(settings.AccessKey, settings.SecretKey, ""),
		Region: settings.Region, MaxRetries: maxRetries})
	if err != nil {
		return nil, domain.Invalid("COUNTERSIGN_S3_ENDPOINT", "The S3 service cannot be used: %s.", err)
	}
	b := &Bucket{settings: settings, client: client}
	return b, b.check(ctx)
}

// check reads what the bucket offers.
func (b *Bucket) check(ctx context.Context) error {
	exists, err := b.client.BucketExists(ctx, b.settings.Bucket)
	if err != nil {
		return storageError("open the bucket", err)
	}
	if !exists {
		return domain.Invalid("COUNTERSIGN_S3_BUCKET", "The bucket %.100q does not exist.",
			b.settings.Bucket).WithRemedy("Create it, or correct the setting.")
	}
	versioning, err := b.client.GetBucketVersioning(ctx, b.settings.Bucket)
	if err == nil {
		b.versioned = versioning.Enabled()
	} else if code := minio.ToErrorResponse(err).Code; code != "NotImplemented" &&
		code != "AccessDenied" && code != "VersioningNotConfigured" {
		return storageError("read the versioning of the bucket", err)
	}
	if b.settings.LockDays == 0 {
		return nil
	}
	if enabled, _, _, _, err := b.client.GetObjectLockConfig(ctx, b.settings.Bucket); err != nil ||
		enabled != "Enabled" {
		return domain.Invalid("COUNTERSIGN_S3_LOCK_DAYS", "The bucket %.100q has no object lock.",
			b.settings.Bucket).WithRemedy("Use a bucket that was created with object lock, or set 0.").
			WithCause(err)
	}
	return nil
}

// Close does nothing: the client keeps no connection that has to be closed.
func (*Bucket) Close() error { return nil }

// retention is until when object lock protects a blob; the zero time = it does not.
func (b *Bucket) retention() time.Time {
	if b.settings.LockDays == 0 {
		return time.Time{}
	}
	return b.settings.Clock.Now().AddDate(0, 0, b.settings.LockDays).UTC()
}

func (b *Bucket) blobName(key string) string { return b.settings.Prefix + blobFolder + key }

// isMissing reports whether the error means that there is no such object.
func isMissing(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == minio.NoSuchKey || code == "NotFound" || code == "NoSuchVersion"
}

func storageError(doing string, err error) error {
	var known *domain.Error
	if errors.As(err, &known) {
		return err
	}
	return &domain.Error{Code: domain.Unavailable, Op: "s3: " + doing, Err: err,
		Message: "The document store is not available at the moment."}
}

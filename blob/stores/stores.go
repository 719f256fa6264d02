// Package stores opens the store of blobs that the settings choose, for the programs.
//
// What may enter: one branch per kind of store. What never happens here: reading or writing a file.
package stores

import (
	"context"
	"time"

	"countersign/blob"
	"countersign/blob/s3"
	"countersign/internal/config"
)

// Open opens the bucket, or the folder if no bucket is set.
func Open(ctx context.Context, settings config.Config) (blob.Store, error) {
	if settings.S3.Bucket == "" {
		folder, err := OpenFolder(settings)
		if err != nil {
			return nil, err
		}
		return folder, nil
	}
	bucket, err := OpenBucket(ctx, settings)
	if err != nil {
		return nil, err
	}
	return bucket, nil
}

// OpenFolder opens the folder of the settings.
func OpenFolder(settings config.Config) (*blob.Folder, error) {
	return blob.OpenFolder(settings.Storage.BlobDir)
}

// OpenBucket opens the bucket of the settings.
func OpenBucket(ctx context.Context, settings config.Config) (*s3.Bucket, error) {
	bucket := settings.S3
	return s3.Open(ctx, s3.Settings{Endpoint: bucket.Endpoint, Region: bucket.Region,
		Bucket: bucket.Bucket, Prefix: bucket.Prefix, AccessKey: bucket.AccessKey,
		SecretKey: bucket.SecretKey, LockDays: bucket.LockDays, TempDir: settings.Storage.TempDir})
}

// Aged finds files older than a grace period and removes those that the caller does not know.
type Aged interface {
	Next(ctx context.Context, most int) (keys []string, done bool, err error)
	Remove(ctx context.Context, key string) (bool, error)
}

// AgedIn returns a search for files of the store older than the grace period, or nil if the store cannot
// remove them safely.
func AgedIn(store blob.Store, grace time.Duration) Aged {
	switch store := store.(type) {
	case *blob.Folder:
		return store.Aged(grace)
	case *s3.Bucket:
		if aged := store.Aged(grace); aged != nil {
			return aged
		}
	}
	return nil
}

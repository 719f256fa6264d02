package s3

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"countersign/blob"
)

// Aged finds blobs older than the grace period and removes those that the caller does not know. It is
// safe for concurrent use.
type Aged struct {
	bucket *Bucket
	grace  time.Duration

	mu    sync.Mutex
	after string // name of the last object that was read in this pass
}

// Aged returns a search for blobs older than the grace period, or nil if the bucket has no versions: only
// with versions can an old object be removed without the risk that the same bytes, stored meanwhile, are
// removed instead.
func (b *Bucket) Aged(grace time.Duration) *Aged {
	if !b.versioned {
		return nil
	}
	return &Aged{bucket: b, grace: grace}
}

var errEnough = errors.New("enough names were read")

// Next returns keys of the next blobs of the pass after reading at most that many names; done ends the
// pass, and the next call begins another.
func (a *Aged) Next(ctx context.Context, most int) (keys []string, done bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	prefix := a.bucket.settings.Prefix + blobFolder
	until := a.until()
	left := most
	err = a.bucket.list(ctx, prefix, a.after, func(object minio.ObjectInfo) error {
		if left == 0 {
			return errEnough
		}
		left--
		a.after = object.Key
		key := strings.TrimPrefix(object.Key, prefix)
		if blob.CheckKey(key) == nil && object.LastModified.Before(until) {
			keys = append(keys, key)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return keys, false, nil
	}
	a.after = ""
	return keys, true, err
}

// until is the time after which a blob is recent. The clock of this machine may differ from that of the
// bucket by less than the grace period, which is an hour at least.
func (a *Aged) until() time.Time { return a.bucket.settings.Clock.Now().Add(-a.grace) }

// Remove deletes the blob unless it was written within the grace period; it returns false then. It removes
// the versions that it has seen, so the same bytes, stored meanwhile, stay.
func (a *Aged) Remove(ctx context.Context, key string) (bool, error) {
	if err := blob.CheckKey(key); err != nil {
		return false, err
	}
	versions, err := a.bucket.versionsNamed(ctx, a.bucket.blobName(key))
	if err != nil || len(versions) == 0 {
		return false, err
	}
	until := a.until()
	for i := range versions {
		if versions[i].LastModified.After(until) {
			return false, nil
		}
	}
	return true, a.bucket.removeVersions(ctx, key, versions)
}

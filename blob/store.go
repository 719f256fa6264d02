package blob

import (
	"context"
	"io"

	"countersign/domain"
)

// Store keeps blobs: Folder on a disk, or a bucket.
type Store interface {
	Put(ctx context.Context, caseID domain.ID, content io.Reader) (key string, sha256 []byte,
		size int64, err error)
	Open(ctx context.Context, key string) (content io.ReadCloser, size int64, err error)
	// Has reports whether the blob is there, without reading it.
	Has(ctx context.Context, key string) (bool, error)
	Verify(ctx context.Context, key string) (bool, error)
	Walk(ctx context.Context, visit func(BlobInfo) error) error
	Remove(ctx context.Context, key string) error
	Close() error
}

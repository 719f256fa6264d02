package s3

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"countersign/domain"
)

// Uploads are the objects with the parts of uploads, named by their callers.
type Uploads struct{ bucket *Bucket }

// Uploads returns the objects of uploads.
func (b *Bucket) Uploads() Uploads { return Uploads{b} }

func (u Uploads) name(name string) string { return u.bucket.settings.Prefix + uploadFolder + name }

// PutObject writes an object.
func (u Uploads) PutObject(ctx context.Context, name string, content []byte) error {
	_, err := u.bucket.client.PutObject(ctx, u.bucket.settings.Bucket, u.name(name),
		bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{SendContentMd5: true, DisableMultipart: true})
	if err != nil {
		return storageError("write a part", err)
	}
	return nil
}

// OpenObject opens an object; NotFound if there is none.
func (u Uploads) OpenObject(ctx context.Context, name string) (io.ReadCloser, error) {
	object, _, err := u.bucket.open(ctx, u.name(name))
	if isMissing(err) {
		return nil, domain.Errorf(domain.NotFound, "The part is missing.").WithCause(err)
	}
	if err != nil {
		return nil, storageError("open a part", err)
	}
	return object, nil
}

// ListObjects returns the sizes of the objects whose names begin with the prefix, by name.
func (u Uploads) ListObjects(ctx context.Context, prefix string) (map[string]int64, error) {
	sizes := map[string]int64{}
	err := u.bucket.list(ctx, u.name(prefix), "", func(object minio.ObjectInfo) error {
		sizes[strings.TrimPrefix(object.Key, u.name(""))] = object.Size
		return nil
	})
	return sizes, err
}

// RemoveObject deletes an object. It is no error if there is none.
func (u Uploads) RemoveObject(ctx context.Context, name string) error {
	err := u.bucket.client.RemoveObject(ctx, u.bucket.settings.Bucket, u.name(name),
		minio.RemoveObjectOptions{})
	if err != nil && !isMissing(err) {
		return storageError("remove a part", err)
	}
	return nil
}

package s3

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"countersign/domain"
)

// maxLocked is the largest object that ReadLocked reads.
const maxLocked = 1 << 20

// PutLocked writes an object below the prefix under object lock in compliance mode, so that no user
// can delete or replace this version before the end of LockDays.
func (b *Bucket) PutLocked(ctx context.Context, name string, content []byte) error {
	options := minio.PutObjectOptions{SendContentMd5: true, DisableMultipart: true}
	if until := b.retention(); !until.IsZero() {
		options.Mode, options.RetainUntilDate = minio.Compliance, until
	}
	_, err := b.client.PutObject(ctx, b.settings.Bucket, b.settings.Prefix+name,
		bytes.NewReader(content), int64(len(content)), options)
	if err != nil {
		return storageError("write a locked object", err)
	}
	return nil
}

// ReadLocked reads the oldest version of an object, because a later one may have been written to hide
// it. NotFound if there is none.
func (b *Bucket) ReadLocked(ctx context.Context, name string) ([]byte, error) {
	versions, err := b.versionsNamed(ctx, b.settings.Prefix+name)
	if err != nil {
		return nil, err
	}
	versions = slices.DeleteFunc(versions, func(v minio.ObjectInfo) bool { return v.IsDeleteMarker })
	if len(versions) == 0 {
		return nil, domain.Errorf(domain.NotFound, "The object %.200q does not exist.", name)
	}
	oldest := versions[0]
	for _, version := range versions[1:] {
		// Versions are listed from the newest on, and their times may be equal to the second.
		if !version.LastModified.After(oldest.LastModified) {
			oldest = version
		}
	}
	object, err := b.client.GetObject(ctx, b.settings.Bucket, b.settings.Prefix+name,
		minio.GetObjectOptions{VersionID: oldest.VersionID})
	if err != nil {
		return nil, storageError("read a locked object", err)
	}
	defer func() { _ = object.Close() }()
	content, err := io.ReadAll(io.LimitReader(object, maxLocked))
	if err != nil {
		return nil, storageError("read a locked object", err)
	}
	return content, nil
}

// ListLocked returns the names of all objects below the prefix, also of those that a delete marker
// hides.
func (b *Bucket) ListLocked(ctx context.Context, prefix string) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var names []string
	for object := range b.client.ListObjects(ctx, b.settings.Bucket, minio.ListObjectsOptions{
		Prefix: b.settings.Prefix + prefix, Recursive: true, WithVersions: true}) {
		if object.Err != nil {
			return nil, storageError("list locked objects", object.Err)
		}
		names = append(names, strings.TrimPrefix(object.Key, b.settings.Prefix))
	}
	slices.Sort(names)
	return slices.Compact(names), ctx.Err()
}

package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"

	"countersign/blob"
	"countersign/domain"
)

// largeFile is from which size a file is written to the disk before it is sent, because its key, which is
// its hash, must be known first.
const largeFile = 1 << 20

// Put stores the content and returns its key, SHA-256 and size in bytes. Storing the same bytes again
// renews the time of the object.
func (b *Bucket) Put(ctx context.Context, caseID domain.ID, content io.Reader) (key string, sum []byte,
	size int64, err error) {
	hash := sha256.New()
	content = io.TeeReader(content, hash)
	var body io.Reader
	var small bytes.Buffer
	size, err = small.ReadFrom(io.LimitReader(content, largeFile))
	if err != nil {
		return "", nil, 0, storageError("read the content", err)
	}
	body = &small
	if size == largeFile {
		spooled, more, err := b.spool(io.MultiReader(&small, content))
		if err != nil {
			return "", nil, 0, storageError("write the content to the disk", err)
		}
		defer func() { _ = spooled.Close() }()
		body, size = spooled, more
	}
	sum = hash.Sum(nil)
	key = caseID.String() + "/" + hex.EncodeToString(sum)
	options := minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true,
		DisableMultipart: true}
	if until := b.retention(); !until.IsZero() {
		options.Mode, options.RetainUntilDate = minio.Governance, until
	}
	if _, err = b.client.PutObject(ctx, b.settings.Bucket, b.blobName(key), body, size,
		options); err != nil {
		return "", nil, 0, storageError("write a blob", err)
	}
	return key, sum, size, nil
}

// spool writes content to a temporary file that disappears with its last descriptor.
func (b *Bucket) spool(content io.Reader) (*os.File, int64, error) {
	file, err := os.CreateTemp(b.settings.TempDir, "countersign-s3-*")
	if err != nil {
		return nil, 0, err
	}
	err = os.Remove(file.Name())
	var size int64
	if err == nil {
		size, err = io.Copy(file, content)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
	}
	return file, size, err
}

// Open opens a blob and returns its size. NotFound if there is none, InvalidInput for a malformed key.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	if err := blob.CheckKey(key); err != nil {
		return nil, 0, err
	}
	object, size, err := b.open(ctx, b.blobName(key))
	if isMissing(err) {
		return nil, 0, domain.Errorf(domain.NotFound, "The stored file is missing.").
			WithRemedy("Ask an operator to run `countersign doctor`.").WithCause(err)
	}
	if err != nil {
		return nil, 0, storageError("open a blob", err)
	}
	return object, size, nil
}

func (b *Bucket) open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	object, err := b.client.GetObject(ctx, b.settings.Bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return nil, 0, err
	}
	info, err := object.Stat()
	if err != nil {
		_ = object.Close()
		return nil, 0, err
	}
	return object, info.Size, nil
}

// Has reports whether the blob is there.
func (b *Bucket) Has(ctx context.Context, key string) (bool, error) {
	if err := blob.CheckKey(key); err != nil {
		return false, err
	}
	_, err := b.client.StatObject(ctx, b.settings.Bucket, b.blobName(key), minio.StatObjectOptions{})
	if isMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, storageError("look for a blob", err)
	}
	return true, nil
}

// Verify reads the whole blob and reports whether its content matches its key.
func (b *Bucket) Verify(ctx context.Context, key string) (bool, error) {
	content, _, err := b.Open(ctx, key)
	if err != nil {
		return false, err
	}
	defer func() { _ = content.Close() }()
	whole, err := blob.MatchesKey(content, key)
	if err != nil {
		return false, storageError("read a blob", err)
	}
	return whole, nil
}

// Walk calls visit for each blob in the order of the keys. An error of visit ends the walk.
func (b *Bucket) Walk(ctx context.Context, visit func(blob.BlobInfo) error) error {
	return b.list(ctx, b.settings.Prefix+blobFolder, "", func(object minio.ObjectInfo) error {
		key := strings.TrimPrefix(object.Key, b.settings.Prefix+blobFolder)
		if blob.CheckKey(key) != nil {
			return nil // not a blob
		}
		return visit(blob.BlobInfo{Key: key, Size: object.Size, Written: object.LastModified})
	})
}

// list visits the objects with the prefix after the name, until visit returns an error.
func (b *Bucket) list(ctx context.Context, prefix, after string,
	visit func(minio.ObjectInfo) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the goroutine of the list
	for object := range b.client.ListObjects(ctx, b.settings.Bucket, minio.ListObjectsOptions{
		Prefix: prefix, Recursive: true, StartAfter: after}) {
		if object.Err != nil {
			return storageError("list objects", object.Err)
		}
		if err := visit(object); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Remove deletes a blob with all its versions; only `doctor --repair` calls it. It is no error if there is
// none. A blob that object lock protects stays, with an error.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	if err := blob.CheckKey(key); err != nil {
		return err
	}
	if !b.versioned {
		err := b.client.RemoveObject(ctx, b.settings.Bucket, b.blobName(key), minio.RemoveObjectOptions{})
		if err != nil && !isMissing(err) {
			return storageError("remove a blob", err)
		}
		return nil
	}
	versions, err := b.versionsNamed(ctx, b.blobName(key))
	if err != nil {
		return err
	}
	return b.removeVersions(ctx, key, versions)
}

// versionsNamed lists the versions of an object and its delete markers.
func (b *Bucket) versionsNamed(ctx context.Context, name string) ([]minio.ObjectInfo, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var versions []minio.ObjectInfo
	for object := range b.client.ListObjects(ctx, b.settings.Bucket, minio.ListObjectsOptions{
		Prefix: name, WithVersions: true}) {
		if object.Err != nil {
			return nil, storageError("list versions", object.Err)
		}
		if object.Key == name {
			versions = append(versions, object)
		}
	}
	return versions, ctx.Err()
}

func (b *Bucket) removeVersions(ctx context.Context, key string, versions []minio.ObjectInfo) error {
	for i := range versions {
		err := b.client.RemoveObject(ctx, b.settings.Bucket, b.blobName(key),
			minio.RemoveObjectOptions{VersionID: versions[i].VersionID})
		if err != nil && !isMissing(err) {
			return storageError("remove a blob", err)
		}
	}
	return nil
}

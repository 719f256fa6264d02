package s3

import "context"

// RemoveListed removes the versions of a blob that are listed, and calls between before it does.
func (b *Bucket) RemoveListed(ctx context.Context, key string, between func()) error {
	versions, err := b.versionsNamed(ctx, b.blobName(key))
	if err != nil {
		return err
	}
	between()
	return b.removeVersions(ctx, key, versions)
}

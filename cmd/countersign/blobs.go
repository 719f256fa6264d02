package main

import (
	"context"
	"errors"
	"strings"

	"countersign/blob"
	"countersign/blob/stores"
	"countersign/domain"
)

// blobsCommands work on the stored files.
type blobsCommands struct {
	Move blobsMove `cmd:"" help:"Copy the stored files from the folder to the bucket of the settings, or back, and verify each copy."`
}

type blobsMove struct {
	To     string `arg:"" enum:"bucket,folder" help:"bucket or folder: where the files go."`
	Delete bool   `help:"Delete each file where it was, after its copy was verified."`
}

// moved counts what was done.
type moved struct {
	Copied  int   `json:"copied"`
	Present int   `json:"present"` // already there
	Bytes   int64 `json:"bytes"`   // of both
	Deleted int   `json:"deleted"`
	// Wrong are the keys of files whose content does not match their key. They are not copied.
	Wrong []string `json:"wrong"`
}

// Run copies the files. It can be repeated; files that are there already are verified and not copied.
func (m *blobsMove) Run(ctx context.Context, c *console) error {
	if c.settings.S3.Bucket == "" {
		return domain.Invalid("COUNTERSIGN_S3_BUCKET", "No bucket is set.").
			WithRemedy("Set COUNTERSIGN_S3_BUCKET and the other settings of S3.")
	}
	folder, err := stores.OpenFolder(c.settings)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	bucket, err := stores.OpenBucket(ctx, c.settings)
	if err != nil {
		return err
	}
	var from, to blob.Store = folder, bucket
	if m.To == "folder" {
		from, to = bucket, folder
	}
	done := moved{Wrong: []string{}}
	err = from.Walk(ctx, func(info blob.BlobInfo) error { return m.move(ctx, &done, from, to, info) })
	if err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(done); err != nil {
			return err
		}
	} else {
		c.printLine("%d files copied, %d were there, %d bytes, %d deleted", done.Copied, done.Present,
			done.Bytes, done.Deleted)
		for _, key := range done.Wrong {
			c.printLine("wrong  %s", key)
		}
	}
	if len(done.Wrong) > 0 {
		return domain.Errorf(domain.StateMismatch, "%s not match their keys and were not copied.",
			countText(int64(len(done.Wrong)), "file")+" do").
			WithRemedy("Restore them from a backup, then repeat the command.")
	}
	return nil
}

// move copies one file and verifies the copy by reading it.
func (m *blobsMove) move(ctx context.Context, done *moved, from, to blob.Store, info blob.BlobInfo) error {
	whole, err := to.Verify(ctx, info.Key)
	switch {
	case domain.HasCode(err, domain.InvalidInput):
		return nil // a file that is not a blob
	case err != nil && !domain.HasCode(err, domain.NotFound):
		return err
	case whole:
		done.Present++
	default:
		if whole, err = copyBlob(ctx, from, to, info.Key); err != nil {
			return err
		}
		if !whole {
			done.Wrong = append(done.Wrong, info.Key)
			return nil
		}
		done.Copied++
	}
	done.Bytes += info.Size
	if !m.Delete {
		return nil
	}
	if err := from.Remove(ctx, info.Key); err != nil {
		return err
	}
	done.Deleted++
	return nil
}

// copyBlob copies a file; false if its content does not match its key.
func copyBlob(ctx context.Context, from, to blob.Store, key string) (bool, error) {
	if whole, err := from.Verify(ctx, key); err != nil || !whole {
		return false, err
	}
	content, _, err := from.Open(ctx, key)
	if err != nil {
		return false, err
	}
	defer func() { _ = content.Close() }()
	owner, _, _ := strings.Cut(key, "/")
	id, err := domain.ParseID(owner)
	if err != nil {
		return false, err
	}
	if _, _, _, err := to.Put(ctx, id, content); err != nil {
		return false, err
	}
	whole, err := to.Verify(ctx, key)
	if err == nil && !whole {
		err = errors.New("the copy of " + key + " has other bytes")
	}
	return whole, err
}

package checkpoint

import (
	"context"
	"slices"
	"strings"

	"countersign/audit"
)

// Objects is a bucket whose object lock protects what is written. s3.Bucket implements it.
type Objects interface {
	// PutLocked writes an object that cannot be replaced or deleted while the lock lasts.
	PutLocked(ctx context.Context, name string, content []byte) error
	// ReadLocked reads the first version of an object, because later versions may be forged.
	ReadLocked(ctx context.Context, name string) ([]byte, error)
	// ListLocked returns the names of all objects with the prefix, in order, also of those that a
	// deletion hides.
	ListLocked(ctx context.Context, prefix string) ([]string, error)
}

// Bucket keeps each checkpoint in an object, with the names of Folder.
type Bucket struct {
	objects Objects
	// newest is the checkpoint that was kept last, so that not every one lists the bucket.
	newest []byte
}

// NewBucket returns a place in the bucket.
func NewBucket(objects Objects) *Bucket { return &Bucket{objects: objects} }

// Name implements Place.
func (*Bucket) Name() string { return "bucket" }

// Keep implements Place.
func (b *Bucket) Keep(ctx context.Context, given audit.Checkpoint, note []byte, prove Prove) (string,
	error) {
	if err := b.readNewest(ctx); err != nil {
		return "", err
	}
	if b.newest != nil {
		kept, err := audit.ParseNote(b.newest)
		if err != nil {
			return "", damaged("the bucket", err)
		}
		if has, err := continues(ctx, "the bucket", kept, given, prove); has || err != nil {
			return "", err
		}
	}
	if err := b.objects.PutLocked(ctx, noteName(given), note); err != nil {
		return "", err
	}
	b.newest = note
	return "", nil
}

func (b *Bucket) readNewest(ctx context.Context) error {
	if b.newest != nil {
		return nil
	}
	names, err := b.names(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	b.newest, err = b.objects.ReadLocked(ctx, names[len(names)-1])
	return err
}

func (b *Bucket) names(ctx context.Context) ([]string, error) {
	names, err := b.objects.ListLocked(ctx, "")
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(name, noteSuffix) || !strings.Contains(name, "/")
	})
	slices.Sort(names)
	return names, err
}

// Notes implements Place, as Folder does.
func (b *Bucket) Notes(ctx context.Context) ([]audit.ExternalNote, error) {
	names, err := b.names(ctx)
	if err != nil {
		return nil, err
	}
	var notes []audit.ExternalNote
	for _, name := range proving(names) {
		note, err := b.objects.ReadLocked(ctx, name)
		if err != nil {
			return nil, err
		}
		notes = append(notes, audit.ExternalNote{Place: "the bucket (" + name + ")", Note: note})
	}
	return notes, nil
}

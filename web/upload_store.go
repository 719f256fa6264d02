package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	tus "github.com/tus/tusd/v2/pkg/handler"

	"countersign/domain"
)

// UploadRegistry knows which uploads are pending. casework.Service implements it.
type UploadRegistry interface {
	DeleteOldUploads(ctx context.Context, age time.Duration) (int64, error)
	PendingUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error)
}

// UploadStore stores the bytes of uploads until a case uses them. It implements the service layer's port
// Uploads.
type UploadStore struct {
	store interface {
		tus.DataStore
		tus.TerminaterDataStore
	}
	// ids returns the uploads of which anything is stored, drop deletes all of one.
	ids  func(ctx context.Context) ([]domain.ID, error)
	drop func(ctx context.Context, id domain.ID) error
}

// Open opens the bytes received so far and returns their number. It returns NotFound if there are
// none.
func (f *UploadStore) Open(ctx context.Context, id domain.ID) (io.ReadCloser, int64, error) {
	upload, err := f.store.GetUpload(ctx, id.String())
	if err != nil {
		return nil, 0, f.storageError(err)
	}
	info, err := upload.GetInfo(ctx)
	if err != nil {
		return nil, 0, f.storageError(err)
	}
	content, err := upload.GetReader(ctx)
	if err != nil {
		return nil, 0, f.storageError(err)
	}
	return content, info.Offset, nil
}

func (f *UploadStore) storageError(err error) error {
	if errors.Is(err, tus.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return domain.Errorf(domain.NotFound, "Upload not found.").
			WithRemedy("Upload the file again.").WithCause(err)
	}
	return domain.Errorf(domain.Unavailable, "The uploaded file is temporarily unavailable.").
		WithRemedy("Try again in a minute.").WithCause(err)
}

// Remove deletes the bytes; it is no error if there are none.
func (f *UploadStore) Remove(ctx context.Context, id domain.ID) error {
	upload, err := f.store.GetUpload(ctx, id.String())
	if errors.Is(err, tus.ErrNotFound) {
		return f.drop(ctx, id)
	}
	if err != nil {
		return f.storageError(err)
	}
	return f.store.AsTerminatableUpload(upload).Terminate(ctx)
}

// Sweep expires pending uploads that were not continued within the age, and deletes the bytes of
// all uploads that are not pending. It returns the number of deleted uploads.
func (f *UploadStore) Sweep(ctx context.Context, memory UploadRegistry, age time.Duration) (
	int, error) {
	if _, err := memory.DeleteOldUploads(ctx, age); err != nil {
		return 0, err
	}
	ids, err := f.ids(ctx)
	if err != nil {
		return 0, f.storageError(err)
	}
	known := map[domain.ID]bool{}
	for _, id := range ids {
		known[id] = true
	}
	open, err := memory.PendingUploads(ctx, ids)
	if err != nil {
		return 0, err
	}
	for _, id := range open {
		delete(known, id)
	}
	for id := range known {
		if err := f.Remove(ctx, id); err != nil {
			return 0, err
		}
	}
	return len(known), nil
}

// Run sweeps at the interval until the context ends.
func (f *UploadStore) Run(ctx context.Context, memory UploadRegistry, age, every time.Duration,
	log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		removed, err := f.Sweep(ctx, memory, age)
		switch {
		case err != nil && ctx.Err() == nil:
			log.WarnContext(ctx, "sweeping uploads failed", "error", err)
		case removed > 0:
			log.InfoContext(ctx, "uploads swept", "removed", removed)
		}
	}
}

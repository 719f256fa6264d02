package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	tus "github.com/tus/tusd/v2/pkg/handler"

	"countersign/domain"
)

// UploadRegistry knows which uploads are still waited for; casework.Service is one.
type UploadRegistry interface {
	DeleteOldUploads(ctx context.Context, age time.Duration) (int64, error)
	PendingUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error)
}

// Open gives the bytes that have come so far, and how many; NotFound when there are none.
func (f *UploadFolder) Open(ctx context.Context, id domain.ID) (io.ReadCloser, int64, error) {
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

func (f *UploadFolder) storageError(err error) error {
	if errors.Is(err, tus.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return domain.Errorf(domain.NotFound, "There is no such upload.").WithRemedy("Send the file again.").WithCause(err)
	}
	return domain.Errorf(domain.Unavailable, "The uploaded file cannot be read at the moment.").WithRemedy("Try again in a minute.").WithCause(err)
}

// Remove forgets the bytes; there being none is no error.
func (f *UploadFolder) Remove(ctx context.Context, id domain.ID) error {
	upload, err := f.store.GetUpload(ctx, id.String())
	if errors.Is(err, tus.ErrNotFound) {
		return f.sweepOne(id)
	}
	if err != nil {
		return f.storageError(err)
	}
	return f.store.AsTerminatableUpload(upload).Terminate(ctx)
}

// sweepOne removes whatever a broken upload has left.
func (f *UploadFolder) sweepOne(id domain.ID) error {
	for _, ending := range []string{"", ".info"} {
		if err := os.Remove(f.path + string(os.PathSeparator) + id.String() + ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Sweep forgets uploads that nobody came back to within the age and removes the bytes of all that are not waited for.
// It returns how many it removed.
func (f *UploadFolder) Sweep(ctx context.Context, memory UploadRegistry, age time.Duration) (int, error) {
	if _, err := memory.DeleteOldUploads(ctx, age); err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return 0, f.storageError(err)
	}
	known := map[domain.ID]bool{}
	var ids []domain.ID
	for _, entry := range entries {
		id, err := domain.ParseID(strings.TrimSuffix(entry.Name(), ".info"))
		if err == nil && !known[id] {
			known[id], ids = true, append(ids, id)
		}
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

// Run sweeps from time to time until the context ends.
func (f *UploadFolder) Run(ctx context.Context, memory UploadRegistry, age, every time.Duration, log *slog.Logger) {
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
			log.WarnContext(ctx, "uploads not swept", "error", err)
		case removed > 0:
			log.InfoContext(ctx, "uploads swept", "removed", removed)
		}
	}
}

package web

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tus/tusd/v2/pkg/filestore"

	"countersign/domain"
)

// OpenUploadFolder returns a store of uploads in a folder, which it creates if it is missing, readable only
// by its owner. Several servers must share the folder.
func OpenUploadFolder(path string) (*UploadStore, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, domain.Errorf(domain.Unavailable, "The upload folder cannot be created.").
			WithCause(err)
	}
	store := filestore.New(path)
	store.DirModePerm, store.FileModePerm = 0o700, 0o600
	folder := uploadFolder(path)
	return &UploadStore{store: store, ids: folder.ids, drop: folder.drop}, nil
}

// uploadFolder is the path of a folder of uploads.
type uploadFolder string

func (f uploadFolder) ids(context.Context) ([]domain.ID, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	known := map[domain.ID]bool{}
	var ids []domain.ID
	for _, entry := range entries {
		id, err := domain.ParseID(strings.TrimSuffix(entry.Name(), ".info"))
		if err == nil && !known[id] {
			known[id], ids = true, append(ids, id)
		}
	}
	return ids, nil
}

func (f uploadFolder) drop(_ context.Context, id domain.ID) error {
	for _, ending := range []string{"", ".info"} {
		if err := os.Remove(filepath.Join(string(f), id.String()+ending)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

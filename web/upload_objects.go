package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	tus "github.com/tus/tusd/v2/pkg/handler"

	"countersign/domain"
)

// Objects keep the parts of uploads where every server finds them.
type Objects interface {
	PutObject(ctx context.Context, name string, content []byte) error
	// OpenObject returns NotFound if there is no such object.
	OpenObject(ctx context.Context, name string) (io.ReadCloser, error)
	// ListObjects returns the sizes of the objects whose names begin with the prefix.
	ListObjects(ctx context.Context, prefix string) (map[string]int64, error)
	RemoveObject(ctx context.Context, name string) error
}

const (
	// partSize is the largest part, which is kept in memory while it is received.
	partSize = 4 << 20
	infoName = "info"
)

// NewUploadObjects returns a store of uploads whose parts are objects: ID/info, and ID/OFFSET for the bytes
// that begin at the offset.
func NewUploadObjects(objects Objects) *UploadStore {
	store := objectStore{objects}
	return &UploadStore{store: store, ids: store.ids, drop: store.drop}
}

// objectStore implements the interfaces of the tus library.
type objectStore struct{ objects Objects }

// NewUpload implements tus.DataStore.
func (s objectStore) NewUpload(ctx context.Context, info tus.FileInfo) (tus.Upload, error) {
	text, err := json.Marshal(info)
	if err == nil {
		err = s.objects.PutObject(ctx, info.ID+"/"+infoName, text)
	}
	return &objectUpload{store: s, info: info}, err
}

// GetUpload implements tus.DataStore.
func (s objectStore) GetUpload(ctx context.Context, id string) (tus.Upload, error) {
	if _, err := domain.ParseID(id); err != nil {
		return nil, tus.ErrNotFound
	}
	content, err := s.objects.OpenObject(ctx, id+"/"+infoName)
	if domain.HasCode(err, domain.NotFound) {
		return nil, tus.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }()
	u := &objectUpload{store: s}
	if err := json.NewDecoder(content).Decode(&u.info); err != nil {
		return nil, err
	}
	u.info.Offset = 0
	return u, u.findParts(ctx)
}

// AsTerminatableUpload implements tus.TerminaterDataStore.
func (objectStore) AsTerminatableUpload(upload tus.Upload) tus.TerminatableUpload {
	return upload.(*objectUpload)
}

// ids returns the ids of all uploads.
func (s objectStore) ids(ctx context.Context) (ids []domain.ID, err error) {
	sizes, err := s.objects.ListObjects(ctx, "")
	known := map[domain.ID]bool{}
	for name := range sizes {
		text, _, _ := strings.Cut(name, "/")
		if id, err := domain.ParseID(text); err == nil && !known[id] {
			known[id], ids = true, append(ids, id)
		}
	}
	return ids, err
}

// drop deletes all objects of an upload, the info last, so that a part is never without it.
func (s objectStore) drop(ctx context.Context, id domain.ID) error {
	sizes, err := s.objects.ListObjects(ctx, id.String()+"/")
	if err != nil {
		return err
	}
	for name := range sizes {
		if !strings.HasSuffix(name, "/"+infoName) {
			if err := s.objects.RemoveObject(ctx, name); err != nil {
				return err
			}
		}
	}
	return s.objects.RemoveObject(ctx, id.String()+"/"+infoName)
}

// objectUpload is one upload.
type objectUpload struct {
	store objectStore
	info  tus.FileInfo // Offset is the end of the parts
	parts []string     // names, in the order of the file
}

// findParts finds the parts that follow each other from the beginning. A part that another one contains, or
// that is behind a gap, does not count.
func (u *objectUpload) findParts(ctx context.Context) error {
	sizes, err := u.store.objects.ListObjects(ctx, u.info.ID+"/")
	if err != nil {
		return err
	}
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		if !strings.HasSuffix(name, "/"+infoName) {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the offsets have the same number of digits
	for _, name := range names {
		if name == partName(u.info.ID, u.info.Offset) {
			u.parts = append(u.parts, name)
			u.info.Offset += sizes[name]
		}
	}
	return nil
}

func partName(id string, offset int64) string { return fmt.Sprintf("%s/%015d", id, offset) }

// GetInfo implements tus.Upload.
func (u *objectUpload) GetInfo(context.Context) (tus.FileInfo, error) { return u.info, nil }

// WriteChunk implements tus.Upload. What arrived before an error is stored.
func (u *objectUpload) WriteChunk(ctx context.Context, offset int64, src io.Reader) (int64, error) {
	var written int64
	for {
		var part bytes.Buffer
		n, err := part.ReadFrom(io.LimitReader(src, partSize))
		if n > 0 {
			if stored := u.store.objects.PutObject(ctx, partName(u.info.ID, offset+written),
				part.Bytes()); stored != nil {
				return written, stored
			}
			written += n
			u.info.Offset = offset + written
		}
		if err != nil || n < partSize {
			return written, err
		}
	}
}

// GetReader implements tus.Upload.
func (u *objectUpload) GetReader(ctx context.Context) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &partsReader{ctx: ctx, objects: u.store.objects, rest: u.parts}, nil
}

// FinishUpload implements tus.Upload.
func (*objectUpload) FinishUpload(context.Context) error { return nil }

// Terminate implements tus.TerminatableUpload.
func (u *objectUpload) Terminate(ctx context.Context) error {
	id, err := domain.ParseID(u.info.ID)
	if err != nil {
		return err
	}
	return u.store.drop(ctx, id)
}

// partsReader reads one part after the other.
type partsReader struct {
	ctx     context.Context //nolint:containedctx // of the request that reads
	objects Objects
	rest    []string
	open    io.ReadCloser
}

// Read implements io.Reader.
func (r *partsReader) Read(p []byte) (int, error) {
	for {
		if r.open == nil {
			if len(r.rest) == 0 {
				return 0, io.EOF
			}
			part, err := r.objects.OpenObject(r.ctx, r.rest[0])
			if err != nil {
				return 0, err
			}
			r.open, r.rest = part, r.rest[1:]
		}
		n, err := r.open.Read(p)
		if errors.Is(err, io.EOF) {
			_ = r.open.Close()
			r.open, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Close implements io.Closer.
func (r *partsReader) Close() error {
	if r.open == nil {
		return nil
	}
	return r.open.Close()
}

package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"countersign/domain"
)

// File is a received file. It is stored in a private folder until the operation ends, and was
// counted and hashed while it arrived. It is the GraphQL scalar Upload.
type File struct {
	Name   string // from the client; never used as a path
	Size   int64
	SHA256 []byte
	path   string
}

// Open opens the content; it can be called repeatedly.
func (f File) Open() (io.ReadCloser, error) {
	if f.path == "" {
		return nil, errors.New("no file was sent")
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("open the received file: %w", err)
	}
	return file, nil
}

// UnmarshalGQL accepts the file that the multipart transport set as the variable's value.
func (f *File) UnmarshalGQL(value any) error {
	file, ok := value.(File)
	if !ok {
		return domain.Invalid("file", "Send files as multipart/form-data.")
	}
	*f = file
	return nil
}

// MarshalGQL writes the name; files are inputs only.
func (f File) MarshalGQL(w io.Writer) { _, _ = fmt.Fprintf(w, "%q", f.Name) }

// storeFile streams a file into the folder, counting and hashing. Beyond limit bytes it returns
// FileTooLarge.
func storeFile(folder, name string, number int, content io.Reader, limit int64) (File, error) {
	file := File{Name: name, path: filepath.Join(folder, fmt.Sprintf("file-%d", number))}
	target, err := os.OpenFile(file.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return File{}, diskFullError(err)
	}
	hash := sha256.New()
	written, err := io.Copy(&diskAndHash{target, hash}, io.LimitReader(content, limit+1))
	closeErr := target.Close()
	var full *sinkError
	switch {
	case errors.As(err, &full):
		return File{}, diskFullError(err)
	case err != nil:
		return File{}, incompleteBodyError(err)
	case closeErr != nil:
		return File{}, diskFullError(closeErr)
	case written > limit:
		return File{}, domain.Errorf(domain.FileTooLarge, "The file is larger than %s.",
			bytesText(limit)).
			WithRemedy("Upload a smaller file, for example scanned at 300 dpi.").
			WithDetail("limit", fmt.Sprint(limit))
	}
	file.Size, file.SHA256 = written, hash.Sum(nil)
	return file, nil
}

// diskAndHash writes to disk and hash, and distinguishes errors of the disk from those of the
// client.
type diskAndHash struct {
	disk io.Writer
	hash io.Writer
}

type sinkError struct{ err error }

func (e *sinkError) Error() string { return e.err.Error() }
func (e *sinkError) Unwrap() error { return e.err }

// Write writes to both.
func (s *diskAndHash) Write(p []byte) (int, error) {
	n, err := s.disk.Write(p)
	if err != nil {
		return n, &sinkError{err}
	}
	return s.hash.Write(p)
}

func diskFullError(err error) error {
	return domain.Errorf(domain.Unavailable, "The file could not be saved.").
		WithRemedy("Try again in a minute.").WithCause(err)
}

func bytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"slices"

	"countersign/archivecopy"
	"countersign/domain"
)

// maxConcurrentCopies bounds the processor time of archive copies that are made concurrently.
const maxConcurrentCopies = 2

// archiveCopy is the archive copy of one revision of a document. It is made twice: to learn its size
// and hash, so that a page image that is not the recorded one is found before the first byte is sent,
// and again while it is sent. So it needs neither memory for more than one page nor a file.
type archiveCopy struct {
	svc      *Service
	info     archivecopy.Info
	document domain.Document
	pages    []domain.Page // without words
	size     int64
	sum      []byte
}

// openArchiveCopy opens the archive copy of a document. The caller has checked the rights.
func (svc *Service) openArchiveCopy(ctx context.Context, in OpenBlob) (OpenedBlob, error) {
	c, err := svc.locateArchiveCopy(ctx, in)
	if err != nil {
		return OpenedBlob{}, err
	}
	select {
	case svc.copySlots <- struct{}{}:
		defer func() { <-svc.copySlots }()
	case <-ctx.Done():
		return OpenedBlob{}, context.Cause(ctx)
	}
	measured := &sumWriter{sum: sha256.New()}
	if err := c.write(ctx, measured); err != nil {
		return OpenedBlob{}, err
	}
	c.size, c.sum = measured.size, measured.sum.Sum(nil)
	return OpenedBlob{Content: c.open(ctx), Size: c.size, MediaType: "application/pdf",
		FileName: fmt.Sprintf("%s-revision-%d.pdf", c.info.Title, c.document.Revision),
		SHA256:   hex.EncodeToString(c.sum)}, nil
}

// locateArchiveCopy finds the pages of the document. It returns an error if their images are not those
// of the newest reading that the log of the case records, or of any for an earlier revision.
func (svc *Service) locateArchiveCopy(ctx context.Context, in OpenBlob) (*archiveCopy, error) {
	r := svc.db.Reader()
	c, err := r.Case(ctx, in.CaseID)
	if err != nil {
		return nil, err
	}
	documents, err := r.Documents(ctx, in.CaseID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(documents,
		func(d domain.Document) bool { return in.Revision == 0 || d.Revision == in.Revision })
	if at < 0 || !c.ErasedAt.IsZero() {
		return nil, domain.Errorf(domain.NotFound, "There is no such file.")
	}
	found := &archiveCopy{svc: svc, document: documents[at], info: archivecopy.Info{Title: c.Reference,
		Source: hex.EncodeToString(documents[at].SHA256)}}
	if found.document.ReadAt.IsZero() {
		return nil, domain.Errorf(domain.StateMismatch, "The document has not been read yet.").
			WithRemedy("Try again when its pages are shown, or download the original.")
	}
	if found.pages, err = r.PagesWithoutWords(ctx, in.CaseID, found.document.Revision); err != nil {
		return nil, err
	}
	images := imageHashes(found.pages)
	if len(images) == 0 || len(images) != len(found.pages) {
		return nil, domain.Errorf(domain.StateMismatch, "The document has no page images.").
			WithRemedy("Download the original.")
	}
	recorded, err := r.PageImages(ctx, in.CaseID)
	if err != nil {
		return nil, err
	}
	switch {
	case len(recorded) == 0:
		return nil, domain.Errorf(domain.StateMismatch,
			"The document was read by an earlier version, which did not record the hashes of page images.").
			WithRemedy("Download the original.")
	case at == 0:
		recorded = recorded[:1]
	}
	if !slices.ContainsFunc(recorded, func(hashes []string) bool { return slices.Equal(hashes, images) }) {
		svc.log.ErrorContext(ctx, "page images differ from the log", "case", in.CaseID, "revision",
			found.document.Revision)
		return nil, alteredImage("The page images of %s are not those that the log of the case records.",
			c.Reference)
	}
	return found, nil
}

func alteredImage(format string, values ...any) *domain.Error {
	return domain.Errorf(domain.DamagedFile, format, values...).
		WithRemedy("Download the original, and ask an administrator to restore the files from a backup.")
}

// write writes the copy, one page after the other.
func (c *archiveCopy) write(ctx context.Context, to io.Writer) error {
	w, err := archivecopy.NewWriter(to, c.info)
	if err != nil {
		return err
	}
	for i := range c.pages {
		if err := c.writePage(ctx, w, &c.pages[i]); err != nil {
			return err
		}
	}
	return w.Close()
}

func (c *archiveCopy) writePage(ctx context.Context, w *archivecopy.Writer, head *domain.Page) error {
	page, err := c.svc.db.Reader().Page(ctx, head.CaseID, head.Revision, head.Number)
	if err != nil {
		return err
	}
	content, _, err := c.svc.ports.Blobs.Open(ctx, head.RasterKey)
	if domain.HasCode(err, domain.NotFound) {
		return alteredImage("The stored image of page %d is missing.", head.Number).WithCause(err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	image := &checkedReader{from: content, sum: sha256.New(), want: path.Base(head.RasterKey)}
	err = w.AddPage(archivecopy.Page{Image: image, Width: head.Width, Height: head.Height, DPI: head.DPI,
		Words: page.Words})
	var refused *archivecopy.ImageError
	if errors.As(err, &refused) {
		// Bytes that are not the recorded ones are the cause of an unknown form too.
		if _, readErr := io.Copy(io.Discard, image); readErr != nil {
			err = readErr
		}
	}
	if errors.Is(err, errOtherBytes) {
		c.svc.log.ErrorContext(ctx, "a stored page image was altered", "case", head.CaseID, "page", head.Number,
			"key", head.RasterKey)
		return alteredImage("The stored image of page %d is not the one that was read.", head.Number).
			WithCause(err)
	}
	if errors.As(err, &refused) {
		return domain.Errorf(domain.UnsupportedFile, "The image of page %d cannot be copied into a PDF.",
			head.Number).WithRemedy("Download the original.").WithCause(err)
	}
	return err
}

// open returns the copy as a stream that is made while it is read.
func (c *archiveCopy) open(ctx context.Context) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	return &copyStream{begin: func() (*io.PipeReader, <-chan struct{}) {
		out, in := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			to := &expectedWriter{to: in, sum: sha256.New(), left: c.size, want: c.sum}
			err := c.write(ctx, to)
			if err == nil && to.left > 0 {
				err = errOtherBytes
			}
			_ = in.CloseWithError(err) // never fails
		}()
		return out, done
	}, cancel: cancel}
}

// copyStream starts to make a copy at the first read, because a request for the header reads nothing.
type copyStream struct {
	begin  func() (*io.PipeReader, <-chan struct{})
	cancel context.CancelFunc
	out    *io.PipeReader
	done   <-chan struct{}
}

// Read reads bytes of the copy.
func (s *copyStream) Read(p []byte) (int, error) {
	if s.out == nil {
		s.out, s.done = s.begin()
	}
	return s.out.Read(p)
}

// Close stops making the copy.
func (s *copyStream) Close() error {
	s.cancel()
	if s.out == nil {
		return nil
	}
	err := s.out.Close()
	<-s.done
	return err
}

// sumWriter counts and hashes what is written.
type sumWriter struct {
	sum  hash.Hash
	size int64
}

// Write adds bytes.
func (s *sumWriter) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	return s.sum.Write(p)
}

// errOtherBytes is returned for content that is not the expected one.
var errOtherBytes = errors.New("casework: the content has another hash")

// checkedReader returns errOtherBytes in place of the end of content with another hash.
type checkedReader struct {
	from io.Reader
	sum  hash.Hash
	want string // hexadecimal
}

// Read reads and hashes bytes.
func (r *checkedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	_, _ = r.sum.Write(p[:n])
	if errors.Is(err, io.EOF) && hex.EncodeToString(r.sum.Sum(nil)) != r.want {
		err = errOtherBytes
	}
	return n, err
}

// expectedWriter passes on bytes of a known size and hash. It keeps back the last ones if the hash is
// another, so that the receiver has an incomplete file.
type expectedWriter struct {
	to   io.Writer
	sum  hash.Hash
	left int64
	want []byte
}

// Write passes on bytes.
func (w *expectedWriter) Write(p []byte) (int, error) {
	w.left -= int64(len(p))
	_, _ = w.sum.Write(p)
	if w.left < 0 || w.left == 0 && !slices.Equal(w.sum.Sum(nil), w.want) {
		return 0, errOtherBytes
	}
	return w.to.Write(p)
}

package casework

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/store"
)

// signatures are the first bytes of the files that can be read; what a file is called does not matter.
var signatures = []struct {
	prefix    string
	mediaType string
}{
	{"%PDF-", "application/pdf"}, {"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"},
	{"II*\x00", "image/tiff"}, {"MM\x00*", "image/tiff"}, {"II+\x00", "image/tiff"}, {"MM\x00+", "image/tiff"},
}

// MediaTypes returns what documents can be, in the order in which they are offered.
func MediaTypes() []string {
	types := make([]string, 0, len(signatures)+1)
	for _, signature := range signatures {
		if !slices.Contains(types, signature.mediaType) {
			types = append(types, signature.mediaType)
		}
	}
	return append(types, invoiceXML)
}

// invoiceXML is the media type of an e-invoice that comes as a file of its own.
const invoiceXML = "application/xml"

// checkFile judges an upload by its size and first bytes. Errors: EmptyFile, FileTooLarge, UnsupportedFile.
func (h *Hall) checkFile(file Upload) (string, error) {
	if err := h.checkSize(file.Size); err != nil {
		return "", err
	}
	content, err := file.Open()
	if err != nil {
		return "", fmt.Errorf("casework: open upload: %w", err)
	}
	defer func() { _ = content.Close() }()
	head := make([]byte, domain.HeadBytes)
	n, err := io.ReadFull(content, head)
	if err != nil && n == 0 {
		return "", fmt.Errorf("casework: read upload: %w", err)
	}
	return sniff(head[:n])
}

// checkSize judges the size of a file. Errors: EmptyFile, FileTooLarge.
func (h *Hall) checkSize(size int64) error {
	switch {
	case size <= 0:
		return domain.Fail(domain.EmptyFile, "The file is empty.").WithWayOut("Choose the file again; it may not have been saved yet.")
	case size > h.settings.MaxUploadBytes:
		return domain.Fail(domain.FileTooLarge, "The file is larger than %d MB.", h.settings.MaxUploadBytes>>20).
			WithWayOut("Send a smaller file, for example scanned at 300 dpi.").WithDetail("limit", strconv.FormatInt(h.settings.MaxUploadBytes, 10))
	}
	return nil
}

func sniff(head []byte) (string, error) {
	for _, signature := range signatures {
		if bytes.HasPrefix(head, []byte(signature.prefix)) {
			return signature.mediaType, nil
		}
	}
	// PDF readers accept some bytes before the header; so do we, within the first KiB.
	if at := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-")); at >= 0 {
		return "application/pdf", nil
	}
	if isInvoiceXML(head) {
		return invoiceXML, nil
	}
	return "", domain.Fail(domain.UnsupportedFile, "This kind of file cannot be read.").
		WithWayOut("Send a PDF, PNG, JPEG or TIFF, or an e-invoice as XML.")
}

// isInvoiceXML looks for the root of a CII or UBL invoice; any other XML (SVG, HTML) is not accepted.
func isInvoiceXML(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<")) || bytes.Contains(head, []byte("<!DOCTYPE")) {
		return false
	}
	return bytes.Contains(head, []byte("CrossIndustryInvoice")) || bytes.Contains(head, []byte("CrossIndustryDocument")) ||
		bytes.Contains(head, []byte("urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"))
}

// keepFile writes the upload to the blobs and compares what arrived with what was hashed on the way in.
func (h *Hall) keepFile(ctx context.Context, actor domain.Actor, caseID domain.ID, revision int, file Upload, mediaType string) (domain.Document, error) {
	content, err := file.Open()
	if err != nil {
		return domain.Document{}, fmt.Errorf("casework: open upload: %w", err)
	}
	defer func() { _ = content.Close() }()
	key, hash, size, err := h.ports.Blobs.Put(ctx, caseID, content)
	if err != nil {
		return domain.Document{}, err
	}
	if size != file.Size || file.SHA256 != nil && !slices.Equal(hash, file.SHA256) {
		return domain.Document{}, domain.Fail(domain.Unavailable, "The file changed while it was being stored.").WithWayOut("Send it again.")
	}
	return domain.Document{ID: domain.NewID(), CaseID: caseID, Revision: revision, FileName: safeFileName(file.FileName),
		MediaType: mediaType, Size: size, SHA256: hash, BlobKey: key, CreatedBy: actor.UserID}, nil
}

// BlobKind says which of a case's files is meant.
type BlobKind string

// The kinds of files.
const (
	BlobOriginal BlobKind = "original"
	BlobPage     BlobKind = "page"
	BlobManifest BlobKind = "manifest"
)

// OpenBlob asks for one file of a case. Revision 0 is the newest; Page counts from 1.
type OpenBlob struct {
	CaseID   domain.ID
	Kind     BlobKind
	Revision int
	Page     int
}

// OpenedBlob is a file ready to be read; the caller closes Content.
type OpenedBlob struct {
	Content   io.ReadCloser
	Size      int64
	MediaType string
	FileName  string
	SHA256    string // hex; "" when not known
}

// OpenBlob asks the right to read the case, notes it in the access log before the first byte, and opens the file.
func (h *Hall) OpenBlob(ctx context.Context, actor domain.Actor, in OpenBlob) (OpenedBlob, error) {
	if err := h.mayOpen(ctx, actor, in); err != nil {
		h.refused(ctx, actor, "open", in.CaseID, err)
		return OpenedBlob{}, err
	}
	key, opened, err := h.locateBlob(ctx, in)
	if err != nil {
		return OpenedBlob{}, err
	}
	object := fmt.Sprintf("%s/%d/%d", in.Kind, in.Revision, in.Page)
	h.access.now(ctx, store.Access{Actor: actor.UserID, Action: "open", CaseID: in.CaseID, Object: object, RequestID: actor.RequestID})
	opened.Content, opened.Size, err = h.ports.Blobs.Open(ctx, key)
	return opened, err
}

// mayOpen asks the right to read the case; a program that holds an external stage of it may open its document meanwhile.
func (h *Hall) mayOpen(ctx context.Context, actor domain.Actor, in OpenBlob) error {
	err := h.MayRead(ctx, actor, in.CaseID)
	if err == nil || in.Kind == BlobManifest || scope(actor, domain.ActExternal) != nil {
		return err
	}
	holds, heldErr := h.db.Reader().HoldsExternal(ctx, in.CaseID, externalWorker(actor))
	if heldErr != nil {
		return heldErr
	}
	if holds {
		return nil
	}
	return err
}

func (h *Hall) locateBlob(ctx context.Context, in OpenBlob) (string, OpenedBlob, error) {
	r := h.db.Reader()
	missing := domain.Fail(domain.NotFound, "There is no such file.")
	switch in.Kind {
	case BlobOriginal, BlobPage:
		documents, err := r.Documents(ctx, in.CaseID)
		if err != nil {
			return "", OpenedBlob{}, err
		}
		at := slices.IndexFunc(documents, func(d domain.Document) bool { return in.Revision == 0 || d.Revision == in.Revision })
		if at < 0 {
			return "", OpenedBlob{}, missing
		}
		d := documents[at]
		if in.Kind == BlobOriginal {
			return d.BlobKey, OpenedBlob{MediaType: d.MediaType, FileName: d.FileName, SHA256: hex.EncodeToString(d.SHA256)}, nil
		}
		key, err := r.RasterKey(ctx, in.CaseID, d.Revision, in.Page)
		return key, OpenedBlob{MediaType: "image/png", FileName: fmt.Sprintf("page-%d.png", in.Page), SHA256: path.Base(key)}, err
	case BlobManifest:
		kase, err := r.Case(ctx, in.CaseID)
		if err != nil || kase.ManifestKey == "" {
			return "", OpenedBlob{}, missing
		}
		return kase.ManifestKey, OpenedBlob{MediaType: "application/json", FileName: kase.Reference + ".json", SHA256: path.Base(kase.ManifestKey)}, nil
	}
	return "", OpenedBlob{}, missing
}

// MayRead asks whether the person may read the case; one who never could is told NotFound.
func (h *Hall) MayRead(ctx context.Context, actor domain.Actor, caseID domain.ID) error {
	return h.mayCaseNow(ctx, actor, domain.ActRead, caseID)
}

// mayCaseNow asks the policy about a case from rows as they are now, outside a transaction: for reads.
func (h *Hall) mayCaseNow(ctx context.Context, actor domain.Actor, action domain.Action, caseID domain.ID) error {
	if err := scope(actor, action); err != nil {
		return err
	}
	r := h.db.Reader()
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	kase, err := r.Case(ctx, caseID)
	if err != nil {
		return err
	}
	reviews, err := r.ReviewsOf(ctx, caseID)
	if err != nil {
		return err
	}
	bars, err := r.BarsOf(ctx, caseID, kase.PartyID)
	if err != nil {
		return err
	}
	judge, err := h.Judge(ctx)
	if err != nil {
		return err
	}
	facts := store.CaseFactsOf(kase, reviews, bars)
	if action == domain.ActRead {
		err = h.mayReadWith(ctx, judge, user, facts)
	} else {
		_, err = judge.AuthorizeCase(user, action, facts)
	}
	if err != nil {
		if domain.HasCode(err, domain.ConflictOfInterest) || action != domain.ActRead {
			return err
		}
		return domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.")
	}
	return nil
}

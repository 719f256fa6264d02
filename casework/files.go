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

// signatures are the magic bytes of the supported file types. The file name is ignored.
var signatures = []struct {
	prefix    string
	mediaType string
}{
	{"%PDF-", "application/pdf"}, {"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"II*\x00", "image/tiff"}, {"MM\x00*", "image/tiff"}, {"II+\x00", "image/tiff"},
	{"MM\x00+", "image/tiff"},
}

// MediaTypes returns the supported media types, in display order.
func MediaTypes() []string {
	types := make([]string, 0, len(signatures)+1)
	for _, signature := range signatures {
		if !slices.Contains(types, signature.mediaType) {
			types = append(types, signature.mediaType)
		}
	}
	return append(types, mediaTypeInvoiceXML)
}

// mediaTypeInvoiceXML is the media type of an e-invoice that is a separate file.
const mediaTypeInvoiceXML = "application/xml"

// checkFile checks an upload by its size and magic bytes and returns its media type. Errors:
// EmptyFile, FileTooLarge, UnsupportedFile.
func (svc *Service) checkFile(file Upload) (string, error) {
	if err := svc.checkSize(file.Size); err != nil {
		return "", err
	}
	content, err := file.Open()
	if err != nil {
		return "", fmt.Errorf("casework: open upload: %w", err)
	}
	defer func() { _ = content.Close() }()
	head := make([]byte, domain.SniffBytes)
	n, err := io.ReadFull(content, head)
	if err != nil && n == 0 {
		return "", fmt.Errorf("casework: read upload: %w", err)
	}
	mediaType, ok := detectMediaType(head[:n])
	if !ok {
		return "", svc.unsupportedFile(head[:n], file.FileName)
	}
	return mediaType, nil
}

// unsupportedFile returns the error for a file of another kind, which says what the file is if the
// program can tell.
func (svc *Service) unsupportedFile(head []byte, name string) error {
	if svc.ports.UnsupportedFile != nil {
		return svc.ports.UnsupportedFile(head, name)
	}
	return domain.Errorf(domain.UnsupportedFile, "This kind of file cannot be read.").
		WithRemedy("Send a PDF, PNG, JPEG or TIFF, or an e-invoice as XML.")
}

// checkSize checks the size of a file. Errors: EmptyFile, FileTooLarge.
func (svc *Service) checkSize(size int64) error {
	switch {
	case size <= 0:
		return domain.Errorf(domain.EmptyFile, "The file is empty.").
			WithRemedy("Choose the file again; it may not have been saved yet.")
	case size > svc.settings.MaxUploadBytes:
		return domain.Errorf(domain.FileTooLarge, "The file is larger than %d MB.",
			svc.settings.MaxUploadBytes>>20).
			WithRemedy("Send a smaller file, for example scanned at 300 dpi.").
			WithDetail("limit", strconv.FormatInt(svc.settings.MaxUploadBytes, 10))
	}
	return nil
}

// detectMediaType returns the supported media type of a file by its first bytes; false for others.
func detectMediaType(head []byte) (string, bool) {
	for _, signature := range signatures {
		if bytes.HasPrefix(head, []byte(signature.prefix)) {
			return signature.mediaType, true
		}
	}
	// PDF readers accept some bytes before the header, so this accepts it within the first KiB.
	if at := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-")); at >= 0 {
		return "application/pdf", true
	}
	if isInvoiceXML(head) {
		return mediaTypeInvoiceXML, true
	}
	return "", false
}

// isInvoiceXML reports whether the root element is a CII or UBL invoice. Other XML, such as SVG or
// HTML, is refused.
func isInvoiceXML(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<")) || bytes.Contains(head, []byte("<!DOCTYPE")) {
		return false
	}
	return bytes.Contains(head, []byte("CrossIndustryInvoice")) ||
		bytes.Contains(head, []byte("CrossIndustryDocument")) ||
		bytes.Contains(head, []byte("urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"))
}

// storeFile stores the upload and compares the stored bytes with those that were hashed on receipt.
func (svc *Service) storeFile(
	ctx context.Context, actor domain.Actor, caseID domain.ID, revision int, file Upload,
	mediaType string,
) (domain.Document, error) {
	content, err := file.Open()
	if err != nil {
		return domain.Document{}, fmt.Errorf("casework: open upload: %w", err)
	}
	defer func() { _ = content.Close() }()
	key, hash, size, err := svc.ports.Blobs.Put(ctx, caseID, content)
	if err != nil {
		return domain.Document{}, err
	}
	if size != file.Size || file.SHA256 != nil && !slices.Equal(hash, file.SHA256) {
		return domain.Document{}, domain.Errorf(domain.Unavailable,
			"The file changed while it was being stored.").WithRemedy("Send it again.")
	}
	return domain.Document{ID: domain.NewID(), CaseID: caseID, Revision: revision,
		FileName:  safeFileName(file.FileName),
		MediaType: mediaType, Size: size, SHA256: hash, BlobKey: key, CreatedBy: actor.UserID}, nil
}

// BlobKind is the kind of a file of a case.
type BlobKind string

// The kinds of files.
const (
	BlobOriginal BlobKind = "original"
	BlobPage     BlobKind = "page"
	BlobManifest BlobKind = "manifest"
	// BlobArchiveCopy is made of the page images and words at each request, not stored.
	BlobArchiveCopy BlobKind = "archive-copy"
	// BlobSupporting is a supporting document.
	BlobSupporting BlobKind = "supporting"
	// BlobSupportingPage is the image of a page of a supporting document.
	BlobSupportingPage BlobKind = "supporting-page"
)

// maxPageNumber is above the number of every page that was read.
const maxPageNumber = 1 << 20

// OpenBlob identifies one file of a case. Revision 0 is the newest; Page counts from 1. Number is that of a
// supporting document.
type OpenBlob struct {
	CaseID   domain.ID
	Kind     BlobKind
	Revision int
	Page     int
	Number   int
}

// OpenedBlob is a file that is open for reading; the caller closes Content.
type OpenedBlob struct {
	Content   io.ReadCloser
	Size      int64
	MediaType string
	FileName  string
	SHA256    string // hex; "" if unknown
}

// OpenBlob checks the right to read the case, records the access before the first byte, and opens
// the file.
func (svc *Service) OpenBlob(ctx context.Context, actor domain.Actor,
	in OpenBlob) (OpenedBlob, error) {
	entry := store.AccessEntry{Actor: actor.UserID, Action: store.AccessOpen, CaseID: in.CaseID,
		Object: in.object(), RequestID: actor.RequestID}
	sampled, err := svc.opensForSample(ctx, actor, in)
	if err != nil {
		return OpenedBlob{}, err
	}
	if sampled { // not among the accesses of the case, which its submitter may be allowed to read
		entry.Action, entry.CaseID = "check", domain.NoID
	} else if err := svc.authorizeBlob(ctx, actor, in); err != nil {
		svc.logRefusal(ctx, actor, "open", in.CaseID, err)
		return OpenedBlob{}, err
	}
	if in.Kind == BlobArchiveCopy {
		opened, err := svc.openArchiveCopy(ctx, in)
		if err == nil {
			svc.accessLog.write(ctx, entry)
		}
		return opened, err
	}
	key, opened, err := svc.locateBlob(ctx, in)
	if err != nil {
		return OpenedBlob{}, err
	}
	svc.accessLog.write(ctx, entry)
	opened.Content, opened.Size, err = svc.ports.Blobs.Open(ctx, key)
	return opened, err
}

// opensForSample reports whether the caller opens a page, or the file of a document without pages, for
// a sample that they have. Supporting documents are those that the deciders had.
func (svc *Service) opensForSample(
	ctx context.Context, actor domain.Actor, in OpenBlob,
) (bool, error) {
	kinds := []BlobKind{BlobOriginal, BlobPage, BlobSupporting, BlobSupportingPage}
	if !slices.Contains(kinds, in.Kind) || actor.OnBehalfOf != domain.NoID ||
		checkScope(actor, domain.ActRead) != nil ||
		in.Number > domain.MaxSupportingRows || in.Page > maxPageNumber {
		return false, nil
	}
	r := svc.db.Reader()
	switch in.Kind {
	case BlobSupporting:
		return r.SamplesSupporting(ctx, in.CaseID, actor.UserID, in.Number, 0)
	case BlobSupportingPage:
		return r.SamplesSupporting(ctx, in.CaseID, actor.UserID, in.Number, in.Page)
	}
	has, err := r.HasSample(ctx, in.CaseID, actor.UserID)
	if err != nil || !has || in.Kind == BlobPage {
		return has, err
	}
	pages, err := r.NewestPages(ctx, in.CaseID)
	return len(pages) == 0, err
}

// authorizeBlob checks the right to read the case. A program with a lease on an external stage of
// the case may open its document.
func (svc *Service) authorizeBlob(ctx context.Context, actor domain.Actor, in OpenBlob) error {
	err := svc.MayRead(ctx, actor, in.CaseID)
	if err == nil && in.Kind == BlobManifest {
		return svc.authorizeManifest(ctx, actor, in.CaseID)
	}
	if err == nil || in.Kind == BlobManifest || checkScope(actor, domain.ActExternal) != nil {
		return err
	}
	leased, leaseErr := svc.db.Reader().HasExternalLease(ctx, in.CaseID,
		externalWorkerPrefix(actor))
	if leaseErr != nil {
		return leaseErr
	}
	if leased {
		return nil
	}
	return err
}

// authorizeManifest refuses the manifest, which contains all decisions with reviewers and reasons, to
// the submitter, and of a process with confidential reviews to everybody who may not know of them,
// also for a case that was in none.
func (svc *Service) authorizeManifest(
	ctx context.Context, actor domain.Actor, caseID domain.ID,
) error {
	r := svc.db.Reader()
	c, err := r.Case(ctx, caseID)
	if err != nil {
		return err
	}
	if c.Submitter == actor.UserID {
		return domain.Errorf(domain.NotPermitted,
			"The archive manifest names reviewers and their reasons, so the submitter cannot open it.").
			WithRemedy("Download the result of the case, or ask an auditor for what you need.")
	}
	def, err := svc.definitions.get(ctx, r, c.ProcessKey, c.ProcessVersion)
	if err != nil || !def.Confidential() {
		return err
	}
	cleared, err := seesConfidential(ctx, r, actor.UserID)
	if err != nil || cleared {
		return err
	}
	return domain.Errorf(domain.NotPermitted,
		"Only auditors and the AML team can open the archive manifest of this process.").
		WithRemedy("Ask an auditor for what you need.")
}

// seesConfidential reports whether the person sees confidential reviews, for themselves or for a delegator.
func seesConfidential(ctx context.Context, r store.Reader, person domain.ID) (bool, error) {
	user, err := r.User(ctx, person)
	if err != nil || user.SeesConfidential() {
		return err == nil, err
	}
	delegators, err := r.Delegators(ctx, user)
	return slices.ContainsFunc(delegators, domain.User.SeesConfidential), err
}

func (svc *Service) locateBlob(ctx context.Context, in OpenBlob) (string, OpenedBlob, error) {
	r := svc.db.Reader()
	missing := domain.Errorf(domain.NotFound, "There is no such file.")
	switch in.Kind {
	case BlobOriginal, BlobPage:
		documents, err := r.Documents(ctx, in.CaseID)
		if err != nil {
			return "", OpenedBlob{}, err
		}
		at := slices.IndexFunc(documents,
			func(d domain.Document) bool { return in.Revision == 0 || d.Revision == in.Revision })
		if at < 0 {
			return "", OpenedBlob{}, missing
		}
		d := documents[at]
		if in.Kind == BlobOriginal {
			return d.BlobKey, OpenedBlob{MediaType: d.MediaType, FileName: d.FileName,
				SHA256: hex.EncodeToString(d.SHA256)}, nil
		}
		key, err := r.RasterKey(ctx, in.CaseID, d.Revision, in.Page)
		return key, OpenedBlob{MediaType: "image/png",
			FileName: fmt.Sprintf("page-%d.png", in.Page), SHA256: path.Base(key)}, err
	case BlobSupporting:
		return svc.locateSupporting(ctx, in)
	case BlobSupportingPage:
		if in.Number > domain.MaxSupportingRows || in.Page > maxPageNumber {
			return "", OpenedBlob{}, missing
		}
		key, err := r.SupportingRasterKey(ctx, in.CaseID, in.Number, in.Page)
		return key, OpenedBlob{MediaType: "image/png",
			FileName: fmt.Sprintf("document-%d-page-%d.png", in.Number, in.Page), SHA256: path.Base(key)}, err
	case BlobManifest:
		c, err := r.Case(ctx, in.CaseID)
		if err != nil || c.ManifestKey == "" {
			return "", OpenedBlob{}, missing
		}
		return c.ManifestKey, OpenedBlob{MediaType: "application/json",
			FileName: c.Reference + ".json", SHA256: path.Base(c.ManifestKey)}, nil
	}
	return "", OpenedBlob{}, missing
}

// MayRead checks whether the user may read the case. It returns NotFound if the roles of the user
// can never read it.
func (svc *Service) MayRead(ctx context.Context, actor domain.Actor, caseID domain.ID) error {
	return svc.authorizeCaseUnlocked(ctx, actor, domain.ActRead, caseID)
}

// authorizeCaseUnlocked checks the policy for a case from current rows, without a transaction, for
// reads.
func (svc *Service) authorizeCaseUnlocked(
	ctx context.Context, actor domain.Actor, action domain.Action, caseID domain.ID,
) error {
	if err := checkScope(actor, action); err != nil {
		return err
	}
	r := svc.db.Reader()
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	c, err := r.Case(ctx, caseID)
	absent := domain.HasCode(err, domain.NotFound)
	if absent { // authorized anyway, so that it takes as long as a case without access
		c, err = domain.AbsentCase(caseID), nil
	}
	if err != nil {
		return err
	}
	reviews, err := r.ReviewsOf(ctx, caseID)
	if err != nil {
		return err
	}
	exclusions, err := r.Exclusions(ctx, caseID, c.Parties())
	if err != nil {
		return err
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return err
	}
	facts := store.NewCaseFacts(c, reviews, exclusions)
	if action == domain.ActRead {
		err = svc.authorizeCaseRead(ctx, authorizer, user, facts)
	} else {
		_, err = authorizer.AuthorizeCase(user, action, facts)
	}
	if absent {
		return domain.NewNotFound()
	}
	if err != nil {
		if domain.HasCode(err, domain.ConflictOfInterest) || action != domain.ActRead {
			return err
		}
		return domain.NewNotFound()
	}
	return nil
}

package casework

import (
	"context"
	"encoding/hex"
	"io"
	"path"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/store"
)

// SubmitDocument asks for a case to be opened for a document.
type SubmitDocument struct {
	Once         Once
	Process      string // default document_approval
	DocumentType string // default invoice
	Country      string
	// Channel is how the document came, as a program says; "" is the way the caller itself came.
	Channel domain.Channel
	// Amount and Currency are what the submitter declares, as written; both or neither.
	Amount   string
	Currency string
	// File, or UploadID of an upload that came whole before: exactly one.
	File     Upload
	UploadID domain.ID
}

// Upload is a received file: its bytes were capped and hashed while they came in. SHA256 is nil where they came in
// pieces; they are then hashed as they are kept.
type Upload struct {
	FileName string
	Size     int64
	SHA256   []byte
	Open     func() (io.ReadCloser, error)
}

// requestIdentity names the very file in a request that is compared with the one sent before: by its hash, or as an upload whose
// bytes cannot change.
func (u Upload) requestIdentity(id domain.ID) string {
	if id != domain.NoID {
		return id.String()
	}
	return hex.EncodeToString(u.SHA256)
}

// SubmitResult names the case that was opened.
type SubmitResult struct {
	CaseID    domain.ID
	Reference string
	Twins     []domain.ID // cases with the very same bytes
}

// DefaultProcess and DefaultDocumentType serve a submission that names none.
const (
	DefaultProcess      = "document_approval"
	DefaultDocumentType = "invoice"
)

// MaySubmit asks whether the person may submit at all; adapters check it before they accept the first byte.
func (svc *Service) MaySubmit(ctx context.Context, actor domain.Actor) error {
	if err := checkScope(actor, domain.ActSubmit); err != nil {
		return err
	}
	user, err := svc.db.Reader().User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return err
	}
	_, err = authorizer.AuthorizeGlobal(user, domain.ActSubmit)
	return err
}

// SubmitDocument opens a case: everything that can be judged without the file is judged, then the file is kept,
// write-once, then the case, its document, its first stage and its first events are one transaction. A crash or a lost
// race between the two leaves an orphan file, which SweepFiles removes.
func (svc *Service) SubmitDocument(ctx context.Context, actor domain.Actor, in SubmitDocument) (SubmitResult, error) {
	if err := svc.inScope(ctx, actor, "submit", domain.ActSubmit); err != nil {
		return SubmitResult{}, err
	}
	in = in.withDefaults(actor)
	if in.UploadID != domain.NoID {
		file, before, err := svc.findUpload(ctx, actor, in.UploadID, store.UploadSubmitted)
		if err != nil {
			svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
			return SubmitResult{}, err
		}
		if before != domain.NoID {
			return svc.replaySubmission(ctx, before)
		}
		in.File = file
	}
	declared, mediaType, err := svc.checkSubmission(ctx, actor, in)
	if err != nil {
		svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
		return SubmitResult{}, err
	}
	return svc.storeAndSubmit(ctx, actor, in, declared, mediaType)
}

// storeAndSubmit keeps the file and opens the case.
func (svc *Service) storeAndSubmit(ctx context.Context, actor domain.Actor, in SubmitDocument, declared domain.Money, mediaType string) (SubmitResult, error) {
	c := domain.Case{ID: domain.NewID(), ProcessKey: in.Process, DocumentType: in.DocumentType, Channel: in.Channel,
		Country: in.Country, DeclaredAmount: declared, Submitter: actor.UserID, Version: 1, FactsRevision: 1}
	c.CorrelationID = c.ID.String()
	request := []string{in.Process, in.DocumentType, in.Country, in.Amount, in.Currency, in.File.FileName, in.File.requestIdentity(in.UploadID)}
	var result SubmitResult
	// Asked before the file is kept, so that a repeated command leaves no file behind.
	if replayed, err := svc.findReplay(ctx, actor, "submit", in.Once, request, &result); err != nil || replayed {
		return result, err
	}
	document, err := svc.storeFile(ctx, actor, c.ID, 1, in.File, mediaType)
	if err != nil {
		return SubmitResult{}, err
	}
	opened, err := svc.submitOne(ctx, submission{actor: actor, record: c, document: document, upload: in.UploadID}, in.Once, request)
	if err != nil {
		svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
		return SubmitResult{}, err
	}
	if opened.transition != nil {
		svc.notifyCommitted(ctx, opened.transition)
		svc.removeUpload(ctx, in.UploadID)
	}
	return opened.result, nil
}

func (in SubmitDocument) withDefaults(actor domain.Actor) SubmitDocument {
	if in.Channel == "" {
		in.Channel = actor.Channel
	}
	if in.Process == "" {
		in.Process = DefaultProcess
	}
	if in.DocumentType == "" {
		in.DocumentType = DefaultDocumentType
	}
	in.Country = strings.ToUpper(strings.TrimSpace(in.Country))
	return in
}

// checkSubmission is the parameter checks: values alone, before anything is kept.
func (svc *Service) checkSubmission(ctx context.Context, actor domain.Actor, in SubmitDocument) (domain.Money, string, error) {
	if err := svc.MaySubmit(ctx, actor); err != nil {
		return domain.Money{}, "", err
	}
	if err := checkChannel(actor, in.Channel); err != nil {
		return domain.Money{}, "", err
	}
	if err := svc.checkNames(ctx, in); err != nil {
		return domain.Money{}, "", err
	}
	if in.Country != "" && (len(in.Country) != 2 || strings.Trim(in.Country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		return domain.Money{}, "", domain.Invalid("country", "%q is not a country code", in.Country).WithRemedy("Use two letters, such as DE.")
	}
	var declared domain.Money
	if in.Amount != "" || in.Currency != "" {
		var err error
		if declared, err = domain.ParseMoney(in.Amount, in.Currency); err != nil {
			return domain.Money{}, "", err
		}
		if declared.Minor < 0 {
			return domain.Money{}, "", domain.Invalid("amount", "the declared amount is negative")
		}
	}
	mediaType, err := svc.checkFile(in.File)
	return declared, mediaType, err
}

// Bounds of the names in a submission, in characters.
const (
	maxProcess      = 80
	maxDocumentType = 40
)

// checkNames refuses names that cannot be stored and a process that does not exist.
func (svc *Service) checkNames(ctx context.Context, in SubmitDocument) error {
	switch {
	case domain.Longer(in.Process, maxProcess):
		return tooLong("process", maxProcess)
	case domain.Longer(in.DocumentType, maxDocumentType):
		return tooLong("documentType", maxDocumentType)
	}
	if err := domain.CheckText("process", in.Process); err != nil {
		return err
	}
	if err := domain.CheckText("documentType", in.DocumentType); err != nil {
		return err
	}
	exists, err := svc.definitions.exists(ctx, svc.db.Reader(), in.Process)
	if err == nil && !exists {
		err = noProcess(in.Process)
	}
	return err
}

func noProcess(key string) error {
	return domain.Invalid("process", "there is no process %q", key)
}

// checkChannel refuses a way that the caller cannot have come: what a browser's session sends came over the web, what a
// token sends did not.
func checkChannel(actor domain.Actor, channel domain.Channel) error {
	web := channel == domain.ChannelWeb
	if channel.Valid() && (actor.SessionID == domain.NoID || web) && (actor.TokenID == domain.NoID || !web) {
		return nil
	}
	return domain.Invalid("channel", "A document cannot come over the channel %q here.", channel).WithRemedy("Leave the channel out.")
}

// safeFileName keeps what a person would recognise of a name: no folders, no control or direction marks, no line
// breaks, at most 150 characters with the extension kept.
func safeFileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	name = strings.TrimSpace(name)
	if name == "/" || strings.IndexFunc(name, func(r rune) bool { return r != '.' && !unicode.IsSpace(r) }) < 0 {
		return "document"
	}
	if runes := []rune(name); len(runes) > 150 {
		extension := []rune(path.Ext(name))
		if len(extension) > 10 {
			extension = nil
		}
		return string(runes[:149-len(extension)]) + "…" + string(extension)
	}
	return name
}

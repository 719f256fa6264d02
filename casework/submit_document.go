package casework

import (
	"context"
	"encoding/hex"
	"io"
	"path"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/internal/tracing"
	"countersign/store"
)

// SubmitDocument requests a new case for a document.
type SubmitDocument struct {
	Once         Once
	Process      string // default document_approval
	DocumentType string // default invoice
	Country      string // code or name
	// Channel is the channel by which the document arrived; "" is the channel of the caller.
	Channel domain.Channel
	// Amount and Currency are declared by the submitter, as entered; both or neither.
	Amount   string
	Currency string
	// Order is the payment order whose evidence the document is; nil if there is none.
	Order *OrderInput
	// Attributes are what the submitter states about the attributes of the process.
	Attributes []domain.StatedAttribute
	// Documents are the supporting documents, of kinds that the process declares.
	Documents []SupportingFile
	// Exactly one of File and UploadID, the id of a complete upload, is set.
	File     Upload
	UploadID domain.ID
}

// Upload is a received file whose size was limited and whose bytes were hashed on receipt. SHA256
// is nil for a resumable upload, which is hashed when it is stored.
type Upload struct {
	FileName string
	Size     int64
	SHA256   []byte
	Open     func() (io.ReadCloser, error)
}

// requestIdentity identifies the file in a request that is compared with an earlier one: by its
// hash, or by the id of an upload, whose bytes cannot change.
func (u Upload) requestIdentity(id domain.ID) string {
	if id != domain.NoID {
		return id.String()
	}
	return hex.EncodeToString(u.SHA256)
}

// SubmitResult is the case that was created.
type SubmitResult struct {
	CaseID    domain.ID
	Reference string
	Twins     []domain.ID // cases whose documents have the same bytes
}

// DefaultProcess and DefaultDocumentType apply to a submission that specifies none.
const (
	DefaultProcess      = "document_approval"
	DefaultDocumentType = "invoice"
)

// MaySubmit checks whether the user may submit documents. Adapters call it before they accept the
// first byte.
func (svc *Service) MaySubmit(ctx context.Context, actor domain.Actor) error {
	_, err := svc.mayUpload(ctx, actor)
	return err
}

// mayUpload checks whether the user may submit documents, and returns the user unless the scope of the
// actor does not suffice.
func (svc *Service) mayUpload(ctx context.Context, actor domain.Actor) (user domain.User, err error) {
	if err := checkScope(actor, domain.ActSubmit); err != nil {
		return user, err
	}
	if user, err = svc.db.Reader().User(ctx, actor.UserID); err != nil {
		return user, err
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return user, err
	}
	_, err = authorizer.AuthorizeGlobal(user, domain.ActSubmit)
	return user, err
}

// MaySendFiles checks whether the user may send files at all: with a document, or with a note if they have
// any role, because what roles see are cases. Adapters call it before they accept the first byte; the command
// checks the rest.
func (svc *Service) MaySendFiles(ctx context.Context, actor domain.Actor) error {
	user, err := svc.mayUpload(ctx, actor)
	if !domain.HasCode(err, domain.NotPermitted) || checkScope(actor, domain.ScopeNotes) != nil {
		return err
	}
	if user.ID == domain.NoID { // a token for notes alone
		var readErr error
		if user, readErr = svc.db.Reader().User(ctx, actor.UserID); readErr != nil {
			return readErr
		}
	}
	if user.Disabled || len(user.Roles) == 0 {
		return err
	}
	return nil
}

// SubmitDocument creates a case. It checks everything that does not need the file, stores the file,
// then inserts the case, its document, first stage and first events in one transaction. A crash or
// a lost race in between leaves an orphan file, which SweepFiles removes.
func (svc *Service) SubmitDocument(
	ctx context.Context, actor domain.Actor, in SubmitDocument,
) (SubmitResult, error) {
	if err := svc.inScope(ctx, actor, "submit", domain.ActSubmit); err != nil {
		return SubmitResult{}, err
	}
	in = in.withDefaults(actor)
	in, err := svc.withType(ctx, in)
	if err != nil {
		return SubmitResult{}, err
	}
	if in.UploadID != domain.NoID {
		file, before, err := svc.findUpload(ctx, actor, in.UploadID, store.UploadSubmitted)
		if err != nil {
			svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
			return SubmitResult{}, err
		}
		if before != domain.NoID {
			return svc.replaySubmission(ctx, actor, before, in)
		}
		in.File = file
	}
	order, err := in.declareOrder()
	if err != nil {
		return SubmitResult{}, err
	}
	declared, mediaType, err := svc.checkSubmission(ctx, actor, in)
	if err != nil {
		svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
		return SubmitResult{}, err
	}
	var repeated SubmitResult
	// Checked before the uploads of supporting documents, which the first attempt has used.
	if replayed, err := svc.findReplay(ctx, actor, "submit", in.Once, submitRequest(in),
		&repeated); err != nil || replayed {
		return repeated, err
	}
	supporting, err := svc.checkSupporting(ctx, actor, in.Documents)
	if err != nil {
		svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
		return SubmitResult{}, err
	}
	s := newSubmission(actor, in, declared, order)
	for i := range supporting {
		s.supporting = append(s.supporting, supporting[i].unstored(s.record.ID))
		s.uploads = append(s.uploads, supporting[i].UploadID)
	}
	return svc.storeAndSubmit(ctx, actor, in, s, mediaType, supporting)
}

// newSubmission returns the submission of a case whose file is not stored yet.
func newSubmission(
	actor domain.Actor, in SubmitDocument, declared domain.Money, order *domain.Order,
) submission {
	c := domain.Case{ID: domain.NewID(), ProcessKey: in.Process, DocumentType: in.DocumentType,
		Channel: in.Channel,
		Country: in.Country, DeclaredAmount: declared, Submitter: actor.UserID, Version: 1,
		FactsRevision: 1}
	c.CorrelationID = c.ID.String()
	s := submission{actor: actor, record: c, upload: in.UploadID, order: order,
		stated: in.Attributes, document: domain.Document{SHA256: in.File.SHA256}}
	if order == nil {
		return s
	}
	s.record.OrderRevision = 1
	if in.Order.Ground != nil {
		ground, _ := parseGround(*in.Order.Ground) // declareOrder has checked it
		s.ground = &ground
	}
	return s
}

// storeAndSubmit stores the file and creates the case.
func (svc *Service) storeAndSubmit(
	ctx context.Context, actor domain.Actor, in SubmitDocument, s submission, mediaType string,
	supporting []checkedFile,
) (SubmitResult, error) {
	if id := tracing.Correlation(ctx); id != "" {
		s.record.CorrelationID = id
	}
	request := submitRequest(in)
	var result SubmitResult
	if err := svc.checkDeclarationsBefore(ctx, in.Process, s); err != nil {
		svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
		return SubmitResult{}, err
	}
	if used := svc.checkReference(ctx, s.order); used != nil {
		// A repetition of this command may have been committed since.
		if replayed, err := svc.findReplay(ctx, actor, "submit", in.Once, request,
			&result); err != nil || replayed {
			return result, err
		}
		return SubmitResult{}, used
	}
	var err error
	s.document, err = svc.storeFile(ctx, actor, s.record.ID, 1, in.File, mediaType)
	if err == nil {
		s.supporting, err = svc.storeSupporting(ctx, actor, s.record.ID, supporting)
	}
	if err != nil {
		return SubmitResult{}, err
	}
	outcome, err := svc.submitOne(ctx, s, in.Once, request)
	if err != nil {
		err = svc.referenceUsed(ctx, s.order, err)
		svc.logRefusal(ctx, actor, "submit", domain.NoID, err)
		return SubmitResult{}, err
	}
	if outcome.transition != nil {
		svc.notifyCommitted(ctx, outcome.transition)
		svc.removeUpload(ctx, in.UploadID)
		svc.removeUploads(ctx, in.Documents)
	}
	return outcome.result, nil
}

// submitRequest is what distinguishes a repeated submission from another one under the same key.
func submitRequest(in SubmitDocument) any {
	request := []string{in.Process, in.DocumentType, in.Country, in.Amount, in.Currency,
		in.File.FileName, in.File.requestIdentity(in.UploadID)}
	for _, d := range in.Documents {
		request = append(request, d.Kind, d.File.FileName, d.File.requestIdentity(d.UploadID))
	}
	if in.Order == nil && len(in.Attributes) == 0 {
		return request
	}
	return struct {
		Request    []string
		Order      *OrderInput
		Attributes []domain.StatedAttribute `json:",omitempty"`
	}{request, in.Order, in.Attributes}
}

func (in SubmitDocument) withDefaults(actor domain.Actor) SubmitDocument {
	if in.Channel == "" {
		in.Channel = actor.Channel
	}
	if in.Process == "" {
		in.Process = DefaultProcess
	}
	in.Country = strings.TrimSpace(in.Country)
	if code, ok := country.Parse(in.Country); ok {
		in.Country = code
	}
	return in
}

// checkSubmission validates the parameters and the file, before anything is stored.
func (svc *Service) checkSubmission(
	ctx context.Context, actor domain.Actor, in SubmitDocument,
) (domain.Money, string, error) {
	if err := svc.MaySubmit(ctx, actor); err != nil {
		return domain.Money{}, "", err
	}
	if err := checkChannel(actor, in.Channel); err != nil {
		return domain.Money{}, "", err
	}
	if err := svc.checkNames(ctx, in); err != nil {
		return domain.Money{}, "", err
	}
	if in.Country != "" && !country.Known(in.Country) {
		return domain.Money{}, "", unknownCountry(in.Country)
	}
	var declared domain.Money
	if in.Amount != "" || in.Currency != "" {
		var err error
		if declared, err = domain.ParseMoney(in.Amount, in.Currency); err != nil {
			return domain.Money{}, "", err
		}
		if declared.Minor < 0 {
			return domain.Money{}, "", domain.Invalid("amount",
				"The declared amount must not be negative.")
		}
	}
	mediaType, err := svc.checkFile(in.File)
	return declared, mediaType, err
}

// Maximum lengths of the names in a submission, in characters.
const (
	maxProcess      = 80
	maxDocumentType = 40
)

// checkNames refuses names that cannot be stored and unknown processes.
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
	if err != nil {
		return err
	}
	if in.DocumentType == "" { // the caller names only a process
		return nil
	}
	return svc.requireDocumentType(ctx, in.DocumentType)
}

// requireDocumentType refuses a document type that is not published. Types stay published, so each is
// looked for once.
func (svc *Service) requireDocumentType(ctx context.Context, key string) error {
	if _, known := svc.knownTypes.Load(key); known {
		return nil
	}
	version, err := svc.db.Reader().NewestDocumentType(ctx, key)
	if err != nil {
		return err
	}
	if version == 0 {
		return domain.NoDocumentType("documentType", key)
	}
	svc.knownTypes.Store(key, true)
	return nil
}

func unknownCountry(name string) error {
	return domain.Invalid("country", "%q is not a known country.", name).
		WithRemedy("Enter a country code such as DE, or the full name.")
}

func noProcess(key string) error {
	return domain.Invalid("process", "Unknown process %q.", key)
}

// noCases refuses a submission to a process that only other processes call.
func noCases(key string) error {
	return domain.Invalid("process", "Other processes call %q; it has no cases of its own.", key).
		WithRemedy("Choose another process.")
}

// checkChannel refuses a channel that the caller cannot have used: a browser session submits over
// the web, an API token does not.
func checkChannel(actor domain.Actor, channel domain.Channel) error {
	web := channel == domain.ChannelWeb
	if channel.Valid() && (actor.SessionID == domain.NoID || web) &&
		(actor.TokenID == domain.NoID || !web) {
		return nil
	}
	return domain.Invalid("channel", "Documents cannot be submitted over the channel %q here.",
		channel).
		WithRemedy("Omit the channel.")
}

// safeFileName returns the recognizable part of a file name: without folders, control or direction
// characters and line breaks, at most 150 characters including the extension.
func safeFileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) ||
			r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	name = strings.TrimSpace(name)
	if name == "/" || strings.IndexFunc(name,
		func(r rune) bool { return r != '.' && !unicode.IsSpace(r) }) < 0 {
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

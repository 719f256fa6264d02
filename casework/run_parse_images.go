package casework

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"

	"countersign/domain"
	"countersign/reading/parsing"
)

// MaxModelImagesBytes bounds all images of one request, which its encoding makes a third larger. Providers
// refuse requests of more than 32 MB.
const MaxModelImagesBytes = 20 << 20

// ModelImageSettings say whether images of pages are sent beside the text, and bound them.
type ModelImageSettings struct {
	Send bool
	// Pages is how many images are sent, those of the first pages; default 10.
	Pages int
	// Side and Bytes bound one image: the pixels of its longer side, default 1,568, and its bytes,
	// default 1 MB.
	Side  int
	Bytes int64
	// Tokens is what one image counts in the budget; default 2,500.
	Tokens int64
}

func (s ModelImageSettings) withDefaults() ModelImageSettings {
	if s.Pages == 0 {
		s.Pages = 10
	}
	if s.Side == 0 {
		s.Side = 1568
	}
	if s.Bytes == 0 {
		s.Bytes = 1 << 20
	}
	if s.Tokens == 0 {
		s.Tokens = 2500
	}
	return s
}

// tokensOf returns what images and their labels count in the estimate of a call.
func (s ModelImageSettings) tokensOf(images []ModelImage) (tokens int64) {
	for i := range images {
		tokens += s.Tokens + estimatedTokens(len(images[i].Label))
	}
	return tokens
}

// addImages adds the images of the pages to what is sent, within the bounds, and records those that are
// not sent. A document type with fields that must not leave has none, because an image can show what no
// words were read for. An image that cannot be had is no failure.
func (work *parseWork) addImages(ctx context.Context, svc *Service, kind *domain.DocumentType) error {
	settings, left := svc.settings.Models.Images, MaxModelImagesBytes
	work.images, work.sent, work.imageRecord = nil, nil, domain.ModelImages{}
	if !settings.Send {
		return nil
	}
	record := &work.imageRecord
	for i := range work.session.pages {
		page := &work.session.pages[i]
		switch {
		case page.RasterKey == "":
			continue
		case len(kind.NeverSent) > 0:
			record.Omit(domain.OmittedNeverSent, page.Number)
			continue
		case len(record.Sent) >= settings.Pages:
			record.Omit(domain.OmittedPageLimit, page.Number)
			continue
		}
		image, omitted, err := svc.imageOf(ctx, work.session, page)
		switch {
		case err != nil:
			return err
		case omitted != "":
			record.Omit(omitted, page.Number)
			continue
		case len(image.Bytes) > left:
			record.Omit(domain.OmittedRequest, page.Number)
			continue
		}
		left -= len(image.Bytes)
		work.addImage(page, image)
	}
	return nil
}

// addImage adds an image to what is sent, with its record.
func (work *parseWork) addImage(page *domain.Page, image ModelImage) {
	sum := sha256.Sum256(image.Bytes)
	sent := parsing.Image{Page: page.Number, SHA256: sum}
	image.Label = sent.Label()
	work.images = append(work.images, image)
	work.sent = append(work.sent, sent)
	record := &work.imageRecord
	record.Sent = append(record.Sent, domain.ModelImage{Page: page.Number, SHA256: hex.EncodeToString(sum[:]),
		Source: path.Base(page.RasterKey), MediaType: image.MediaType, Width: image.Width, Height: image.Height,
		Bytes: len(image.Bytes)})
}

// imageOf returns the image of a page within the bounds, or why it is not sent. It fails only if the
// worker is stopping.
func (svc *Service) imageOf(ctx context.Context, p *stageSession, page *domain.Page) (
	ModelImage, domain.ModelOmissionReason, error) {
	content, size, err := svc.ports.Blobs.Open(ctx, page.RasterKey)
	if err != nil {
		return ModelImage{}, svc.omitted(ctx, page, domain.OmittedMissing, err), ctx.Err()
	}
	defer func() { _ = content.Close() }()
	checked := &checkedReader{from: content, sum: sha256.New(), want: path.Base(page.RasterKey)}
	image, err := svc.settings.Models.Images.Fit(ctx, svc.ports.Images, page, checked, size, p.record.CorrelationID)
	switch {
	case domain.HasCode(err, domain.FileTooLarge):
		return ModelImage{}, domain.OmittedTooLarge, nil
	case err != nil:
		return ModelImage{}, svc.omitted(ctx, page, domain.OmittedUnreadable, err), ctx.Err()
	}
	return image, "", nil
}

// Fit returns the image of a page within the bounds of one image: its PNG of size bytes if that is within
// them, otherwise a smaller one. FileTooLarge says that there is none.
func (s ModelImageSettings) Fit(ctx context.Context, reducer ImageReducer, page *domain.Page, png io.Reader,
	size int64, correlationID string) (ModelImage, error) {
	switch {
	case max(page.Width, page.Height) <= s.Side && size <= s.Bytes:
		var whole bytes.Buffer
		_, err := io.Copy(&whole, io.LimitReader(png, s.Bytes+1))
		return ModelImage{MediaType: "image/png", Width: page.Width, Height: page.Height, Bytes: whole.Bytes()}, err
	case reducer == nil:
		return ModelImage{}, domain.Errorf(domain.FileTooLarge, "No program makes images smaller.")
	}
	return reducer.Reduce(ctx, png, s.Side, s.Bytes, correlationID)
}

// omitted logs why an image of a page is not sent.
func (svc *Service) omitted(
	ctx context.Context, page *domain.Page, reason domain.ModelOmissionReason, cause error,
) domain.ModelOmissionReason {
	svc.log.WarnContext(ctx, "the image of a page is not sent to the language model", "case", page.CaseID,
		"page", page.Number, "key", page.RasterKey, "reason", reason, "error", cause)
	return reason
}

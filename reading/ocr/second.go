package ocr

import (
	"context"
	"log/slog"

	"countersign/domain"
)

// secondShare divides the time that the second engine has for a page.
const secondShare = 2

// secondReading asks a second engine for each page and compares what both read.
type secondReading struct {
	engine  Engine // nil = none
	observe func(error)
	logger  *slog.Logger
}

// compare reads the image once more, with the given function, and merges the readings. If the second engine fails or reads
// nothing, the words of the first one remain, with low confidence, because nothing confirms them.
// It returns an error only if the caller's context has ended.
func (s secondReading) compare(ctx context.Context, image Image, first string, words []domain.Word,
	read func(Engine) ([]domain.Word, error)) ([]domain.Word, error) {
	if s.engine == nil || len(words) == 0 {
		return words, nil
	}
	other, err := read(s.engine)
	if ctx.Err() != nil {
		return nil, callerError(ctx, ctx.Err())
	}
	if s.observe != nil {
		s.observe(err)
	}
	if err != nil {
		s.logger.WarnContext(ctx, "the second engine did not read a page",
			"engine", s.engine.Name(), "correlation_id", image.CorrelationID, "error", err)
		return unconfirmed(words), nil
	}
	return mergeReadings(pageReading{first, words}, pageReading{s.engine.Name(), other}), nil
}

// nameWith returns the name that is recorded for pages read by the first engine: Both if a second one
// is asked, whether it succeeds or not, because its failure lowers the confidence of the words.
func (s secondReading) nameWith(first Engine) string {
	if s.engine == nil {
		return first.Name()
	}
	return Both
}

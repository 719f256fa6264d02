package casework

import (
	"bytes"
	"context"
	"unicode"

	"countersign/domain"
)

// validateVersion validates a text that is proposed, which must name the given version and have only characters that
// are shown.
func (svc *Service) validateVersion(
	ctx context.Context, s publishable, document string, version int,
) (validationResult, error) {
	if err := checkVisible(document); err != nil {
		return validationResult{}, err
	}
	validated, err := s.validate(ctx, svc.db.Reader(), document)
	if err == nil && validated.Refusal == nil && validated.version != version {
		validated.Refusal = domain.Invalid("document",
			"The text has version %d; the next version is %d.", validated.version, version).
			WithRemedy("Leave the version out, or set it to %d.", version)
	}
	return validated, err
}

// invisible are characters that change how a text is shown, or are not shown: directions of writing, joiners,
// spaces without width, selectors of variants, and fillers.
var invisible = []*unicode.RangeTable{unicode.Cf, unicode.Variation_Selector, {R16: []unicode.Range16{
	{Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}}}}

// checkVisible refuses a text with characters that its readers do not see. A condition like country == "IR" with one
// of them is never true, and with another one it is shown in another order than it is evaluated, so that the
// second administrator would not read what is published. Texts that are published already are not checked.
func checkVisible(document string) error {
	number := 0
	for line := range bytes.Lines([]byte(document)) {
		number++
		for _, char := range string(line) {
			if unicode.In(char, invisible...) {
				return domain.Invalid("document",
					"Line %d has the character U+%04X, which is not shown.", number, char).
					WithRemedy("Remove the character and propose the text again.")
			}
		}
	}
	return nil
}

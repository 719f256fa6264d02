package ocr

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// picture is a rendered page in the job's folder.
type picture struct {
	pixels        string // PNM, for the engine
	png           string // for display: the same pixels in colour
	width, height int
	dpi           int
	rotation      int  // clockwise rotation so far, besides that of the file itself
	pose          pose // straight if not known yet
	// words are those of the text layer that a person sees, if the page was rendered in a batch.
	words textWords
}

// recognise reads a rendered page with the engine, from the given file. If the confidence is low,
// it detects orientation and script and reads the page again if they differ. ready, if not nil,
// waits until the files of the picture exist and returns its pose.
func (t *task) recognise(
	ctx context.Context, pic picture, file string, ready func() (pose, error),
) (domain.Page, picture, error) {
	languages := t.req.Languages
	if len(languages) == 0 {
		languages = []string{"eng"}
	}
	image := Image{File: file, Width: pic.width, Height: pic.height, DPI: pic.dpi,
		Languages: languages[:1], CorrelationID: t.req.CorrelationID}
	words, err := t.readFirst(ctx, image, &pic, ready)
	if err != nil {
		return domain.Page{}, pic, err
	}
	letters, mean := letterConfidence(words)
	if letters >= minLetters && mean < minConfidence && !t.asIs {
		if err := pic.await(ready); err != nil {
			return domain.Page{}, pic, err
		}
		image.File = pic.pixels
		words, pic, err = t.retryOriented(ctx, image, words, pic)
		if err != nil {
			return domain.Page{}, pic, err
		}
		image.File, image.Width, image.Height = pic.pixels, pic.width, pic.height
	}
	image.Languages = t.languagesFor(words, image.Languages)
	if t.second.engine != nil {
		if err := pic.await(ready); err != nil {
			return domain.Page{}, pic, err
		}
	}
	words, err = t.second.compare(ctx, image, t.engine.Name(), words,
		func(engine Engine) ([]domain.Word, error) {
			return t.readAgain(ctx, engine, image, pic, languages[:1])
		})
	if err != nil {
		return domain.Page{}, pic, err
	}
	return domain.Page{Width: pic.width, Height: pic.height, DPI: pic.dpi, Rotation: pic.rotation,
		Source: domain.SourceOCR, Engine: t.second.nameWith(t.engine), Text: textOf(words),
		Words: words}, pic, nil
}

// readAgain reads a page with the second engine in the languages of the image. If it fails, as where
// the data of a language is not installed, the page is read in the usual ones.
func (t *task) readAgain(ctx context.Context, engine Engine, image Image, pic picture,
	usual []string) ([]domain.Word, error) {
	words, err := t.readStraight(ctx, engine, image, pic)
	if domain.HasCode(err, domain.EngineFailed) && !slices.Equal(image.Languages, usual) {
		image.Languages = usual
		return t.readStraight(ctx, engine, image, pic)
	}
	return words, err
}

// languagesFor returns the languages for a second reading of words: Chinese before the given ones if
// one letter in ten is Chinese and the request allows it, because PP-OCR reads it without being asked,
// or the European language of the words.
func (t *task) languagesFor(words []domain.Word, languages []string) []string {
	const chinese = "chi_sim"
	letters, han := 0, 0
	for _, word := range words {
		for _, r := range word.Text {
			if unicode.IsLetter(r) {
				letters++
			}
			if isHan(r) {
				han++
			}
		}
	}
	allowed := len(t.req.Languages) == 0 || slices.Contains(t.req.Languages, chinese)
	if !allowed || han == 0 || 10*han < letters || slices.Contains(languages, chinese) {
		return t.europeanFor(words, languages)
	}
	return append([]string{chinese}, languages...)
}

// retryOriented reads a page again if its orientation or script is another one. A second attempt that
// exceeds a limit, as on a dense drawing, does not discard the first one.
func (t *task) retryOriented(
	ctx context.Context, image Image, words []domain.Word, pic picture,
) ([]domain.Word, picture, error) {
	var lies Orientation
	_, err := t.straightened(ctx, t.engine, image, pic, func(image Image) (err error) {
		lies, err = t.engine.Orient(ctx, t.job, image)
		return err
	})
	if isPageLimit(ctx, err) {
		return words, pic, nil
	}
	if err != nil {
		return nil, pic, err
	}
	allowed := len(t.req.Languages) == 0 || slices.Contains(t.req.Languages, lies.Language)
	other := lies.Language != "" && lies.Language != image.Languages[0] && allowed
	if other {
		image.Languages = []string{lies.Language, image.Languages[0]}
	}
	if lies.Rotate == 0 && !other {
		return words, pic, nil
	}
	turned := pic
	if lies.Rotate != 0 {
		if turned, err = t.turnPicture(ctx, pic, lies.Rotate); err != nil {
			return nil, pic, err
		}
	}
	image.File, image.Width, image.Height = turned.pixels, turned.width, turned.height
	again, err := t.readStraight(ctx, t.engine, image, turned)
	limited := isPageLimit(ctx, err)
	if err != nil && !limited {
		return nil, pic, err
	}
	_, first := letterConfidence(words)
	if _, second := letterConfidence(again); limited || second < first+minImprovement {
		if turned.pixels != pic.pixels {
			_ = t.job.Remove(turned.pixels)
		}
		return words, pic, nil
	}
	if lies.Rotate != 0 {
		err = t.turnShown(ctx, pic, turned)
	}
	return again, turned, err
}

// minConfidence is the mean confidence of letters and digits below which a page is read again.
const minConfidence = 0.60

// minImprovement is the required improvement of a second attempt over the first.
const minImprovement = 0.05

// minLetters is the number of letters and digits required for a second attempt, because specks on
// an empty page are not text.
const minLetters = 12

// letterConfidence returns the number of letters and digits of a page and their mean confidence.
func letterConfidence(words []domain.Word) (letters int, mean float64) {
	var sum float64
	count := 0
	for _, word := range words {
		n := 0
		for _, r := range word.Text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
		sum += word.Confidence * float64(n)
		count += n
	}
	if count == 0 {
		return 0, 0
	}
	return count, sum / float64(count)
}

// textOf joins the words line by line.
func textOf(words []domain.Word) string {
	var text strings.Builder
	for i, word := range words {
		switch {
		case i == 0:
		case word.Line != words[i-1].Line:
			text.WriteByte('\n')
		default:
			text.WriteByte(' ')
		}
		text.WriteString(word.Text)
	}
	return text.String()
}

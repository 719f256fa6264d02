package ocr

import (
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// imageFrame is one image of a file, by its header.
type imageFrame struct {
	width, height int
	dpi           int
	orientation   int   // as EXIF and TIFF number it, 1..8
	at            int64 // TIFF: offset of its directory
	indirect      bool  // the engine must not decode it by itself: its colours need converting
}

// readFrames reads the headers of an image file; no pixel is decoded here. What the header claims is checked before any
// decoder sees the file.
func (t *task) readFrames(file io.ReaderAt, size int64) ([]imageFrame, error) {
	var found []imageFrame
	var err error
	switch t.reading.MediaType {
	case mediaPNG:
		found, err = pngFrame(file)
	case mediaJPEG:
		found, err = jpegFrame(file, size)
	case mediaTIFF:
		found, err = tiffFrames(file, size, t.limits.Pages)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.width < 1 || f.height < 1 {
			return nil, damagedError(fmt.Errorf("the header claims %dx%d pixels", f.width, f.height))
		}
		if int64(f.width)*int64(f.height) > t.limits.Pixels || f.width > 32767 || f.height > 32767 {
			return nil, domain.Errorf(domain.FileTooComplex, "The image has %d by %d pixels, which is too large.", f.width, f.height).
				WithRemedy("Scan it at 300 dots per inch or take a smaller photo.").
				WithDetail("pixels", strconv.FormatInt(int64(f.width)*int64(f.height), 10))
		}
	}
	return found, nil
}

func jpegFrame(file io.ReaderAt, size int64) ([]imageFrame, error) {
	config, err := jpeg.DecodeConfig(io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, damagedError(err)
	}
	orientation, dpi := jpegMetadata(io.NewSectionReader(file, 0, min(size, 1<<20)))
	return []imageFrame{{width: config.Width, height: config.Height, orientation: orientation, dpi: dpi,
		indirect: config.ColorModel == color.CMYKModel}}, nil
}

// readImage decodes each image of the file in a child and reads it with the engine.
func (t *task) readImage(ctx context.Context, file io.ReaderAt, size int64) error {
	found, err := t.readFrames(file, size)
	if err != nil {
		return err
	}
	return t.readEach(ctx, len(found), func(ctx context.Context, i int) (domain.Page, picture, error) {
		return t.readFrame(ctx, i+1, found[i])
	})
}

// readFrame decodes one image and reads it. An upright PNG or JPEG is read by the engine from the file itself while the
// raster for people is made of the same pixels; what cannot be decoded is damaged, whatever the engine makes of it.
func (t *task) readFrame(ctx context.Context, number int, f imageFrame) (domain.Page, picture, error) {
	pic := t.expected(number, f)
	upright := f.orientation <= 1 && !f.indirect && t.reading.MediaType != mediaTIFF
	if !upright {
		if err := t.decode(ctx, pic, f, false); err != nil {
			return domain.Page{}, pic, err
		}
		page, read, err := t.recognise(ctx, pic, pic.pixels, nil)
		t.removeFiles(pic, read)
		return page, read, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	decoded := make(chan error, 1)
	go func() {
		err := t.decode(ctx, pic, f, true)
		if err != nil {
			cancel()
		}
		decoded <- err
	}()
	ready := sync.OnceValue(func() error { return <-decoded })
	page, read, err := t.recognise(ctx, pic, inputPath, ready)
	// An engine that failed may have failed because the picture is damaged: decoding it, bounded by itself, has the say.
	if failed := ready(); failed != nil && (err == nil || !domain.HasCode(failed, domain.TimedOut)) {
		err = failed
	}
	t.removeFiles(pic, read)
	return page, read, err
}

// imageJob tells the child what to decode and what to write.
type imageJob struct {
	In          string // path in the job
	MediaType   string // of In; mediaPNM for the engine's pixels
	At          int64  // TIFF directory
	Orientation int    // to undo, 1..8; 0 = 1
	Turn        int    // further, clockwise
	Grey        bool   // write the luminance of colours
	MaxPixels   int64
	PNM, PNG    string // what to write; "" = not
	background  bool   // the page is being read meanwhile
}

// imageSize is the child's answer.
type imageSize struct{ Width, Height int }

const (
	callImage = "image"
	mediaPNM  = "image/x-portable-anymap"
)

// expected is the picture that decoding the image will make.
func (t *task) expected(number int, f imageFrame) picture {
	base := "page-" + strconv.Itoa(number)
	pic := picture{pixels: base + ".pnm", png: base + ".png", width: f.width, height: f.height, dpi: f.dpi, rotation: turnForOrientation(f.orientation)}
	if f.orientation >= 5 {
		pic.width, pic.height = f.height, f.width
	}
	return pic
}

func (t *task) decode(ctx context.Context, pic picture, f imageFrame, background bool) error {
	size, err := t.image(ctx, imageJob{In: inputPath, MediaType: t.reading.MediaType, At: f.at, Orientation: f.orientation,
		PNM: pic.pixels, PNG: pic.png, background: background})
	if err == nil && (size.Width != pic.width || size.Height != pic.height) {
		err = damagedError(fmt.Errorf("the header claims %dx%d, the image has %dx%d", pic.width, pic.height, size.Width, size.Height))
	}
	return err
}

// encode writes the PNG that people see of a picture; aside says that the page is being read meanwhile.
func (t *task) encode(ctx context.Context, pic picture, aside bool) error {
	_, err := t.image(ctx, imageJob{In: pic.pixels, MediaType: mediaPNM, PNG: pic.png, background: aside})
	return err
}

// removeFiles removes the engine's pixels, and the PNG of a page that was turned: nobody looks at them any more.
func (t *task) removeFiles(drawn, read picture) {
	names := []string{drawn.pixels}
	if read.pixels != drawn.pixels {
		names = append(names, read.pixels, drawn.png)
	}
	for _, name := range names {
		_ = t.job.Remove(name) // what stays goes with the folder
	}
}

// turnPicture makes an upright copy of a page for the engine; its raster for people is made by turnShown.
func (t *task) turnPicture(ctx context.Context, pic picture, degrees int) (picture, error) {
	turned := pic
	base := strings.TrimSuffix(pic.png, path.Ext(pic.png)) + "-turned"
	turned.pixels, turned.png, turned.rotation = base+".pnm", base+".png", (pic.rotation+degrees)%360
	size, err := t.image(ctx, imageJob{In: pic.pixels, MediaType: mediaPNM, Turn: degrees, PNM: turned.pixels})
	turned.width, turned.height = size.Width, size.Height
	return turned, err
}

func (t *task) turnShown(ctx context.Context, pic, turned picture) error {
	size, err := t.image(ctx, imageJob{In: pic.png, MediaType: mediaPNG, Turn: (turned.rotation - pic.rotation + 360) % 360, PNG: turned.png})
	if err == nil && (size.Width != turned.width || size.Height != turned.height) {
		err = fmt.Errorf("the raster was turned to %dx%d, the page to %dx%d", size.Width, size.Height, turned.width, turned.height)
	}
	return err
}

// image runs the decoding child.
func (t *task) image(ctx context.Context, plan imageJob) (imageSize, error) {
	plan.MaxPixels = t.limits.Pixels
	text, err := json.Marshal(plan)
	if err != nil {
		return imageSize{}, err
	}
	result, err := t.job.Run(ctx, sandbox.Spec{Call: callImage, Args: []string{string(text)}, Background: plan.background, Env: []string{"GOMAXPROCS=1"},
		CorrelationID: t.req.CorrelationID, Limits: sandbox.Limits{CPU: t.limits.PageCPU, Memory: t.limits.Memory, Wall: t.limits.DrawWall}})
	if err != nil {
		return imageSize{}, engineError(err)
	}
	if err := limitError(ctx, callImage, result); err != nil {
		return imageSize{}, err
	}
	if result.ExitCode == exitUnsupported {
		return imageSize{}, domain.Errorf(domain.UnsupportedFile, "The image uses a rare encoding that cannot be read.").
			WithRemedy("Save it as PNG or JPEG and send that.").WithCause(fmt.Errorf("%s", shortenOutput(result.Stderr)))
	}
	if !result.OK() {
		return imageSize{}, damagedError(fmt.Errorf("image: %s: %s", result, shortenOutput(result.Stderr)))
	}
	var size imageSize
	if err := json.Unmarshal(result.Stdout, &size); err != nil {
		return imageSize{}, engineError(err)
	}
	return size, nil
}

package ocr

import (
	"bytes"
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

// imageFrame is one image of a file, as described by its header.
type imageFrame struct {
	width, height int
	dpi           int
	orientation   int   // EXIF and TIFF orientation, 1..8
	at            int64 // TIFF: offset of its directory
	indirect      bool  // colours need conversion, so the engine must not decode the file
}

// readFrames reads the headers of an image file without decoding pixels. It checks the sizes before
// any decoder reads the file.
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
			return nil, brokenError(imageKinds[t.reading.MediaType], 0,
				fmt.Errorf("the header states %dx%d pixels", f.width, f.height),
			)
		}
		if int64(f.width)*int64(f.height) > t.limits.Pixels || f.width > 32767 || f.height > 32767 {
			return nil, domain.Errorf(domain.FileTooComplex,
				"The image is too large: %d by %d pixels.", f.width, f.height).
				WithRemedy("Scan it at 300 dpi or take a smaller photo.").
				WithDetail("pixels", strconv.FormatInt(int64(f.width)*int64(f.height), 10))
		}
	}
	return found, nil
}

func jpegFrame(file io.ReaderAt, size int64) ([]imageFrame, error) {
	counted := &countingReader{from: io.NewSectionReader(file, 0, size)}
	config, err := jpeg.DecodeConfig(counted)
	if err != nil {
		return nil, brokenError("JPEG", counted.read, err)
	}
	orientation, dpi := jpegMetadata(io.NewSectionReader(file, 0, min(size, 1<<20)))
	return []imageFrame{
		{width: config.Width, height: config.Height, orientation: orientation, dpi: dpi,
			indirect: config.ColorModel == color.CMYKModel},
	}, nil
}

// readImage decodes each image of the file in a child and reads it with the engine.
func (t *task) readImage(ctx context.Context, file io.ReaderAt, size int64) error {
	found, err := t.readFrames(file, size)
	if err != nil {
		return err
	}
	return t.readEach(
		ctx, len(found),
		func(ctx context.Context, i int) (domain.Page, picture, error) {
			return t.readFrame(ctx, i+1, found[i])
		},
	)
}

// readFrame decodes one image and recognises its words. The engine reads an upright PNG or JPEG
// directly while a child decodes the raster for display; a large one is decoded once, before. An
// image that cannot be decoded is damaged, even if the engine can read it.
func (t *task) readFrame(
	ctx context.Context, number int, f imageFrame,
) (domain.Page, picture, error) {
	pic := t.expected(number, f)
	done, err := t.awaitLarge(ctx, f.width*f.height)
	if err != nil {
		return domain.Page{}, pic, err
	}
	defer done()
	upright := f.width*f.height < largePixels && f.orientation <= 1 && !f.indirect && t.reading.MediaType != mediaTIFF
	if !upright {
		if pic.pose, err = t.decode(ctx, pic, f, false); err != nil {
			return domain.Page{}, pic, err
		}
		page, read, err := t.recognise(ctx, pic, pic.pixels, nil)
		t.removeFiles(pic, read)
		return page, read, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type decoding struct {
		pose pose
		err  error
	}
	decoded := make(chan decoding, 1)
	go func() {
		found, err := t.decode(ctx, pic, f, true)
		if err != nil {
			cancel()
		}
		decoded <- decoding{found, err}
	}()
	ready := sync.OnceValues(func() (pose, error) {
		done := <-decoded
		return done.pose, done.err
	})
	page, read, err := t.recognise(ctx, pic, inputPath, ready)
	// If the engine failed because the image is damaged, the error of decoding takes precedence.
	if _, failed := ready(); failed != nil &&
		(err == nil || !domain.HasCode(failed, domain.TimedOut)) {
		err = failed
	}
	t.removeFiles(pic, read)
	return page, read, err
}

// imageJob is the input of the decoding child.
type imageJob struct {
	In          string // path for the job's children
	MediaType   string // of In; mediaPNM for the engine's pixels
	At          int64  // TIFF directory
	Orientation int    // orientation to correct, 1..8; 0 means 1
	Turn        int    // additional clockwise rotation in degrees
	Grey        bool   // convert colours to luminance
	MaxPixels   int64
	PNM, PNG    string // output files; "" for none
	Hash        bool   // compute the perceptual hash
	Pose        bool   // estimate the skew and find the corners
	Straighten  *pose  // to correct, on a larger grey page; nil = none
	Reduced     string // output file within Side and MaxBytes; "" for none
	Side        int
	MaxBytes    int64
	background  bool // the engine reads the page concurrently
}

// imageSize is the output of the decoding child. Hash and Pose are 0 if they were not computed.
type imageSize struct {
	Width, Height int
	Hash          uint64
	Pose          pose
	BrokenAfter   int64  // bytes that were read of a file that cannot be decoded; 0 = not known
	MediaType     string // of the reduced image; "" if it has too many bytes in every quality
}

const (
	callImage = "image"
	mediaPNM  = "image/x-portable-anymap"
)

// expected returns the picture that decoding the image should produce.
func (t *task) expected(number int, f imageFrame) picture {
	base := "page-" + strconv.Itoa(number)
	pic := picture{
		pixels: base + ".pnm", png: base + ".png", width: f.width, height: f.height,
		dpi: f.dpi, rotation: turnForOrientation(f.orientation),
	}
	if f.orientation >= 5 {
		pic.width, pic.height = f.height, f.width
	}
	return pic
}

// decode writes the files of a picture and returns its pose.
func (t *task) decode(
	ctx context.Context, pic picture, f imageFrame, background bool,
) (pose, error) {
	size, err := t.image(
		ctx,
		imageJob{
			In: inputPath, MediaType: t.reading.MediaType, At: f.at,
			Orientation: f.orientation, PNM: pic.pixels, PNG: pic.png,
			Pose: true, background: background,
		},
	)
	if err == nil && (size.Width != pic.width || size.Height != pic.height) {
		err = brokenError(imageKinds[t.reading.MediaType], 0,
			fmt.Errorf(
				"the header states %dx%d pixels, the image has %dx%d", pic.width, pic.height,
				size.Width, size.Height,
			),
		)
	}
	return size.Pose, err
}

// encode writes the PNG of a picture for display; background says that the engine reads the page
// concurrently.
func (t *task) encode(ctx context.Context, pic picture, background bool) error {
	_, err := t.image(
		ctx, imageJob{In: pic.pixels, MediaType: mediaPNM, PNG: pic.png, background: background},
	)
	return err
}

// removeFiles removes the pixels of the engine, and the PNG of a page that was rotated, because
// they are no longer needed.
func (t *task) removeFiles(drawn, read picture) {
	names := []string{drawn.pixels}
	if read.pixels != drawn.pixels {
		names = append(names, read.pixels, drawn.png)
	}
	for _, name := range names {
		_ = t.job.Remove(name) // removed with the folder otherwise
	}
}

// turnPicture writes a rotated copy of a page for the engine. turnShown rotates the raster for
// display.
func (t *task) turnPicture(ctx context.Context, pic picture, degrees int) (picture, error) {
	turned := pic
	base := strings.TrimSuffix(pic.png, path.Ext(pic.png)) + "-turned"
	turned.pixels, turned.png, turned.rotation = base+".pnm", base+".png",
		(pic.rotation+degrees)%360
	size, err := t.image(
		ctx, imageJob{In: pic.pixels, MediaType: mediaPNM, Turn: degrees, PNM: turned.pixels,
			Pose: true},
	)
	turned.width, turned.height, turned.pose = size.Width, size.Height, size.Pose
	return turned, err
}

func (t *task) turnShown(ctx context.Context, pic, turned picture) error {
	size, err := t.image(
		ctx,
		imageJob{
			In: pic.png, MediaType: mediaPNG,
			Turn: (turned.rotation - pic.rotation + 360) % 360, PNG: turned.png,
		},
	)
	if err == nil && (size.Width != turned.width || size.Height != turned.height) {
		err = fmt.Errorf(
			"the raster was turned to %dx%d, the page to %dx%d", size.Width, size.Height,
			turned.width, turned.height,
		)
	}
	return err
}

// image runs the decoding child process for one image.
func (t *task) image(ctx context.Context, plan imageJob) (imageSize, error) {
	sizes, err := t.images(ctx, plan)
	if err != nil {
		return imageSize{}, err
	}
	return sizes[0], nil
}

// images runs the decoding child process, with the limits of one image. It returns the error of the
// first image that fails.
func (t *task) images(ctx context.Context, plans ...imageJob) ([]imageSize, error) {
	args := make([]string, 0, len(plans))
	for i := range plans {
		plans[i].MaxPixels = t.limits.Pixels
		plans[i].Pose = plans[i].Pose && !t.asIs
		plans[i].Hash = isFirstPage(plans[i].PNG)
		text, err := json.Marshal(plans[i])
		if err != nil {
			return nil, err
		}
		args = append(args, string(text))
	}
	result, err := t.job.Run(
		ctx,
		sandbox.Spec{
			Call: callImage, Args: args,
			Background: plans[0].background, Env: []string{"GOMAXPROCS=1"},
			CorrelationID: t.req.CorrelationID,
			Limits: sandbox.Limits{
				CPU: t.limits.PageCPU, Memory: t.limits.Memory, Wall: t.limits.DrawWall,
			},
		},
	)
	if err != nil {
		return nil, engineError(err)
	}
	if err := limitError(ctx, callImage, result); err != nil {
		return nil, err
	}
	if result.ExitCode == exitUnsupported {
		return nil, domain.Errorf(domain.UnsupportedFile,
			"The image uses an encoding that is not supported.").
			WithRemedy("Save it as PNG or JPEG and submit that.").
			WithCause(fmt.Errorf("%s", shortenOutput(result.Stderr)))
	}
	if !result.OK() {
		return nil, plans[0].brokenError(result)
	}
	return t.sizes(result.Stdout, plans)
}

// sizes parses the output of the decoding child process, and keeps the hashes.
func (t *task) sizes(output []byte, plans []imageJob) ([]imageSize, error) {
	sizes := make([]imageSize, len(plans))
	decoder := json.NewDecoder(bytes.NewReader(output))
	for i, plan := range plans {
		if err := decoder.Decode(&sizes[i]); err != nil {
			return nil, engineError(err)
		}
		if plan.Hash {
			t.hashes.Store(plan.PNG, sizes[i].Hash)
		}
	}
	return sizes, nil
}

// imageKinds are the names of images by media type, as a user knows them.
var imageKinds = map[string]string{mediaPNG: "PNG", mediaJPEG: "JPEG", mediaTIFF: "TIFF"}

// brokenError is the error of an image that the child could not decode. It says where the submitted
// file is broken, if that is known.
func (p imageJob) brokenError(result sandbox.Result) error {
	cause := fmt.Errorf("image: %s: %s", result, shortenOutput(result.Stderr))
	kind, known := imageKinds[p.MediaType]
	if p.In != inputPath || !known {
		return damagedError(cause)
	}
	var size imageSize
	if err := json.Unmarshal(result.Stdout, &size); err != nil {
		size.BrokenAfter = 0 // the child ended before it could say
	}
	return brokenError(kind, max(0, size.BrokenAfter), cause)
}

// isFirstPage reports whether a file is the raster of the first page for display, turned or not.
func isFirstPage(png string) bool { return png == "page-1.png" || png == "page-1-turned.png" }

// hashOf returns the perceptual hash of a raster for display, 0 if it has none.
func (t *task) hashOf(png string) uint64 {
	found, _ := t.hashes.Load(png)
	hash, _ := found.(uint64)
	return hash
}

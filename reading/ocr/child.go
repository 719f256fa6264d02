package ocr

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/image/tiff"
)

const (
	exitDamaged     = 1
	exitUnsupported = 3
)

// imageMain is the main function of the child that decodes images of untrusted files inside the
// sandbox. Each argument describes an image. It stops at the first that fails.
func imageMain(args []string) int {
	debug.SetMemoryLimit(700 << 20)
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "no plan")
		return exitDamaged
	}
	for _, arg := range args {
		if code := performPlan(arg); code != 0 {
			return code
		}
	}
	return 0
}

// performPlan processes one image and returns the exit code.
func performPlan(text string) int {
	var plan imageJob
	if json.Unmarshal([]byte(text), &plan) != nil {
		fmt.Fprintln(os.Stderr, "bad plan")
		return exitDamaged
	}
	size, err := plan.perform()
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(size) // where the file is broken
		fmt.Fprintln(os.Stderr, err)
		var jpegUnsupported jpeg.UnsupportedError
		var tiffUnsupported tiff.UnsupportedError
		var pngUnsupported png.UnsupportedError
		if errors.As(err, &jpegUnsupported) || errors.As(err, &tiffUnsupported) ||
			errors.As(err, &pngUnsupported) {
			return exitUnsupported
		}
		return exitDamaged
	}
	if err := json.NewEncoder(os.Stdout).Encode(size); err != nil {
		return exitDamaged
	}
	return 0
}

func (p imageJob) perform() (imageSize, error) {
	decoded, read, err := p.decode()
	if err != nil {
		return imageSize{BrokenAfter: read}, err
	}
	large := decoded.Bounds().Dx()*decoded.Bounds().Dy() >= largePixels
	release := func() {
		if large {
			debug.FreeOSMemory() // what the step before needed, before the next one needs as much
		}
	}
	release()
	pixels := flatten(decoded).orient(p.Orientation).orient(orientationForTurn[p.Turn])
	decoded = nil
	release()
	if p.Grey || p.Straighten != nil {
		pixels = pixels.grey()
	}
	if p.Straighten != nil {
		if pixels, err = pixels.straighten(*p.Straighten); err != nil {
			return imageSize{}, err
		}
	}
	if p.PNM != "" {
		if err := write(p.PNM, pixels.writePNM); err != nil {
			return imageSize{}, err
		}
	}
	if p.PNG != "" {
		if err := write(p.PNG, pixels.writePNG); err != nil {
			return imageSize{}, err
		}
	}
	if p.Reduced != "" {
		return p.reduce(pixels)
	}
	size := imageSize{Width: pixels.width, Height: pixels.height}
	if p.Hash {
		size.Hash = pixels.hash()
	}
	if p.Pose {
		size.Pose = pose{Skew: pixels.skew(), Corners: pixels.corners()}
	}
	return size, nil
}

// decode decodes the image. If that fails it returns how many bytes of a PNG or JPEG it had read.
func (p imageJob) decode() (decoded image.Image, read int64, err error) {
	file, err := os.Open(p.In)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	var from io.ReaderAt = file
	if p.MediaType == mediaTIFF {
		from = tiffDirectoryReader{file, p.At}
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	section := func() io.Reader { return io.NewSectionReader(from, 0, info.Size()) }
	config, decode := decoders(p.MediaType)
	size, err := config(section())
	if err != nil {
		return nil, 0, err
	}
	if int64(size.Width)*int64(size.Height) > p.MaxPixels {
		return nil, 0, fmt.Errorf("%dx%d pixels are too many", size.Width, size.Height)
	}
	if p.MediaType != mediaPNG && p.MediaType != mediaJPEG {
		decoded, err = decode(section()) // needs an io.ReaderAt
		return decoded, 0, err
	}
	counted := &countingReader{from: section()}
	decoded, err = decode(counted)
	return decoded, counted.read, err
}

// countingReader counts the bytes that were read.
type countingReader struct {
	from io.Reader
	read int64
}

// Read reads and counts.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read += int64(n)
	return n, err
}

func decoders(
	mediaType string,
) (func(io.Reader) (image.Config, error), func(io.Reader) (image.Image, error)) {
	switch mediaType {
	case mediaPNG:
		return png.DecodeConfig, png.Decode
	case mediaJPEG:
		return jpeg.DecodeConfig, jpeg.Decode
	case mediaTIFF:
		return tiff.DecodeConfig, tiff.Decode
	}
	return pnmConfig, decodePNM
}

// tiffDirectoryReader presents the directory at an offset as the first one of a TIFF, because the
// decoder reads only the first.
type tiffDirectoryReader struct {
	file *os.File
	at   int64
}

// ReadAt reads the file with the first directory's offset replaced.
func (d tiffDirectoryReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := d.file.ReadAt(p, at)
	head := make([]byte, 8)
	if _, err := d.file.ReadAt(head, 0); err != nil {
		return n, err
	}
	if head[0] == 'I' {
		binary.LittleEndian.PutUint32(head[4:], uint32(d.at))
	} else {
		binary.BigEndian.PutUint32(head[4:], uint32(d.at))
	}
	for i := range n {
		if offset := at + int64(i); offset >= 4 && offset < 8 {
			p[i] = head[offset]
		} else if offset >= 8 {
			break
		}
	}
	return n, err
}

// raster holds pixels of one byte (grey) or three bytes (RGB), without padding of rows.
type raster struct {
	width, height int
	channels      int
	data          []byte
}

// flatten draws an image on white and converts it to one channel if it has no colour.
func flatten(from image.Image) raster {
	bounds := from.Bounds()
	r := raster{width: bounds.Dx(), height: bounds.Dy(), channels: 1}
	if grey, ok := from.(*image.Gray); ok {
		r.data = make([]byte, r.width*r.height)
		for y := range r.height {
			copy(r.data[y*r.width:], grey.Pix[y*grey.Stride:y*grey.Stride+r.width])
		}
		return r
	}
	if colour, ok := from.(rgb); ok {
		return colour.raster.withoutColour()
	}
	if luminance, ok := from.(*image.YCbCr); ok {
		return flattenYCbCr(luminance).withoutColour()
	}
	flat, ok := from.(*image.RGBA)
	if !ok || !flat.Opaque() {
		flat = image.NewRGBA(image.Rect(0, 0, r.width, r.height))
		draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Bounds(), from, bounds.Min, draw.Over)
	}
	r.channels = 3
	r.data = make([]byte, r.width*r.height*3)
	at := 0
	for y := range r.height {
		row := flat.Pix[y*flat.Stride : y*flat.Stride+4*r.width]
		for x := 0; x+3 < len(row); x += 4 {
			r.data[at], r.data[at+1], r.data[at+2] = row[x], row[x+1], row[x+2]
			at += 3
		}
	}
	return r.withoutColour()
}

// flattenYCbCr converts the pixels of a JPEG without an image of four channels in between.
func flattenYCbCr(from *image.YCbCr) raster {
	bounds := from.Bounds()
	r := raster{width: bounds.Dx(), height: bounds.Dy(), channels: 3}
	r.data = make([]byte, r.width*r.height*3)
	at := 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			brightness, colour := from.YOffset(x, y), from.COffset(x, y)
			r.data[at], r.data[at+1], r.data[at+2] = color.YCbCrToRGB(from.Y[brightness],
				from.Cb[colour], from.Cr[colour])
			at += 3
		}
	}
	return r
}

// withoutColour converts to one channel if all pixels are grey.
func (r raster) withoutColour() raster {
	grey := make([]byte, r.width*r.height)
	data := r.data
	for i := range grey {
		pixel := data[3*i : 3*i+3 : 3*i+3]
		if pixel[0] != pixel[1] || pixel[0] != pixel[2] {
			return r
		}
		grey[i] = pixel[0] // the luminance of a grey pixel is its value
	}
	return raster{width: r.width, height: r.height, channels: 1, data: grey}
}

// grey converts to one channel: the luminance by ITU-R BT.601, which the library of the engine uses
// as well.
func (r raster) grey() raster {
	if r.channels == 1 {
		return r
	}
	grey := raster{
		width: r.width, height: r.height, channels: 1,
		data: make([]byte, r.width*r.height),
	}
	data := r.data
	for i := range grey.data {
		pixel := data[3*i : 3*i+3 : 3*i+3]
		red, green, blue := uint32(pixel[0]), uint32(pixel[1]), uint32(pixel[2])
		grey.data[i] = byte((299*red + 587*green + 114*blue + 500) / 1000)
	}
	return grey
}

func write(name string, content func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 256<<10)
	if err := content(buffered); err != nil {
		_ = file.Close()
		return err
	}
	if err := buffered.Flush(); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

func (r raster) writePNM(to io.Writer) error {
	kind := 5
	if r.channels == 3 {
		kind = 6
	}
	if _, err := fmt.Fprintf(to, "P%d\n%d %d\n255\n", kind, r.width, r.height); err != nil {
		return err
	}
	_, err := to.Write(r.data)
	return err
}

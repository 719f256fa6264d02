package pdfacheck

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// object is an indirect object. raw is the stored data of a stream.
type object struct {
	value  any
	raw    []byte
	stream bool
}

// file is a parsed PDF.
type file struct {
	data       []byte
	violations []Violation
	objects    map[int64]*object
	trailer    dict
}

func (f *file) report(clause, format string, values ...any) {
	f.violations = append(f.violations, Violation{clause, fmt.Sprintf(format, values...)})
}

var (
	headerPattern  = regexp.MustCompile(`^%PDF-1\.[0-7](\r\n|\n|\r)%[\x80-\xff]{4}`)
	endPattern     = regexp.MustCompile(`startxref\r?\n(\d+)\r?\n%%EOF(\r\n|\n|\r)?$`)
	tablePattern   = regexp.MustCompile(`^xref\n0 (\d+)\n`)
	entryPattern   = regexp.MustCompile(`^(\d{10}) (\d{5}) ([nf])( \n|\r\n| \r)`)
	objectPattern  = regexp.MustCompile(`^(\d+) (\d+) obj(\r\n|\n|\r)`)
	streamPattern  = regexp.MustCompile(`^\s*stream(\r\n|\n)`)
	endObjPattern  = regexp.MustCompile(`^(\r\n|\n|\r)endobj(\r\n|\n|\r)`)
	endDataPattern = regexp.MustCompile(`^(\r\n|\n|\r)endstream`)
)

// parse reads the structure of a file. It returns an error if the objects cannot be found.
func (f *file) parse() error {
	f.parseHeader()
	end := endPattern.FindSubmatch(f.data[max(0, len(f.data)-100):])
	if end == nil {
		f.report("6.1.3", "the file does not end with %%%%EOF")
		return errors.New("the table of objects is not found")
	}
	start, err := strconv.Atoi(string(end[1]))
	if err != nil || start >= len(f.data) {
		f.report("6.1.4", "startxref is %s", end[1])
		return errors.New("the table of objects is not found")
	}
	offsets, rest, err := f.parseTable(start)
	if err != nil {
		f.report("6.1.4", "%v", err)
		return err
	}
	p := &parser{data: rest, report: f.report}
	value, err := p.value()
	trailer, ok := value.(dict)
	if err != nil || !ok {
		f.report("6.1.3", "the trailer cannot be read: %v", err)
		return errors.New("no trailer")
	}
	f.trailer = trailer
	f.objects = map[int64]*object{}
	for number, offset := range offsets {
		if err := f.parseObject(number, offset); err != nil {
			f.report("6.1.9", "object %d: %v", number, err)
		}
	}
	f.checkLengths()
	return nil
}

func (f *file) parseHeader() {
	// The pattern is about bytes, so the head is converted to the characters of the same numbers.
	var head []rune
	for _, b := range f.data[:min(len(f.data), 40)] {
		head = append(head, rune(b))
	}
	if !headerPattern.MatchString(string(head)) {
		f.report("6.1.2", "the header is %q", f.data[:min(len(f.data), 20)])
	}
}

// parseTable reads the offsets of the objects.
func (f *file) parseTable(start int) (map[int64]int, []byte, error) {
	data := f.data[start:]
	head := tablePattern.FindSubmatch(data)
	if head == nil {
		return nil, nil, fmt.Errorf("no table of objects at %d", start)
	}
	count, err := strconv.Atoi(string(head[1]))
	if err != nil {
		return nil, nil, err
	}
	data = data[len(head[0]):]
	if count > 8388607 {
		f.report("6.1.13", "the file has %d objects", count)
	}
	offsets := map[int64]int{}
	for number := range count {
		entry := entryPattern.FindSubmatch(data)
		if entry == nil {
			return nil, nil, fmt.Errorf("entry %d of the table cannot be read", number)
		}
		data = data[len(entry[0]):]
		offset, err := strconv.Atoi(string(entry[1]))
		if err != nil || offset >= len(f.data) {
			return nil, nil, fmt.Errorf("entry %d of the table is %s", number, entry[1])
		}
		if string(entry[3]) == "n" {
			offsets[int64(number)] = offset
		}
	}
	rest, found := bytes.CutPrefix(data, []byte("trailer\n"))
	if !found {
		return nil, nil, errors.New("no trailer follows the table")
	}
	return offsets, rest, nil
}

func (f *file) parseObject(number int64, offset int) error {
	data := f.data[offset:]
	head := objectPattern.FindSubmatch(data)
	if head == nil || string(head[1]) != strconv.FormatInt(number, 10) || string(head[2]) != "0" {
		return fmt.Errorf("it is not at %d", offset)
	}
	p := &parser{data: data, at: len(head[0]), report: f.report}
	value, err := p.value()
	if err != nil {
		return err
	}
	found := &object{value: value}
	f.objects[number] = found
	rest := data[p.at:]
	if begin := streamPattern.FindSubmatch(rest); begin != nil {
		if _, ok := value.(dict); !ok {
			return errors.New("a stream without a dictionary")
		}
		found.stream, found.raw = true, rest[len(begin[0]):]
		return nil // its length may be another object
	}
	if !endObjPattern.Match(rest) {
		return errors.New("it does not end with endobj on a line")
	}
	return nil
}

// checkLengths cuts the streams by their lengths, which must be the real ones.
func (f *file) checkLengths() {
	for number, o := range f.objects {
		if !o.stream {
			continue
		}
		d, _ := o.value.(dict)
		length, ok := f.resolve(d["Length"]).(int64)
		if !ok || length < 0 || length > int64(len(o.raw)) {
			f.report("6.1.7.1", "the length of stream %d is %v", number, d["Length"])
			o.raw = nil
			continue
		}
		after := o.raw[length:]
		end := endDataPattern.FindSubmatch(after)
		if end == nil || !endObjPattern.Match(after[len(end[0]):]) {
			f.report("6.1.7.1", "stream %d does not end after %d bytes", number, length)
		}
		o.raw = o.raw[:length]
	}
}

// resolve follows references.
func (f *file) resolve(value any) any {
	for range 10 {
		r, ok := value.(ref)
		if !ok {
			return value
		}
		o := f.objects[r.number]
		if o == nil {
			return nil
		}
		value = o.value
	}
	return nil
}

func (f *file) dict(value any) dict {
	d, _ := f.resolve(value).(dict)
	return d
}

func (f *file) list(value any) array {
	a, _ := f.resolve(value).(array)
	return a
}

// streamOf returns the object of a reference to a stream; nil for another value.
func (f *file) streamOf(value any) *object {
	r, ok := value.(ref)
	if !ok {
		return nil
	}
	if o := f.objects[r.number]; o != nil && o.stream {
		return o
	}
	return nil
}

// decoded returns the data of a stream without its compression, but with the filters of PNG.
func (f *file) decoded(o *object) ([]byte, error) {
	d, _ := o.value.(dict)
	switch filter := f.resolve(d["Filter"]).(type) {
	case nil:
		return o.raw, nil
	case name:
		if filter == "FlateDecode" {
			in, err := zlib.NewReader(bytes.NewReader(o.raw))
			if err != nil {
				return nil, err
			}
			return io.ReadAll(in)
		}
	}
	return nil, fmt.Errorf("the filter %v is not known here", d["Filter"])
}

package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/domain"
)

// Format is how records are written.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	Lines Format = "jsonl"
)

// Formats returns all formats.
func Formats() []Format { return []Format{CSV, Lines} }

// MediaType returns the media type of an export.
func (f Format) MediaType() string {
	if f == CSV {
		return "text/csv; charset=utf-8; header=present"
	}
	return "application/jsonl; charset=utf-8"
}

// Columns returns the names of the members of a record, which are the columns of CSV.
func Columns(kind Kind) []string {
	var names []string
	eachMember(reflect.ValueOf(recordOf(kind)).Elem(), func(name string, _ any) {
		names = append(names, name)
	})
	return names
}

// Writer writes the records of one export. End makes it complete.
type Writer struct {
	kind    string
	columns int
	number  int64
	out     *bufio.Writer
	csv     *csv.Writer // nil for JSON lines
}

// NewWriter begins an export. CSV begins with the names of the columns; with mark, a byte order mark
// precedes them, by which spreadsheets recognise UTF-8.
func NewWriter(out io.Writer, kind Kind, format Format, mark bool) (*Writer, error) {
	w := &Writer{kind: recordKinds[kind], out: bufio.NewWriter(out)}
	if format != CSV {
		return w, nil
	}
	if mark {
		if _, err := w.out.WriteString("\ufeff"); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
	}
	w.csv = csv.NewWriter(w.out)
	columns := Columns(kind)
	w.columns = len(columns)
	return w, w.cells(columns)
}

// Write writes a record.
func (w *Writer) Write(record Record) error {
	w.number++
	*record.head() = Head{Kind: w.kind, Number: w.number}
	if w.csv == nil {
		return w.line(record)
	}
	cells := make([]string, 0, w.columns)
	eachMember(reflect.ValueOf(record).Elem(), func(_ string, value any) {
		cells = append(cells, cellOf(value))
	})
	return w.cells(cells)
}

// lastRecord ends an export.
type lastRecord struct {
	Head
	Code    domain.Code `json:"code,omitempty"`
	Message string      `json:"message,omitempty"`
}

// End writes the last record of a complete export, with the number of records.
func (w *Writer) End() error { return w.last(lastRecord{Head: Head{endRecord, w.number}}) }

// Fail writes the last record of an export that ended early, with the code of the reason in the third
// cell.
func (w *Writer) Fail(code domain.Code, message string) error {
	return w.last(lastRecord{Head{errorRecord, w.number}, code, message})
}

func (w *Writer) last(record lastRecord) error {
	err := error(nil)
	if w.csv == nil {
		err = w.line(record)
	} else {
		cells := make([]string, w.columns)
		cells[0], cells[1] = record.Kind, strconv.FormatInt(record.Number, 10)
		cells[2] = string(record.Code)
		err = w.cells(cells)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// Flush hands everything written so far to the underlying writer.
func (w *Writer) Flush() error {
	if w.csv != nil {
		w.csv.Flush()
		if err := w.csv.Error(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// Count returns the number of records so far.
func (w *Writer) Count() int64 { return w.number }

func (w *Writer) cells(cells []string) error {
	if err := w.csv.Write(cells); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (w *Writer) line(record any) error {
	encoder := json.NewEncoder(w.out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(record); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// eachMember calls use for every member of a record, in order. The members of the head come first.
func eachMember(record reflect.Value, use func(name string, value any)) {
	for i := range record.NumField() {
		field := record.Type().Field(i)
		if field.Anonymous {
			eachMember(record.Field(i), use)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		use(name, record.Field(i).Interface())
	}
}

// cellOf returns a value as the text of a cell. Lists are separated by spaces.
func cellOf(value any) string {
	switch value := value.(type) {
	case string:
		return safeCell(value)
	case []string:
		return safeCell(strings.Join(value, " "))
	case json.RawMessage:
		if bytes.Equal(value, []byte("null")) {
			return ""
		}
		return safeCell(string(value))
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano)
	case Decimal, int, int64, bool, domain.ID:
		return fmt.Sprint(value)
	}
	pointer := reflect.ValueOf(value)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		return ""
	}
	return cellOf(pointer.Elem().Interface())
}

// formulaStarts begin the cells that spreadsheets execute, also in their full-width forms.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// safeCell returns the text with an apostrophe before it if a spreadsheet would execute it. Numbers
// have cells of their own types, so a negative amount stays a number.
func safeCell(text string) string {
	if first, size := utf8.DecodeRuneInString(text); size > 0 &&
		strings.ContainsRune(formulaStarts, first) {
		return "'" + text
	}
	return text
}

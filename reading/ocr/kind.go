package ocr

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"countersign/domain"
)

const (
	mediaPDF  = "application/pdf"
	mediaPNG  = "image/png"
	mediaJPEG = "image/jpeg"
	mediaTIFF = "image/tiff"
	mediaXML  = "application/xml"
)

// MaxXMLBytes limits the size of an e-invoice XML, the only format that is parsed in this process.
const MaxXMLBytes = 10 << 20

// mediaTypeOf detects the media type from the content, never from the name, which is only mentioned in
// the error. It returns UnsupportedFile for other types.
func mediaTypeOf(file io.ReaderAt, name string) (string, error) {
	head := make([]byte, domain.SniffBytes)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return mediaPNG, nil
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return mediaJPEG, nil
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return mediaTIFF, nil
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return mediaPDF, nil
	case invoiceRoot(head) != "":
		return mediaXML, nil
	}
	return "", UnsupportedError(head, name)
}

// readInvoiceXML returns the file if it is well-formed XML of at most MaxXMLBytes.
func readInvoiceXML(file io.ReaderAt, size int64) ([]byte, error) {
	if size > MaxXMLBytes {
		return nil, domain.Errorf(
			domain.FileTooLarge, "The XML file is larger than %d MB.", MaxXMLBytes>>20,
		)
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := wellFormed(text); err != nil {
		return nil, brokenError("XML", 0, err)
	}
	return text, nil
}

// wellFormed checks the whole text, with a limit on nesting.
func wellFormed(text []byte) error {
	decoder := newXMLDecoder(text)
	depth := 0
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			if depth != 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("xml: %w", err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth > 200 {
			return errors.New("xml: nested too deep")
		}
	}
}

// invoiceRoot returns the name of the root element if the XML is a supported e-invoice: CII
// (Factur-X, ZUGFeRD 1 and 2, XRechnung) or UBL; otherwise "".
func invoiceRoot(text []byte) string {
	decoder := newXMLDecoder(text)
	for {
		token, err := decoder.RawToken()
		if err != nil {
			return ""
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			if data, isText := token.(xml.CharData); isText &&
				len(bytes.Trim(data, " \t\r\n\ufeff")) > 0 {
				return ""
			}
			continue
		}
		switch start.Name.Local {
		case "CrossIndustryInvoice", "CrossIndustryDocument":
			return start.Name.Local
		case "Invoice", "CreditNote":
			for _, attribute := range start.Attr {
				if strings.HasPrefix(attribute.Value, "urn:oasis:names:specification:ubl:") {
					return start.Name.Local
				}
			}
		}
		return ""
	}
}

// newXMLDecoder decodes UTF-8 and Latin-1, the encodings of e-invoices. It never expands entities
// of a DTD.
func newXMLDecoder(text []byte) *xml.Decoder {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		switch strings.ToLower(label) {
		case "utf-8", "us-ascii", "ascii":
			return input, nil
		case "iso-8859-1", "iso-8859-15", "windows-1252", "latin1":
			raw, err := io.ReadAll(input)
			if err != nil {
				return nil, err
			}
			runes := make([]rune, len(raw))
			for i, b := range raw {
				runes[i] = rune(b)
			}
			return strings.NewReader(string(runes)), nil
		}
		return nil, fmt.Errorf("charset %q", label)
	}
	return decoder
}

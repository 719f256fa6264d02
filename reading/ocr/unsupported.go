package ocr

import (
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"countersign/domain"
)

// claimedKinds are the kinds of supported files by the ending of their name. Only these endings are
// repeated in an error, because a name is the submitter's text.
var claimedKinds = map[string]string{".pdf": "PDF", ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG",
	".tif": "TIFF", ".tiff": "TIFF", ".xml": "e-invoice"}

// otherKinds are names of unsupported media types, as a user knows them.
var otherKinds = map[string]string{
	"text/html": "HTML", "text/plain": "plain text", "text/csv": "CSV", "text/rtf": "RTF",
	"image/svg+xml": "SVG", "image/gif": "GIF", "image/webp": "WebP", "image/bmp": "BMP",
	"image/heic": "HEIC", "image/heif": "HEIF", "image/avif": "AVIF", "image/jp2": "JPEG 2000",
	"image/vnd.adobe.photoshop": "a Photoshop file", "application/zip": "a ZIP archive",
	"application/gzip": "a gzip archive", "application/postscript": "PostScript",
	"application/msword": "a Word document", "application/vnd.ms-excel": "an Excel file",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "a Word document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "an Excel file",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "a PowerPoint file",
	"application/vnd.oasis.opendocument.text":                                   "an OpenDocument text",
	"application/x-elf": "a program", "application/x-executable": "a program",
	"application/vnd.microsoft.portable-executable": "a program",
	"application/x-ole-storage":                     "an Office or Outlook file",
}

// UnsupportedError says what a file is, and, if its name claims another kind, that too. head is the
// begin of the file.
func UnsupportedError(head []byte, name string) error {
	mediaType, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	ending := strings.ToLower(path.Ext(name))
	claimed, other := claimedKinds[ending], otherKinds[mediaType]
	err := domain.Errorf(domain.UnsupportedFile, "This file type (%s) is not supported.", mediaType)
	reason := "type"
	switch {
	case mediaType == "text/xml" || mediaType == "application/xml":
		err = domain.Errorf(domain.UnsupportedFile, "This file is XML but not a supported e-invoice.")
		reason = "not_einvoice"
	case claimed != "" && other != "":
		err = domain.Errorf(domain.UnsupportedFile, "This file is named %s but is %s.", ending, other)
		reason = "named_otherwise"
	case claimed != "":
		err = domain.Errorf(domain.UnsupportedFile, "This file is named %s but is not a %s file.",
			ending, claimed)
		reason = "not_as_named"
	case other != "":
		err = domain.Errorf(domain.UnsupportedFile, "This file is %s, which is not supported.", other)
		reason = "kind"
	}
	return err.WithRemedy("Submit a PDF, PNG, JPEG or TIFF file, or an e-invoice in XML.").
		WithDetail("reason", reason).WithDetail("mediaType", mediaType).
		WithDetail("ending", ending[:min(len(ending), 5)]).WithDetail("kind", other)
}

package domain

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileEndings holds the valid extensions by media type. The first one is added to a name that has
// none of them.
var fileEndings = map[string][]string{
	"application/pdf":  {".pdf"},
	"image/png":        {".png"},
	"image/jpeg":       {".jpg", ".jpeg", ".jpe", ".jfif"},
	"image/tiff":       {".tiff", ".tif"},
	"application/xml":  {".xml"},
	"application/json": {".json"},
	// Their content is not examined. Programs that open files with these extensions run nothing in them.
	AttachmentType: {otherEnding, ".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".txt", ".csv",
		".docx", ".xlsx", ".pptx", ".odt", ".ods", ".eml"},
}

// AttachmentType is the pseudo media type of attachments of notes, whose content is unknown.
const AttachmentType = "application/x-attachment"

// otherEnding is the extension for unknown media types, because no program opens it automatically.
const otherEnding = ".bin"

// maxDownloadName is the maximum length of a name in bytes. File systems allow 255, and browsers
// add " (1)".
const maxDownloadName = 200

// DownloadName returns the name under which a file is offered for download: the submitted name,
// with an extension for its media type. A wrong extension is kept and followed by the right one (a
// PDF named evil.html becomes evil.html.pdf), because programs use the last extension. Paths,
// control, bidirectional and invisible characters, characters that Windows forbids and its device
// names are removed or replaced.
func DownloadName(name, mediaType string) string {
	endings := fileEndings[mediaType]
	if len(endings) == 0 {
		endings = []string{otherEnding}
	}
	name = plainFileName(name)
	ending := path.Ext(name)
	if !slices.Contains(endings, strings.ToLower(ending)) {
		ending = endings[0]
	}
	stem := strings.TrimRight(strings.TrimSuffix(name, ending), ". ")
	if strings.Trim(stem, "._ ") == "" {
		stem = "document"
	}
	if isDevice(stem) {
		stem = "_" + stem
	}
	return shortened(stem, maxDownloadName-len(ending)) + ending
}

// invisible are the categories of characters that are not displayed.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
	unicode.Variation_Selector,
}

// plainFileName removes or replaces characters that are invisible or have a special meaning in file
// systems, shells or HTML.
func plainFileName(name string) string {
	var plain strings.Builder
	for _, r := range strings.ToValidUTF8(name, "_") {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.In(r, invisible...), r == unicode.ReplacementChar:
			continue
		case strings.ContainsRune(`<>:"/\|?*`, r), r == '\u2044', r == '\u2215':
			r = '_'
		}
		if r == ' ' && strings.HasSuffix(plain.String(), " ") {
			continue // repeated spaces can push the extension out of view
		}
		plain.WriteRune(r)
	}
	return strings.TrimLeft(strings.TrimRight(plain.String(), ". "), ". ")
}

// isDevice reports whether Windows treats the name, up to its first dot, as a device.
func isDevice(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	first = strings.ToUpper(strings.TrimRight(first, " "))
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}, first) {
		return true
	}
	for _, device := range []string{"COM", "LPT"} {
		number, found := strings.CutPrefix(first, device)
		if found && utf8.RuneCountInString(number) == 1 &&
			strings.ContainsAny(number, "0123456789¹²³") {
			return true
		}
	}
	return false
}

// shortened truncates a name to at most the given number of bytes, at a character boundary, and
// marks the truncation.
func shortened(name string, most int) string {
	if len(name) <= most {
		return name
	}
	const mark = "…"
	cut := most - len(mark)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return strings.TrimRight(name[:cut], ". ") + mark
}

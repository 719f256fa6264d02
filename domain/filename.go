package domain

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileEndings are the endings that fit what a file is; the first is added to a name that has none of them.
var fileEndings = map[string][]string{
	"application/pdf": {".pdf"}, "image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg", ".jpe", ".jfif"}, "image/tiff": {".tiff", ".tif"},
	"application/xml": {".xml"}, "application/json": {".json"},
}

// otherEnding is for bytes of which nothing is known: no program opens it by itself.
const otherEnding = ".bin"

// maxDownloadName is the longest name offered, in bytes; file systems take 255, browsers add " (1)".
const maxDownloadName = 200

// DownloadName is the name under which a file is offered for saving: the person's, so that they recognise it, with an ending
// that fits what the file is. Another ending is kept and followed by the right one (evil.html, a PDF, is evil.html.pdf):
// what opens a file goes by its last ending, and a person sees what was sent. Nothing in the name reorders, hides or
// escapes: no folders, control, direction or invisible characters, none that Windows forbids, none of its device names.
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

// plainFileName takes out of a name what a file system, a shell or a page would read otherwise than a person.
func plainFileName(name string) string {
	var plain strings.Builder
	for _, r := range strings.ToValidUTF8(name, "_") {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector), r == unicode.ReplacementChar:
			continue // what nobody sees
		case strings.ContainsRune(`<>:"/\|?*`, r), r == '\u2044', r == '\u2215':
			r = '_'
		}
		if r == ' ' && strings.HasSuffix(plain.String(), " ") {
			continue // spaces in a row push an ending out of sight
		}
		plain.WriteRune(r)
	}
	return strings.TrimLeft(strings.TrimRight(plain.String(), ". "), ". ")
}

// isDevice reports whether Windows takes the name, up to its first point, for a device.
func isDevice(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	first = strings.ToUpper(strings.TrimRight(first, " "))
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}, first) {
		return true
	}
	for _, device := range []string{"COM", "LPT"} {
		if number, found := strings.CutPrefix(first, device); found && utf8.RuneCountInString(number) == 1 && strings.ContainsAny(number, "0123456789¹²³") {
			return true
		}
	}
	return false
}

// shortened cuts a name to so many bytes, at a character, with a mark that something is left out.
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

package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// fileTimeout is how long one file may take to reach a slow reader.
const fileTimeout = 15 * time.Minute

// inlineTypes are the media types that are sent as what they are; anything else is bytes.
var inlineTypes = map[string]bool{"application/pdf": true, "application/json": true, "application/xml": true,
	"image/png": true, "image/jpeg": true, "image/tiff": true}

// fileHandler hands out one file of a case: the original and the manifest as an attachment, a page's raster to be looked at.
func (d *Handler) fileHandler(kind casework.BlobKind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.serveFile(w, r, kind); err != nil {
			d.writeError(w, r, err)
		}
	})
}

func (d *Handler) serveFile(w http.ResponseWriter, r *http.Request, kind casework.BlobKind) error {
	actor, err := d.requireActor(r)
	if err != nil {
		return err
	}
	wanted, err := parseFileRequest(r, kind)
	if err != nil {
		return err
	}
	opened, err := d.options.Files.OpenBlob(r.Context(), actor, wanted)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Content.Close() }()
	tag, err := entityTag(&opened)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(d.clock.Now().Add(fileTimeout))
	header := w.Header()
	header.Set("Content-Type", mediaTypeOf(opened.MediaType))
	header.Set("Content-Security-Policy", filePolicy)
	// Kept by the person's own browser only, and asked for anew each time: rights may have gone, and every look is noted.
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Cookie, Authorization")
	header.Set("ETag", tag)
	if kind != casework.BlobPage {
		header.Set("Content-Disposition", attachment(domain.DownloadName(opened.FileName, mediaTypeOf(opened.MediaType))))
	}
	sendContent(w, r, opened)
	return nil
}

// parseFileRequest reads which file is meant. What cannot be one is NotFound, like what is not there.
func parseFileRequest(r *http.Request, kind casework.BlobKind) (casework.OpenBlob, error) {
	missing := domain.Errorf(domain.NotFound, "There is no such file, or you may not see it.")
	wanted := casework.OpenBlob{Kind: kind}
	var err error
	if wanted.CaseID, err = domain.ParseID(r.PathValue("id")); err != nil {
		return wanted, missing
	}
	if kind == casework.BlobPage {
		if wanted.Page, err = strconv.Atoi(r.PathValue("n")); err != nil || wanted.Page < 1 {
			return wanted, missing
		}
	}
	if text := r.URL.Query().Get("revision"); text != "" && kind != casework.BlobManifest {
		if wanted.Revision, err = strconv.Atoi(text); err != nil || wanted.Revision < 1 {
			return wanted, domain.Invalid("revision", "%q is not the number of a revision.", text)
		}
	}
	return wanted, nil
}

// sendContent serves ranges and conditions where the store can seek, else the whole.
func sendContent(w http.ResponseWriter, r *http.Request, opened casework.OpenedBlob) {
	if content, ok := opened.Content.(io.ReadSeeker); ok {
		http.ServeContent(w, r, "", time.Time{}, content)
		return
	}
	if r.Header.Get("If-None-Match") == w.Header().Get("ETag") && w.Header().Get("ETag") != "" {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Accept-Ranges", "none")
	w.Header().Set("Content-Length", strconv.FormatInt(opened.Size, 10))
	if r.Method != http.MethodHead {
		_, _ = io.CopyN(w, opened.Content, opened.Size) // whoever went away needs no more
	}
}

// entityTag is the content's hash as an entity tag. Where it is not known it is read off the content, which is then wound
// back; a store that cannot seek has no tag.
func entityTag(opened *casework.OpenedBlob) (string, error) {
	if opened.SHA256 == "" {
		content, ok := opened.Content.(io.ReadSeeker)
		if !ok {
			return "", nil
		}
		hash := sha256.New()
		_, err := io.Copy(hash, content)
		if err == nil {
			_, err = content.Seek(0, io.SeekStart)
		}
		if err != nil {
			return "", domain.Errorf(domain.Unavailable, "The stored file cannot be read at the moment.").WithCause(err)
		}
		opened.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	return `"` + opened.SHA256 + `"`, nil
}

func mediaTypeOf(mediaType string) string {
	if inlineTypes[mediaType] {
		return mediaType
	}
	return "application/octet-stream"
}

// attachment is the header that names a download as RFC 6266 says: plain ASCII for old clients, the true name in UTF-8.
func attachment(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if name == "" {
		name = "document"
	}
	plain := strings.Map(func(r rune) rune {
		if r > '~' || strings.ContainsRune(`"%;`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(percentEncode(name), "+", "%20")
}

// percentEncode is the percent-encoding of RFC 5987, in which these marks have to be encoded too.
func percentEncode(name string) string {
	return strings.NewReplacer("'", "%27", "(", "%28", ")", "%29", "*", "%2A").Replace(url.QueryEscape(name))
}

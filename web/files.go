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

// fileTimeout is the maximum time for sending one file to a slow client.
const fileTimeout = 15 * time.Minute

// inlineTypes are the media types that are sent under their own type; all others are sent as octet
// streams.
var inlineTypes = map[string]bool{"application/pdf": true, "application/json": true,
	"application/xml": true,
	"image/png":       true, "image/jpeg": true, "image/tiff": true}

// fileHandler serves one file of a case: the original and the manifest as attachments, the raster
// of a page inline.
func (h *Handler) fileHandler(kind casework.BlobKind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.serveFile(w, r, kind); err != nil {
			h.writeError(w, r, err)
		}
	})
}

func (h *Handler) serveFile(w http.ResponseWriter, r *http.Request, kind casework.BlobKind) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	wanted, err := parseFileRequest(r, kind)
	if err != nil {
		return err
	}
	opened, err := h.options.Files.OpenBlob(r.Context(), actor, wanted)
	if err != nil {
		return err
	}
	return h.sendFile(w, r, opened, kind == casework.BlobPage || kind == casework.BlobSupportingPage)
}

// serveAttachment serves one file of a note, always as a download of an unknown type.
func (h *Handler) serveAttachment(w http.ResponseWriter, r *http.Request) {
	if err := h.sendAttachment(w, r); err != nil {
		h.writeError(w, r, err)
	}
}

func (h *Handler) sendAttachment(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	var wanted casework.OpenAttachment
	if wanted.CaseID, err = domain.ParseID(r.PathValue("id")); err == nil {
		wanted.NoteID, err = domain.ParseID(r.PathValue("note"))
	}
	if err == nil {
		wanted.Number, err = strconv.Atoi(r.PathValue("n"))
	}
	if err != nil {
		return domain.Errorf(domain.NotFound, "File not found, or you do not have access.")
	}
	opened, err := h.options.Files.OpenAttachment(r.Context(), actor, wanted)
	if err != nil {
		return err
	}
	return h.sendFile(w, r, opened, false)
}

// serveComparedPage serves the image of a page of a case that is compared with that of a review.
func (h *Handler) serveComparedPage(w http.ResponseWriter, r *http.Request) {
	if err := h.sendComparedPage(w, r); err != nil {
		h.writeError(w, r, err)
	}
}

func (h *Handler) sendComparedPage(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	review, err := domain.ParseID(r.PathValue("id"))
	page, pageErr := strconv.Atoi(r.PathValue("n"))
	if err != nil || pageErr != nil || page < 1 {
		return domain.Errorf(domain.NotFound, "File not found, or you do not have access.")
	}
	opened, err := h.options.Files.OpenComparedPage(r.Context(), actor,
		casework.CompareCases{ReviewID: review, Reference: r.PathValue("reference")}, page)
	if err != nil {
		return err
	}
	return h.sendFile(w, r, opened, true)
}

// sendFile sends an opened file and closes it.
func (h *Handler) sendFile(w http.ResponseWriter, r *http.Request, opened casework.OpenedBlob,
	inline bool) error {
	defer func() { _ = opened.Content.Close() }()
	tag, err := entityTag(&opened)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(h.clock.Now().Add(fileTimeout))
	header := w.Header()
	header.Set("Content-Type", mediaTypeOf(opened.MediaType))
	header.Set("Content-Security-Policy", filePolicy)
	// Only the user's browser may cache the file, and it must revalidate each time, because rights
	// may have changed and every access is logged.
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Cookie, Authorization")
	header.Set("ETag", tag)
	if !inline {
		mediaType := opened.MediaType
		if mediaType != domain.AttachmentType {
			mediaType = mediaTypeOf(mediaType)
		}
		header.Set("Content-Disposition", attachment(domain.DownloadName(opened.FileName, mediaType)))
	}
	sendContent(w, r, opened)
	return nil
}

// parseFileRequest parses which file is requested. Malformed ids yield NotFound, like missing
// files.
func parseFileRequest(r *http.Request, kind casework.BlobKind) (casework.OpenBlob, error) {
	missing := domain.Errorf(domain.NotFound, "File not found, or you do not have access.")
	wanted := casework.OpenBlob{Kind: kind}
	var err error
	if wanted.CaseID, err = domain.ParseID(r.PathValue("id")); err != nil {
		return wanted, missing
	}
	if kind == casework.BlobPage || kind == casework.BlobSupportingPage {
		if wanted.Page, err = strconv.Atoi(r.PathValue("n")); err != nil || wanted.Page < 1 {
			return wanted, missing
		}
	}
	if kind == casework.BlobSupporting || kind == casework.BlobSupportingPage {
		if wanted.Number, err = strconv.Atoi(r.PathValue("number")); err != nil || wanted.Number < 1 {
			return wanted, missing
		}
		return wanted, nil
	}
	if text := r.URL.Query().Get("revision"); text != "" && kind != casework.BlobManifest {
		if wanted.Revision, err = strconv.Atoi(text); err != nil || wanted.Revision < 1 {
			return wanted, domain.Invalid("revision", "%q is not a valid revision number.", text)
		}
	}
	return wanted, nil
}

// sendContent serves range and conditional requests if the store can seek, otherwise the complete
// content.
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
		// an error means that the client disconnected
		_, _ = io.CopyN(w, opened.Content, opened.Size)
	}
}

// entityTag returns the content's hash as an entity tag. An unknown hash is computed from the
// content, which is then rewound; a store that cannot seek has no tag.
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
			return "", domain.Errorf(domain.Unavailable,
				"The stored file is temporarily unavailable.").WithCause(err)
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

// attachment returns the Content-Disposition header of a download by RFC 6266: an ASCII name for
// old clients and the exact name in UTF-8.
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
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` +
		strings.ReplaceAll(percentEncode(name), "+", "%20")
}

// percentEncode encodes the name by RFC 5987, which requires encoding more characters than URLs do.
func percentEncode(name string) string {
	return strings.NewReplacer("'", "%27", "(", "%28", ")", "%29", "*", "%2A").
		Replace(url.QueryEscape(name))
}

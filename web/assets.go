package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// assetCache caches the application's files in every encoding. They are few and small, so each is
// read and compressed once.
type assetCache struct{ files sync.Map } // name -> func() (*asset, error)

// asset is one file with its media type, its entity tag and its encodings.
type asset struct {
	mediaType string
	tag       string
	identity  []byte
	encoded   map[string][]byte // by content coding; only where smaller than plain
}

// contentCodings lists the codings in order of preference, with the extension of files that the
// build compressed.
var contentCodings = []struct{ coding, ending string }{{"br", ".br"}, {"gzip", ".gz"}}

// compressibleTypes are the media types that are worth compressing.
var compressibleTypes = []string{"text/", "application/javascript", "application/json",
	"application/manifest+json", "application/wasm", "image/svg+xml"}

// load returns the asset and builds it on first use.
func (s *assetCache) load(app fs.FS, name string) (*asset, error) {
	made, _ := s.files.LoadOrStore(name, sync.OnceValues(
		func() (*asset, error) { return newAsset(app, name) }))
	once, ok := made.(func() (*asset, error))
	if !ok {
		return nil, fs.ErrInvalid
	}
	return once()
}

func newAsset(app fs.FS, name string) (*asset, error) {
	plain, err := fs.ReadFile(app, name)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(plain)
	a := &asset{mediaType: mime.TypeByExtension(path.Ext(name)), tag: hex.EncodeToString(hash[:16]),
		identity: plain, encoded: map[string][]byte{}}
	if a.mediaType == "" {
		a.mediaType = http.DetectContentType(plain)
	}
	if !isCompressible(a.mediaType) {
		return a, nil
	}
	for _, packing := range contentCodings {
		if packed, err := fs.ReadFile(app, name+packing.ending); err == nil {
			a.encoded[packing.coding] = packed
		}
	}
	if a.encoded["gzip"] == nil {
		var out bytes.Buffer
		// the level is a constant of the package
		writer, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
		_, _ = writer.Write(plain) // a buffer accepts every write
		_ = writer.Close()
		if out.Len() < len(plain) {
			a.encoded["gzip"] = out.Bytes()
		}
	}
	return a, nil
}

func isCompressible(mediaType string) bool {
	for _, prefix := range compressibleTypes {
		if strings.HasPrefix(mediaType, prefix) {
			return true
		}
	}
	return false
}

// documentHeaders govern documents and workers. On what a page loads as a script or a style sheet they have no
// effect: the policy of the page applies. They are 430 bytes of each response, and a first visit loads more
// than forty.
var documentHeaders = []string{"Content-Security-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy",
	"X-Frame-Options"}

// isPartOfPage reports whether the browser loads the file for a document that has a policy of its own.
func isPartOfPage(r *http.Request) bool {
	destination := r.Header.Get("Sec-Fetch-Dest")
	return destination == "script" || destination == "style"
}

// serveAsset sends one file of the application in the best coding that the client accepts.
func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	found, err := h.assets.load(h.options.App, name)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	content, tag := found.identity, found.tag
	header := w.Header()
	header.Set("Content-Type", found.mediaType)
	if isPartOfPage(r) {
		for _, name := range documentHeaders {
			header.Del(name)
		}
	}
	if len(found.encoded) > 0 {
		header.Add("Vary", "Accept-Encoding")
	}
	for _, packing := range contentCodings {
		if packed := found.encoded[packing.coding]; packed != nil &&
			acceptsCoding(r.Header.Values("Accept-Encoding"), packing.coding) {
			content, tag = packed, tag+"-"+packing.coding
			header.Set("Content-Encoding", packing.coding)
			break
		}
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsCoding reports whether the client accepts the coding; a weight of zero refuses it.
func acceptsCoding(accepted []string, coding string) bool {
	for _, line := range accepted {
		for part := range strings.SplitSeq(line, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
			if strings.EqualFold(strings.TrimSpace(name), coding) {
				weight = strings.ReplaceAll(weight, " ", "")
				return weight != "q=0" && !strings.HasPrefix(weight, "q=0.000")
			}
		}
	}
	return false
}

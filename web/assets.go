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

// assetShelf keeps the page's files as they are sent: few and small, so that each is read and compressed once.
type assetShelf struct{ files sync.Map } // name -> func() (*asset, error)

// asset is one file with its type, its tag, and the forms it can be sent in.
type asset struct {
	mediaType string
	tag       string
	plain     []byte
	packed    map[string][]byte // by content coding; only where smaller
}

// packings are the codings in the order of preference, with the ending of a file that the build packed itself.
var packings = []struct{ coding, ending string }{{"br", ".br"}, {"gzip", ".gz"}}

// packedTypes are the media types that are worth packing.
var packedTypes = []string{"text/", "application/javascript", "application/json", "application/manifest+json", "application/wasm", "image/svg+xml"}

// take returns the asset, made when it is first asked for.
func (s *assetShelf) take(app fs.FS, name string) (*asset, error) {
	made, _ := s.files.LoadOrStore(name, sync.OnceValues(func() (*asset, error) { return newAsset(app, name) }))
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
	a := &asset{mediaType: mime.TypeByExtension(path.Ext(name)), tag: hex.EncodeToString(hash[:16]), plain: plain, packed: map[string][]byte{}}
	if a.mediaType == "" {
		a.mediaType = http.DetectContentType(plain)
	}
	if !worthPacking(a.mediaType) {
		return a, nil
	}
	for _, packing := range packings {
		if packed, err := fs.ReadFile(app, name+packing.ending); err == nil {
			a.packed[packing.coding] = packed
		}
	}
	if a.packed["gzip"] == nil {
		var out bytes.Buffer
		writer, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one of the package's own
		_, _ = writer.Write(plain)                                   // a buffer takes everything
		_ = writer.Close()
		if out.Len() < len(plain) {
			a.packed["gzip"] = out.Bytes()
		}
	}
	return a, nil
}

func worthPacking(mediaType string) bool {
	for _, prefix := range packedTypes {
		if strings.HasPrefix(mediaType, prefix) {
			return true
		}
	}
	return false
}

// serveAsset sends one file of the page in the best form that the client takes.
func (d *Door) serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	found, err := d.assets.take(d.options.App, name)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	content, tag := found.plain, found.tag
	header := w.Header()
	header.Set("Content-Type", found.mediaType)
	if len(found.packed) > 0 {
		header.Add("Vary", "Accept-Encoding")
	}
	for _, packing := range packings {
		if packed := found.packed[packing.coding]; packed != nil && takes(r.Header.Values("Accept-Encoding"), packing.coding) {
			content, tag = packed, tag+"-"+packing.coding
			header.Set("Content-Encoding", packing.coding)
			break
		}
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// takes reports whether the client accepts the coding; a weight of zero refuses it.
func takes(accepted []string, coding string) bool {
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

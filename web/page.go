package web

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"countersign/domain"
)

// assetsPrefix is the folder of files whose names contain a hash of their content.
const assetsPrefix = "assets/"

// serveApp serves the single-page application: files by name, and index.html at every other
// address.
func (h *Handler) serveApp(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.writeJSON(w, http.StatusMethodNotAllowed,
			map[string]errorBody{"error": {Code: domain.InvalidInput, Message: "Use GET."}})
		return
	}
	if h.options.App == nil {
		h.serveNotBuilt(w, r)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	info, err := fs.Stat(h.options.App, name)
	switch {
	case err == nil && !info.IsDir() && name != "index.html":
		if strings.HasPrefix(name, assetsPrefix) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		h.serveAsset(w, r, name)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid):
		h.writeError(w, r, err)
	case strings.HasPrefix(name+"/", assetsPrefix), path.Ext(name) != "" && name != "index.html":
		h.notFound(w, r) // a missing script must not be answered with a page
	default:
		// index.html is served directly at any address, because http.FileServer would redirect its
		// name.
		w.Header().Set("Cache-Control", "no-cache")
		h.serveAsset(w, r, "index.html")
	}
}

// serveNotBuilt explains how to build the application if the server has none.
func (h *Handler) serveNotBuilt(w http.ResponseWriter, r *http.Request) {
	if path.Ext(r.URL.Path) != "" {
		h.notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte("SPA not built: make build\n"))
}

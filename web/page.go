package web

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"countersign/domain"
)

// assetsPrefix is the folder whose files carry a hash of their content in their names, as the build writes them.
const assetsPrefix = "assets/"

// serveApp serves the single-page application: its files by name, and its one page at every address that is no file's.
func (d *Handler) serveApp(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		d.writeJSON(w, http.StatusMethodNotAllowed, map[string]errorBody{"error": {Code: domain.InvalidInput, Message: "Use GET."}})
		return
	}
	if d.options.App == nil {
		d.serveNotBuilt(w, r)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	info, err := fs.Stat(d.options.App, name)
	switch {
	case err == nil && !info.IsDir() && name != "index.html":
		if strings.HasPrefix(name, assetsPrefix) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		d.serveAsset(w, r, name)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid):
		d.writeError(w, r, err)
	case strings.HasPrefix(name+"/", assetsPrefix), path.Ext(name) != "" && name != "index.html":
		d.notFound(w, r) // a missing script answered with a page would only be misread
	default:
		// The one page at any address, without the redirect that its own name would bring.
		w.Header().Set("Cache-Control", "no-cache")
		d.serveAsset(w, r, "index.html")
	}
}

// serveNotBuilt says what is missing to whoever opens the server before the page was built.
func (d *Handler) serveNotBuilt(w http.ResponseWriter, r *http.Request) {
	if path.Ext(r.URL.Path) != "" {
		d.notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte("SPA not built: make build\n"))
}

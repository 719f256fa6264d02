package transport

import (
	_ "embed" // the page
	"net/http"
)

//go:embed explorer.html
var explorerPage []byte

// serveExplorer serves a page to try operations, in development only.
func serveExplorer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Frame-Options", "DENY")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(explorerPage)
}

// Package frontend carries the built single-page application inside the server program.
//
// What may enter: the embedding of dist, and nothing else; all logic of the page is TypeScript.
// What never happens here: HTTP, routing, any import of another package of the project.
//
// A clean clone compiles before npm ran, because dist holds a committed .gitignore; Vite builds
// into dist/app, and until it did Built answers false and the server says "SPA not built: make
// build".
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

//go:embed src/graphql/generated/persisted-documents.json
var persistedDocuments []byte

// PersistedDocuments is the JSON object of the documents that the page sends: text by "sha256:" and
// its hash.
func PersistedDocuments() []byte { return persistedDocuments }

// Built reports whether the page was built before this program was compiled.
func Built() bool {
	_, err := fs.Stat(dist, "dist/app/index.html")
	return err == nil
}

// App is the file tree of the built page, rooted where index.html lies. It is empty, and every
// Open answers fs.ErrNotExist, when the page was not built.
func App() fs.FS {
	app, err := fs.Sub(dist, "dist/app")
	if err != nil {
		// fs.Sub refuses only a path that is not valid, and this one is a constant.
		panic(err)
	}
	return app
}

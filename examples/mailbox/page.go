package main

import (
	"html/template"
	"net/http"
	"regexp"
)

// newHandler serves the page.
func newHandler(b *box) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Refresh", "5")
		_ = page.Execute(w, b.newest()) // the client may be gone
	})
	return mux
}

var links = regexp.MustCompile(`https?://[^\s]+`)

// part is a piece of a text, or a link in it.
type part struct{ Text, Link string }

// parts divides a text at its links.
func parts(text string) (found []part) {
	end := 0
	for _, at := range links.FindAllStringIndex(text, -1) {
		link := text[at[0]:at[1]]
		found = append(found, part{Text: text[end:at[0]]}, part{link, link})
		end = at[1]
	}
	return append(found, part{Text: text[end:]})
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{"parts": parts}).Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Mailbox</title>
<style>body{font:16px system-ui;margin:2rem;max-width:48rem}article{border-top:1px solid #ccc;padding:.75rem 0}
h2{font-size:1rem;margin:0}p{margin:.25rem 0;color:#555;font-size:.875rem}
pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 0}</style>
<h1>Mailbox</h1>
{{range .}}<article><h2>{{.Subject}}</h2><p>To {{.To}}, {{.At.Format "15:04:05"}}</p>
<pre>{{range parts .Text}}{{if .Link}}<a href="{{.Link}}">{{.Text}}</a>{{else}}{{.Text}}{{end}}{{end}}</pre></article>
{{else}}<p>No e-mail has arrived yet.</p>{{end}}
`))

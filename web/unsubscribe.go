package web

import (
	"html/template"
	"net/http"

	"countersign/identity"
)

// unsubscribeTexts are the texts of the page by language.
type unsubscribeTexts struct{ Language, Title, Question, Button, Done string }

var unsubscribeLanguages = map[string]unsubscribeTexts{
	"en": {"en", "E-mails", "Do you want no more e-mails of this kind? You still find the notices in the application.",
		"No more e-mails", "You get no more e-mails of this kind. You can change this on the page of your notices."},
	"zh": {"zh-Hans", "电子邮件", "不再接收此类邮件吗？您仍可在系统中查看通知。", "不再接收",
		"您将不再收到此类邮件。您可以在通知页面更改此设置。"},
}

var unsubscribePage = template.Must(template.New("unsubscribe").Parse(`<!doctype html>
<html lang="{{.Language}}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>{{.Title}} · Countersign</title></head>
<body><main><h1>{{.Title}}</h1>{{if .Asks}}<p>{{.Question}}</p>
<form method="post"><button type="submit">{{.Button}}</button></form>{{else}}<p>{{.Done}}</p>
<p><a href="/notices">Countersign</a></p>{{end}}</main></body>
</html>
`))

// askUnsubscribe shows a page with a button. Programs that check links follow them, so only the button
// changes something.
func (h *Handler) askUnsubscribe(w http.ResponseWriter, r *http.Request) error {
	if err := h.options.Unsubscribe(r.Context(), r.PathValue("token"), false); err != nil {
		return err
	}
	return h.showUnsubscribe(w, r, true)
}

// unsubscribe switches the e-mails off. Mail programs send this request too (RFC 8058).
func (h *Handler) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	if err := h.options.Unsubscribe(r.Context(), r.PathValue("token"), true); err != nil {
		return err
	}
	return h.showUnsubscribe(w, r, false)
}

func (h *Handler) showUnsubscribe(w http.ResponseWriter, r *http.Request, asks bool) error {
	texts, ok := unsubscribeLanguages[identity.RequestOf(r.Context()).Locale]
	if !ok {
		texts = unsubscribeLanguages["en"]
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	return unsubscribePage.Execute(w, struct {
		unsubscribeTexts
		Asks bool
	}{texts, asks})
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"countersign/contracts/events"
)

// maxEvent is the largest delivery that is read.
const maxEvent = 1 << 20

// newHandler serves POST /events for deliveries, and the page.
func newHandler(b *book, secrets [][]byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /events", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
		if err != nil {
			http.Error(w, "The event is too long.", http.StatusRequestEntityTooLarge)
			return
		}
		now := time.Now() //nolint:forbidigo // an example has no clock to take
		if err := verify(r.Header, body, secrets, now); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		var event events.Event
		if err := json.Unmarshal(body, &event); err != nil || event.ID == "" {
			http.Error(w, "The event is not a CloudEvent.", http.StatusBadRequest)
			return
		}
		isNew, err := b.take(r.Context(), &event, nil)
		switch {
		case errors.Is(err, errInvalid):
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		case err != nil: // the sender tries again
			http.Error(w, "The event cannot be stored now.", http.StatusServiceUnavailable)
		case isNew:
			w.WriteHeader(http.StatusCreated)
		}
	})
	mux.HandleFunc("GET /events/received", func(w http.ResponseWriter, r *http.Request) {
		listReceived(w, r, b, secrets)
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		sums, err := b.sums(r.Context())
		unbooked := 0
		if err == nil {
			unbooked, err = b.unbooked(r.Context())
		}
		if err != nil {
			http.Error(w, "The book cannot be read now.", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Refresh", "2")
		_ = page.Execute(w, shown{sums, unbooked}) // the client may be gone
	})
	return mux
}

// listReceived answers which events of a period the ledger has.
func listReceived(w http.ResponseWriter, r *http.Request, b *book, secrets [][]byte) {
	now := time.Now() //nolint:forbidigo // an example has no clock to take
	if err := verify(r.Header, []byte(r.URL.RawQuery), secrets, now); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	from, wrongFrom := time.Parse(time.RFC3339Nano, r.URL.Query().Get("from"))
	to, wrongTo := time.Parse(time.RFC3339Nano, r.URL.Query().Get("to"))
	if wrongFrom != nil || wrongTo != nil {
		http.Error(w, "from and to must be times.", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	err := b.receivedBetween(r.Context(), from, to, func(id string) error {
		_, err := fmt.Fprintln(w, id)
		return err
	})
	if err != nil {
		panic(http.ErrAbortHandler) // a list that ends early must not look complete
	}
}

// shown is what the page shows.
type shown struct {
	Sums     []sum
	Unbooked int
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Ledger</title>
<style>body{font:16px system-ui;margin:2rem;max-width:40rem}td,th{padding:.4rem 1rem .4rem 0;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}</style>
<h1>Ledger</h1>
{{if .Sums}}<table><tr><th>Account<th>Currency<th>Cases<th>Amount</tr>
{{range .Sums}}<tr><td>{{.Account}}<td>{{.Currency}}<td class="n">{{.Cases}}<td class="n">{{.Amount}}</tr>
{{end}}</table>{{else}}<p>Nothing is booked yet: no case with a declared amount has been archived.</p>{{end}}
{{if .Unbooked}}<p>Archived cases without a declared amount, which are not booked: {{.Unbooked}}.</p>{{end}}
`))

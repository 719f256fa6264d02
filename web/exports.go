package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"countersign/domain"
	"countersign/export"
	"countersign/views"
)

// Exports reads what is exported. views.Views implements it.
type Exports interface {
	Export(query views.ExportQuery) *views.Export
	CaseResult(ctx context.Context, actor domain.Actor, id domain.ID) (export.Result, error)
}

// ReadLog records reads. casework.Service implements it.
type ReadLog interface {
	RecordRead(actor domain.Actor, caseID domain.ID, what string)
}

// Bounds of exports at the same time, because each reads many pages.
const (
	maxExports        = 8 // of all users of this server
	maxExportsPerUser = 2
)

// exportPause is how long a refused client should wait.
const exportPause = 10 * time.Second

// exportRoutes returns the routes of all exports.
func (h *Handler) exportRoutes() []route {
	reads := []domain.Action{domain.ActRead}
	list := []route{
		{"GET /cases/{id}/result.json", reads, "", h.smallRequest(h.serveResult)},
		{"GET " + export.ResultSchemaPath, nil, "public contract of results, which contains no data",
			h.smallRequest(h.serveResultSchema)},
	}
	for _, kind := range export.Kinds() {
		scopes := reads
		if kind.OfAudit() {
			scopes = []domain.Action{domain.ActReadAudit}
		}
		for _, format := range export.Formats() {
			list = append(list, route{fmt.Sprintf("GET /export/%s.%s", kind, format), scopes, "",
				h.smallRequest(h.exportHandler(kind, format,
					func(r *http.Request) (views.ExportQuery, bool, error) {
						return parseExport(kind, r.URL.Query())
					}))})
		}
	}
	for _, format := range export.Formats() {
		list = append(list, route{fmt.Sprintf("POST /export/%s.%s", export.Cases, format), reads, "",
			h.boundedRequest(maxSelectionBody, h.exportHandler(export.Cases, format, parseSelection))})
	}
	return list
}

// exportHandler serves one list in one format. Until the first page was read, a failure is an error
// response. After it, the export ends with a record that names the reason, and the connection is
// aborted, so that neither the content nor the transfer looks complete.
func (h *Handler) exportHandler(kind export.Kind, format export.Format,
	parse func(*http.Request) (views.ExportQuery, bool, error),
) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		actor, err := h.requireActor(r)
		if err != nil {
			return err
		}
		query, mark, err := parse(r)
		if err != nil {
			return err
		}
		leave, err := h.exports.enter(actor.UserID)
		if err != nil {
			return err
		}
		defer leave()
		source := h.options.Exports.Export(query)
		page, err := source.Next(r.Context(), actor)
		if err != nil {
			return err
		}
		h.options.Reads.RecordRead(actor, domain.NoID, "export "+string(kind))
		h.setExportHeaders(w, kind, format)
		if r.Method == http.MethodHead {
			return nil
		}
		out, err := export.NewWriter(w, kind, format, mark)
		if err != nil {
			return err
		}
		if err := h.sendExport(w, r, actor, source, page, out); err != nil {
			h.abortExport(w, r, out, err)
		}
		return nil
	}
}

func (h *Handler) setExportHeaders(w http.ResponseWriter, kind export.Kind, format export.Format) {
	header := w.Header()
	header.Set("Content-Type", format.MediaType())
	header.Set("Content-Security-Policy", filePolicy)
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Disposition", attachment(fmt.Sprintf("countersign-%s-%s.%s", kind,
		h.clock.Now().UTC().Format("20060102-150405"), format)))
}

// sendExport writes page after page, and keeps only one. Before each, the credential is checked
// again, because an export can take longer than a session lasts.
func (h *Handler) sendExport(w http.ResponseWriter, r *http.Request, actor domain.Actor,
	source *views.Export, page views.ExportPage, out *export.Writer) error {
	control := http.NewResponseController(w)
	for {
		for _, id := range page.Trails {
			h.options.Reads.RecordRead(actor, id, "audit trail")
		}
		for _, record := range page.Records {
			if err := out.Write(record); err != nil {
				return clientGone{err}
			}
		}
		if !page.HasMore {
			if err := out.End(); err != nil {
				return clientGone{err}
			}
			return nil
		}
		if err := out.Flush(); err != nil {
			return clientGone{err}
		}
		if err := control.Flush(); err != nil {
			return clientGone{err}
		}
		var err error
		if actor, err = h.requireSameActor(r, actor); err != nil {
			return err
		}
		if page, err = source.Next(r.Context(), actor); err != nil {
			return err
		}
	}
}

// clientGone is the failure to write to the client.
type clientGone struct{ error }

func (e clientGone) Unwrap() error { return e.error }

// abortExport ends an export that is not complete. It does not return.
func (h *Handler) abortExport(w http.ResponseWriter, r *http.Request, out *export.Writer,
	err error) {
	if !errors.As(err, &clientGone{}) && r.Context().Err() == nil {
		code, message := domain.CodeOf(err), "An internal error occurred."
		var known *domain.Error
		if errors.As(err, &known) && known.Code != domain.Internal {
			message = known.Message
		} else {
			h.log.ErrorContext(r.Context(), "export failed", "error", err)
		}
		if out.Fail(code, message) == nil {
			_ = http.NewResponseController(w).Flush() // the connection is aborted anyway
		}
	}
	panic(http.ErrAbortHandler)
}

// exportSlots counts the exports under way.
type exportSlots struct {
	mu     sync.Mutex
	all    int
	byUser map[domain.ID]int
}

// enter admits an export of the user, or refuses it with Busy or RateLimited.
func (s *exportSlots) enter(user domain.ID) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.byUser[user] >= maxExportsPerUser:
		return nil, domain.Errorf(domain.RateLimited, "You already have %d exports under way.",
			maxExportsPerUser).WithRemedy("Wait until one has ended.").WithRetryAfter(exportPause)
	case s.all >= maxExports:
		return nil, domain.Errorf(domain.Busy, "Too many exports are under way.").
			WithRemedy("Try again later.").WithRetryAfter(exportPause)
	}
	if s.byUser == nil {
		s.byUser = map[domain.ID]int{}
	}
	s.all++
	s.byUser[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byUser[user]--; s.byUser[user] == 0 {
			delete(s.byUser, user)
		}
	}, nil
}

// serveResult serves the result of one case.
func (h *Handler) serveResult(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	id, err := domain.ParseID(r.PathValue("id"))
	if err != nil {
		return domain.NewNotFound()
	}
	result, err := h.options.Exports.CaseResult(r.Context(), actor, id)
	if err != nil {
		return err
	}
	h.options.Reads.RecordRead(actor, id, "result")
	result.Schema = h.publicURL() + export.ResultSchemaPath
	w.Header().Set("Content-Disposition", attachment(result.Reference+"-result.json"))
	h.writeJSON(w, http.StatusOK, result)
	return nil
}

// serveResultSchema serves the JSON Schema of results.
func (h *Handler) serveResultSchema(w http.ResponseWriter, _ *http.Request) error {
	writeContract(w, "application/schema+json", export.ResultSchema())
	return nil
}

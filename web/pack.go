package web

import (
	"context"
	"io"
	"mime"
	"net/http"

	"countersign/domain"
)

// servePack sends the evidence pack of a case.
func (h *Handler) servePack(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	id, err := domain.ParseID(r.PathValue("id"))
	if err != nil {
		return domain.Errorf(domain.NotFound, "There is no such file.")
	}
	_ = http.NewResponseController(w).SetWriteDeadline(h.clock.Now().Add(fileTimeout))
	begun := false
	err = h.options.WritePack(r.Context(), actor, id, func(reference string) io.Writer {
		begun = true
		header := w.Header()
		header.Set("Content-Type", "application/zip")
		header.Set("Content-Security-Policy", filePolicy)
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Disposition", mime.FormatMediaType("attachment",
			map[string]string{"filename": reference + ".zip"}))
		return w
	})
	if err != nil && begun {
		h.log.WarnContext(r.Context(), "the evidence pack was cut", "error", err)
		panic(http.ErrAbortHandler) // the client sees an incomplete file
	}
	return err
}

// PackWriter writes the evidence pack of a case; begin is called before the first byte.
type PackWriter func(ctx context.Context, actor domain.Actor, caseID domain.ID,
	begin func(reference string) io.Writer) error

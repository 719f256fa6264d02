package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// checkTimeout is the maximum time of one check.
const checkTimeout = 2 * time.Second

// serveHealth reports that the process is running, and its version.
func (h *Handler) serveHealth(w http.ResponseWriter, _ *http.Request) {
	h.writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": h.options.Version})
}

// serveReadiness reports whether the server can serve requests, and which checks fail. If only
// checks that are not required fail, the server is degraded but ready. The cause is logged and not
// sent.
func (h *Handler) serveReadiness(w http.ResponseWriter, r *http.Request) {
	status, states := http.StatusOK, map[string]string{"status": "ready"}
	for _, check := range h.options.Checks {
		err := h.runCheck(r.Context(), check)
		switch {
		case err == nil:
			states[check.Name] = "ok"
			continue
		case check.Required:
			status, states["status"] = http.StatusServiceUnavailable, "not ready"
		case status == http.StatusOK:
			states["status"] = "degraded"
		}
		states[check.Name] = "unreachable"
		h.log.LogAttrs(r.Context(), slog.LevelWarn, "check failed", slog.String("part", check.Name),
			slog.Any("error", err))
	}
	h.writeJSON(w, status, states)
}

func (h *Handler) runCheck(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return check.Probe(ctx)
}

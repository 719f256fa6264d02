package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// checkTimeout is how long a part may take to say that it is there.
const checkTimeout = 2 * time.Second

// serveHealth reports that the process lives, and its version.
func (d *Handler) serveHealth(w http.ResponseWriter, _ *http.Request) {
	d.writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": d.options.Version})
}

// serveReadiness reports whether requests can be served, and which parts do not answer: without one that is not required the server is
// degraded, and serves. The cause is logged and not answered.
func (d *Handler) serveReadiness(w http.ResponseWriter, r *http.Request) {
	status, states := http.StatusOK, map[string]string{"status": "ready"}
	for _, check := range d.options.Checks {
		err := d.runCheck(r.Context(), check)
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
		d.log.LogAttrs(r.Context(), slog.LevelWarn, "a part is away", slog.String("part", check.Name), slog.Any("error", err))
	}
	d.writeJSON(w, status, states)
}

func (d *Handler) runCheck(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return check.Probe(ctx)
}

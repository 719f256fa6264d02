package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// checkPatience is how long a part may take to say that it is there.
const checkPatience = 2 * time.Second

// healthy says that the process lives.
func (d *Door) healthy(w http.ResponseWriter, _ *http.Request) {
	d.answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready says whether requests can be served. Why a part is away stands in the log, not in the answer.
func (d *Door) ready(w http.ResponseWriter, r *http.Request) {
	status, states := http.StatusOK, map[string]string{"status": "ready"}
	for _, check := range d.options.Checks {
		err := d.ask(r.Context(), check)
		switch {
		case err == nil:
			states[check.Name] = "ok"
			continue
		case check.Required:
			status, states["status"] = http.StatusServiceUnavailable, "not ready"
		}
		states[check.Name] = "away"
		d.log.LogAttrs(r.Context(), slog.LevelWarn, "a part is away", slog.String("part", check.Name), slog.Any("error", err))
	}
	d.answer(w, status, states)
}

func (d *Door) ask(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	return check.Ask(ctx)
}

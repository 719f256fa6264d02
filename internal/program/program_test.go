package program

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/version"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	var settings config.Config
	settings.Log.Level, settings.Log.Format = "info", "json"
	failure := domain.Errorf(domain.Unavailable,
		"The address is taken.").WithRemedy("Set another one.")
	for name, c := range map[string]struct {
		run, settings error
		code          int
		last          string
	}{
		"ended":                {nil, nil, 0, "the worker has stopped"},
		"failed":               {failure, nil, 1, "the worker has failed"},
		"settings are refused": {nil, failure, 1, "the worker cannot start"},
	} {
		var out bytes.Buffer
		ran := false
		p := Program{Name: "worker",
			Run: func(context.Context, config.Config, *slog.Logger) error { ran = true; return c.run }}
		if code := p.run(t.Context(), settings, c.settings, &out); code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
		var line struct {
			Msg, Program, Version string
			Remedy                string `json:"remedy"`
		}
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out.String())
		}
		if line.Msg != c.last || line.Program != "worker" || line.Version != version.Number ||
			(c.code != 0) != (line.Remedy != "") {
			t.Errorf("%s: %s", name, out.String())
		}
		if ran != (c.settings == nil) {
			t.Errorf("%s: ran %t", name, ran)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	p := Program{Name: "server", Purpose: "answers people and programs"}
	for args, want := range map[string]int{"--version": 0, "version": 0, "--help": 64,
		"--version twice": 64} {
		var out, errs bytes.Buffer
		if code := p.arguments(strings.Fields(args), &out, &errs); code != want {
			t.Errorf("%s: exit code %d, want %d", args, code, want)
		}
		if want == 0 && strings.TrimSpace(out.String()) != version.Line("server") || want != 0 &&
			!strings.Contains(errs.String(), "settings") {
			t.Errorf("%s: %q %q", args, out.String(), errs.String())
		}
	}
}

func TestCleanupRunsBackwardsAndOnce(t *testing.T) {
	t.Parallel()
	var c Cleanup
	var order []string
	c.Add(func() { order = append(order, "first") })
	c.Background(func(ctx context.Context) { <-ctx.Done(); order = append(order, "background") })
	c.Add(func() { order = append(order, "last") })
	c.Run()
	c.Run()
	if !slices.Equal(order, []string{"last", "background", "first"}) {
		t.Errorf("order %v", order)
	}
}

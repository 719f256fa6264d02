package web

import "log/slog"

// Door answers all HTTP of the server that is not GraphQL.
type Door struct {
	log *slog.Logger
}

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/feed"
	"countersign/identity"
	"countersign/views"
)

// Bounds of a request for events.
const (
	defaultEvents = 100
	maxWait       = 30 * time.Second
)

// cursorHeader has the cursor after the response, also if no event is in it.
const cursorHeader = "X-Countersign-Cursor"

// completeHeader says whether the response reaches the end of the feed.
const completeHeader = "X-Countersign-Complete"

// eventsRequest is a request for events.
type eventsRequest struct {
	query views.FeedQuery
	mode  feed.Mode
	wait  time.Duration
}

// serveEvents serves the events after a cursor as JSON lines. With wait, a response without events
// is delayed until there is one for this receiver. The credential is checked again after each wait.
func (h *Handler) serveEvents(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	request, err := parseEventsRequest(r.URL.Query())
	if err != nil {
		return err
	}
	deadline := h.clock.Now().Add(request.wait)
	for {
		page, err := h.options.Feed.Feed(r.Context(), actor, request.query)
		if err != nil {
			return err
		}
		left := deadline.Sub(h.clock.Now())
		if len(page.Events) > 0 || left <= 0 {
			return h.writeEvents(w, page, request.mode)
		}
		request.query.After = page.Cursor
		if page.Complete {
			if _, err := h.options.Feed.AwaitFeed(r.Context(), page, left); err != nil {
				return err
			}
		}
		if actor, err = h.requireSameActor(r, actor); err != nil {
			return err
		}
	}
}

// requireSameActor authenticates the request again, without counting it.
func (h *Handler) requireSameActor(r *http.Request, before domain.Actor) (domain.Actor, error) {
	actor, err := h.callers.Identify(r.Context(), r, "")
	if actor, err = identity.SignedIn(identity.WithActor(r.Context(), actor, err)); err != nil {
		return actor, err
	}
	if actor.UserID != before.UserID {
		return actor, domain.Errorf(domain.Unauthenticated, "Please sign in again.")
	}
	return actor, actor.RequireScope(scopesOf(r)...)
}

func parseEventsRequest(values url.Values) (request eventsRequest, err error) {
	err = checkParameters(values, "after", "case", "data", "limit", "process", "types", "wait")
	if err != nil {
		return request, err
	}
	request.query = views.FeedQuery{After: values.Get("after"), Process: values.Get("process")}
	if request.query.Limit, err = parseLimit(values.Get("limit")); err != nil {
		return request, err
	}
	if request.mode, err = feed.ParseMode(values.Get("data")); err != nil {
		return request, err
	}
	if text := values.Get("wait"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 0 || seconds > int(maxWait.Seconds()) {
			return request, domain.Invalid("wait", "%.40q is not a number of seconds from 0 to %d.",
				text, int(maxWait.Seconds()))
		}
		request.wait = time.Duration(seconds) * time.Second
	}
	if request.query.Case, err = parseCaseID(values.Get("case")); err != nil {
		return request, err
	}
	request.query.Types, err = parseEventTypes(values.Get("types"))
	return request, err
}

// checkParameters refuses parameters that are not known or were given twice.
func checkParameters(values url.Values, known ...string) error {
	for name, given := range values {
		if !slices.Contains(known, name) || len(given) > 1 {
			return domain.Invalid(name, "%.40q is not a parameter, or was given twice.", name).
				WithRemedy("The parameters are %s.", strings.Join(known, ", "))
		}
	}
	return nil
}

// parseLimit parses the number of lines of a response; "" is the default.
func parseLimit(text string) (int, error) {
	if text == "" {
		return defaultEvents, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > views.MaxFeed {
		return 0, domain.Invalid("limit", "%.40q is not a number from 1 to %d.", text, views.MaxFeed)
	}
	return limit, nil
}

// parseCaseID parses the parameter case; "" is NoID.
func parseCaseID(text string) (domain.ID, error) {
	if text == "" {
		return domain.NoID, nil
	}
	id, err := domain.ParseID(text)
	if err != nil {
		return domain.NoID, domain.Invalid("case", "%.40q is not the id of a case.", text)
	}
	return id, nil
}

// parseEventTypes parses a list of event types, separated by commas.
func parseEventTypes(list string) ([]domain.EventType, error) {
	if list == "" {
		return nil, nil
	}
	return feed.ParseTypes(strings.Split(list, ","))
}

func (h *Handler) writeEvents(w http.ResponseWriter, page views.FeedPage, mode feed.Mode) error {
	list := make([]feed.CloudEvent, 0, len(page.Events))
	for i := range page.Events {
		event, err := feed.ToCloudEvent(&page.Events[i], h.publicURL(), mode)
		if err != nil {
			return fmt.Errorf("web: event: %w", err)
		}
		list = append(list, event)
	}
	return writeLines(w, list, page.Cursor, page.Complete)
}

// writeLines writes a part of a feed, one JSON object per line.
func writeLines[L any](w http.ResponseWriter, list []L, cursor string, complete bool) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for i := range list {
		if err := encoder.Encode(list[i]); err != nil {
			return fmt.Errorf("web: line of a feed: %w", err)
		}
	}
	header := w.Header()
	header.Set("Content-Type", feed.BatchContentType)
	header.Set("Cache-Control", "no-store")
	header.Set(cursorHeader, cursor)
	header.Set(completeHeader, strconv.FormatBool(complete))
	header.Set("Content-Length", strconv.Itoa(lines.Len()))
	_, _ = w.Write(lines.Bytes()) // the client may have disconnected
	return nil
}

// serveAccesses serves the access log after a cursor as JSON lines.
func (h *Handler) serveAccesses(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	values := r.URL.Query()
	if err := checkParameters(values, "after", "limit"); err != nil {
		return err
	}
	limit, err := parseLimit(values.Get("limit"))
	if err != nil {
		return err
	}
	page, err := h.options.Feed.Accesses(r.Context(), actor, values.Get("after"), limit)
	if err != nil {
		return err
	}
	return writeLines(w, page.Lines, page.Cursor, page.Complete)
}

// publicURL returns the public address without a trailing slash.
func (h *Handler) publicURL() string { return strings.TrimRight(h.options.PublicURL, "/") }

// serveEventSchema serves the contract of one type of event.
func (h *Handler) serveEventSchema(w http.ResponseWriter, r *http.Request) error {
	schemas, err := feed.Schemas()
	if err != nil {
		return err
	}
	text, ok := schemas[r.PathValue("name")]
	if !ok {
		return domain.Errorf(domain.NotFound, "There is no such contract.").
			WithRemedy("The contracts are listed at %sindex.json.", feed.SchemaPrefix)
	}
	writeContract(w, "application/schema+json", text)
	return nil
}

// serveAsyncAPI serves the AsyncAPI document of the feed.
func (h *Handler) serveAsyncAPI(w http.ResponseWriter, _ *http.Request) error {
	public, err := url.Parse(h.publicURL())
	if err != nil {
		return fmt.Errorf("web: public address: %w", err)
	}
	text, err := feed.AsyncAPI(h.publicURL(), public.Host, public.Scheme, h.options.Version)
	if err != nil {
		return err
	}
	writeContract(w, "application/json", text)
	return nil
}

func writeContract(w http.ResponseWriter, mediaType string, text []byte) {
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(text) // the client may have disconnected
}

package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/domain"
	"countersign/export"
	"countersign/views"
)

// Bounds of parameters, in characters; those of the same filters in the GraphQL schema.
const (
	maxSearchText = 200
	maxQueueName  = 100
	maxStatuses   = 20
)

// exportParameters are the parameters of each kind of export. They are the filters of the lists, and
// for spreadsheets a byte order mark.
var exportParameters = map[export.Kind][]string{
	export.Cases: append([]string{"bom"}, caseParameters...),
	export.Reviews: {"all", "assignee", "available", "bom", "due", "expiredClaims", "mine",
		"queue", "text"},
	export.Audit:      append([]string{"bom", "case"}, caseParameters...),
	export.Deliveries: {"bom", "connector", "status"},
	export.AuditSearch: {"accesses", "bom", "from", "max", "min", "outcome", "person", "rule", "to",
		"types"},
	export.Statistics:      {"bom", "by", "from", "person", "process", "queue", "to", "zone"},
	export.StatisticsParts: {"bom", "from", "person", "process", "queue", "to", "zone"},
	export.Replays: {"bom", "deadlinePercent", "process", "queue", "reviewFrom", "reviewers", "weeks",
		"zone"},
}

// parseExport parses the parameters of an export, and whether CSV begins with a byte order mark.
func parseExport(kind export.Kind, values url.Values) (query views.ExportQuery, mark bool,
	err error) {
	if err := checkParameters(values, exportParameters[kind]...); err != nil {
		return query, false, err
	}
	query.Kind = kind
	if mark, err = parseFlag(values, "bom"); err != nil {
		return query, false, err
	}
	if kind == export.Reviews {
		query.Reviews, err = parseReviewFilter(values)
		return query, mark, err
	}
	if kind == export.AuditSearch {
		query.Search, err = parseAuditSearch(values)
		return query, mark, err
	}
	if kind == export.Statistics || kind == export.StatisticsParts {
		query.Statistics, err = parseStatistics(values)
		return query, mark, err
	}
	if kind == export.Replays {
		query.Replay, err = parseReplay(values)
		return query, mark, err
	}
	if kind == export.Deliveries {
		query.Connector, query.Deliveries.Status, err = parseDeliveryFilter(values)
		return query, mark, err
	}
	if query.Cases, err = parseCaseFilter(values); err != nil {
		return query, mark, err
	}
	if query.Case, err = parseCaseID(values.Get("case")); err != nil {
		return query, mark, err
	}
	if values.Get("case") != "" {
		if slices.ContainsFunc(caseParameters, values.Has) {
			return query, mark, domain.Invalid("case",
				"The parameter case cannot be used together with filters of cases.")
		}
	}
	return query, mark, nil
}

func parseReviewFilter(values url.Values) (query views.QueueQuery, err error) {
	for name, flag := range map[string]*bool{"mine": &query.Mine, "available": &query.Available,
		"all": &query.All, "expiredClaims": &query.ExpiredClaims} {
		if *flag, err = parseFlag(values, name); err != nil {
			return query, err
		}
	}
	query.Text = values.Get("text")
	if err := checkText("text", query.Text, maxSearchText); err != nil {
		return query, err
	}
	query.Queue = values.Get("queue")
	if err := checkText("queue", query.Queue, maxQueueName); err != nil {
		return query, err
	}
	switch query.Due = views.Due(strings.ToLower(values.Get("due"))); query.Due {
	case "", views.DueOverdue, views.DueAtRisk:
	default:
		return query, domain.Invalid("due", "%.40q is neither overdue nor at_risk.", query.Due)
	}
	if text := values.Get("assignee"); text != "" {
		if query.Assignee, err = domain.ParseID(text); err != nil {
			return query, domain.Invalid("assignee", "%.40q is not the id of a person.", text)
		}
	}
	return query, nil
}

func parseDeliveryFilter(values url.Values) (connector string, status domain.DeliveryStatus,
	err error) {
	connector = values.Get("connector")
	if !domain.ValidConnectorName(connector) {
		return connector, status, domain.Invalid("connector", "Name the connector.")
	}
	switch status = domain.DeliveryStatus(strings.ToLower(values.Get("status"))); status {
	case "", domain.DeliveryWaiting, domain.DeliveryDead, domain.DeliverySkipped:
		return connector, status, nil
	}
	return connector, status, domain.Invalid("status",
		"%.40q is neither waiting, dead nor skipped.", status)
}

func parseFlag(values url.Values, name string) (bool, error) {
	text := values.Get(name)
	if text == "" {
		return false, nil
	}
	flag, err := strconv.ParseBool(text)
	if err != nil {
		return false, domain.Invalid(name, "%.40q is neither true nor false.", text)
	}
	return flag, nil
}

// checkText refuses text that is too long, or that Postgres cannot store.
func checkText(name, text string, most int) error {
	if utf8.RuneCountInString(text) > most || !utf8.ValidString(text) ||
		strings.ContainsRune(text, 0) {
		return domain.Invalid(name, "Use up to %d characters of text.", most)
	}
	return nil
}

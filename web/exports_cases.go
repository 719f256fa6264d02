package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/export"
	"countersign/views"
)

// caseParameters are the filters of the list of cases.
var caseParameters = []string{"amountFrom", "amountTo", "counterparty", "currency", "from", "maxRisk",
	"minRisk", "process", "queue", "rule", "source", "status", "submitter", "text", "to", "type"}

// maxSelected is how many cases a selection has at most, maxSelectionBody how many bytes its ids take.
const (
	maxSelected      = 500
	maxSelectionBody = 32 << 10
)

// parseSelection reads {"ids","bom"}: an export of the named cases that the actor may read. The ids are
// in the body, because proxies refuse addresses of this length.
func parseSelection(r *http.Request) (query views.ExportQuery, mark bool, err error) {
	query.Kind = export.Cases
	if len(r.URL.Query()) > 0 {
		return query, false, domain.Invalid("", "An export of selected cases has no parameters.")
	}
	var sent struct {
		IDs []string `json:"ids"`
		BOM bool     `json:"bom"`
	}
	if err := readJSON(r, &sent); err != nil {
		return query, false, err
	}
	if len(sent.IDs) == 0 || len(sent.IDs) > maxSelected {
		return query, false, domain.Invalid("ids", "Select 1 to %d cases.", maxSelected)
	}
	for _, text := range sent.IDs {
		id, err := domain.ParseID(text)
		if err != nil {
			return query, false, domain.Invalid("ids", "%.40q is not the id of a case.", text)
		}
		query.Cases.IDs = append(query.Cases.IDs, id)
	}
	return query, sent.BOM, nil
}

// parseCaseFilter parses the filters of the list of cases, as the GraphQL query has them.
func parseCaseFilter(values url.Values) (query views.CaseQuery, err error) {
	for name, text := range map[string]*string{"text": &query.Text, "counterparty": &query.Counterparty,
		"process": &query.Process, "type": &query.DocumentType, "queue": &query.Queue, "rule": &query.Rule} {
		*text = strings.TrimSpace(values.Get(name))
		if err := checkText(name, *text, maxSearchText); err != nil {
			return query, err
		}
	}
	if query.Statuses, err = parseStatuses(values.Get("status")); err != nil {
		return query, err
	}
	if text := values.Get("submitter"); text != "" {
		if query.Submitter, err = domain.ParseID(text); err != nil {
			return query, domain.Invalid("submitter", "%.40q is not the id of a person.", text)
		}
	}
	if text := strings.ToLower(values.Get("source")); text != "" {
		query.Channel = domain.Channel(text)
		if !query.Channel.Valid() {
			return query, domain.Invalid("source", "%.40q is not a source of documents, such as mail.", text)
		}
	}
	for name, at := range map[string]*time.Time{"from": &query.From, "to": &query.To} {
		if text := values.Get(name); text != "" {
			if *at, err = time.Parse(time.RFC3339, text); err != nil {
				return query, domain.Invalid(name, "%.40q is not a time such as 2026-01-31T00:00:00Z.", text)
			}
		}
	}
	for name, risk := range map[string]**int{"minRisk": &query.MinRisk, "maxRisk": &query.MaxRisk} {
		if text := values.Get(name); text != "" {
			number, err := strconv.Atoi(text)
			if err != nil || number < 0 || number > views.MaxRisk {
				return query, domain.Invalid(name, "%.40q is not a risk from 0 to %d.", text, views.MaxRisk)
			}
			*risk = &number
		}
	}
	return query, parseAmounts(values, &query)
}

func parseAmounts(values url.Values, query *views.CaseQuery) error {
	currency := values.Get("currency")
	if currency == "" {
		if values.Get("amountFrom") != "" || values.Get("amountTo") != "" {
			return domain.Invalid("currency", "Name the currency of the amounts.")
		}
		return nil
	}
	zero, err := domain.ParseMoney("0", currency)
	if err != nil {
		return domain.Invalid("currency", "%.10q is not a currency, such as EUR.", currency)
	}
	query.Currency = zero.Currency
	for name, minor := range map[string]**int64{"amountFrom": &query.MinMinor, "amountTo": &query.MaxMinor} {
		if text := values.Get(name); text != "" {
			money, err := domain.ParseMoney(text, currency)
			if err != nil {
				return domain.Invalid(name, "%.40q is not an amount, such as 1000.00.", text)
			}
			*minor = &money.Minor
		}
	}
	return nil
}

func parseStatuses(list string) (statuses []domain.Status, err error) {
	if list == "" {
		return nil, nil
	}
	names := strings.Split(list, ",")
	if len(names) > maxStatuses {
		return nil, domain.Invalid("status", "Name at most %d statuses.", maxStatuses)
	}
	for _, name := range names {
		status := domain.Status(strings.ToLower(name))
		if !slices.Contains(domain.Statuses(), status) {
			return nil, domain.Invalid("status", "%.40q is not a status of a case.", name)
		}
		statuses = append(statuses, status)
	}
	return statuses, nil
}

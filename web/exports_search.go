package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/views"
)

const (
	maxSearchTypes = 50
	maxTypeName    = 100
)

// parseAuditSearch parses the filters of a search in the audit log, as the GraphQL query names them.
func parseAuditSearch(values url.Values) (query views.AuditSearch, err error) {
	if query.Accesses, err = parseFlag(values, "accesses"); err != nil {
		return query, err
	}
	if text := values.Get("person"); text != "" {
		if query.Person, err = domain.ParseID(text); err != nil {
			return query, domain.Invalid("person", "%.40q is not the id of a person.", text)
		}
	}
	if text := values.Get("types"); text != "" {
		query.Types = strings.Split(text, ",")
		if len(query.Types) > maxSearchTypes {
			return query, domain.Invalid("types", "Name at most %d types.", maxSearchTypes)
		}
	}
	query.Rule = values.Get("rule")
	for _, text := range append([]string{query.Rule}, query.Types...) {
		if err := checkText("types", text, maxTypeName); err != nil {
			return query, err
		}
	}
	for name, at := range map[string]*time.Time{"from": &query.From, "to": &query.To} {
		if text := values.Get(name); text != "" {
			if *at, err = time.Parse(time.RFC3339, text); err != nil {
				return query, domain.Invalid(name, "%.40q is not a time such as 2026-01-31T00:00:00Z.", text)
			}
		}
	}
	for name, minor := range map[string]**int64{"min": &query.MinMinor, "max": &query.MaxMinor} {
		if text := values.Get(name); text != "" {
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return query, domain.Invalid(name, "%.40q is not a number of minor units.", text)
			}
			*minor = &number
		}
	}
	query.Outcome = domain.Status(strings.ToLower(values.Get("outcome")))
	if query.Outcome != "" && !slices.Contains(domain.Statuses(), query.Outcome) {
		return query, domain.Invalid("outcome", "%.40q is not a status of a case.", query.Outcome)
	}
	return query, nil
}

package web

import (
	"cmp"
	"net/url"

	"countersign/domain"
	"countersign/views"
)

// parseStatistics parses the period, the groups and the filters of statistics.
func parseStatistics(values url.Values) (query views.StatisticsQuery, err error) {
	query.By = domain.StatisticsGroup(cmp.Or(values.Get("by"), string(domain.ByDay)))
	switch query.By {
	case domain.ByDay, domain.ByQueue, domain.ByProcess, domain.ByPerson:
	default:
		return query, domain.Invalid("by", "%.40q is not day, queue, process or person.", query.By)
	}
	query.Queue, query.Process = values.Get("queue"), values.Get("process")
	for name, text := range map[string]string{"queue": query.Queue, "process": query.Process} {
		if err := checkText(name, text, maxQueueName); err != nil {
			return query, err
		}
	}
	if text := values.Get("person"); text != "" {
		if query.Person, err = domain.ParseID(text); err != nil {
			return query, domain.Invalid("person", "%.40q is not the id of a person.", text)
		}
	}
	query.Days, err = domain.NewDays(values.Get("from"), values.Get("to"), values.Get("zone"))
	return query, err
}

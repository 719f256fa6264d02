package web

import (
	"cmp"
	"net/url"
	"strconv"

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

// maxReplayAmount limits the text of an amount.
const maxReplayAmount = 40

// parseReplay parses the weeks and the change of a replay.
func parseReplay(values url.Values) (query views.ReplayQuery, err error) {
	query.Zone = values.Get("zone")
	query.Change = views.ReplayChange{Queue: values.Get("queue"), Process: values.Get("process")}
	for name, text := range map[string]string{"queue": query.Change.Queue,
		"process": query.Change.Process, "zone": query.Zone} {
		if err := checkText(name, text, maxQueueName); err != nil {
			return query, err
		}
	}
	for name, into := range map[string]*int{"weeks": &query.Weeks,
		"reviewers": &query.Change.Reviewers, "deadlinePercent": &query.Change.DeadlinePercent} {
		if text := values.Get(name); text != "" {
			if *into, err = strconv.Atoi(text); err != nil {
				return query, domain.Invalid(name, "%.40q is not a number.", text)
			}
		}
	}
	if text := values.Get("reviewFrom"); text != "" {
		if err := checkText("reviewFrom", text, maxReplayAmount); err != nil {
			return query, err
		}
		parsed, err := domain.ParseMoney(text, domain.BaseCurrency)
		if err != nil {
			return query, err
		}
		query.Change.BaseMinor = &parsed.Minor
	}
	return query, nil
}

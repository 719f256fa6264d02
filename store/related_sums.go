package store

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// DocumentSum is the sum of the amounts at risk of the other cases that share a subject with a case
// and were submitted since the beginning of an hour.
type DocumentSum struct {
	Kind      SumKind
	Hours     int
	Since     time.Time
	Band      int // domain.SumBand of the single amounts
	BaseMinor int64
	Documents int
}

// sinceQuery selects the beginnings of windows, earliest first, and the least id of the last 24 hours.
func sinceQuery(windows string) string {
	return `SELECT array_agg(date_trunc('hour', clock(), 'UTC') - make_interval(hours => h)
		ORDER BY h DESC) AS since, clock() AS at, month_bound(clock() - interval '24 hours') AS yesterday
		FROM unnest(` + windows + `::int[]) h`
}

// sumsQuery sums the amounts of the other cases with a party of the group g, an account or the
// submitter of x, by spans: span n is from the beginning of the window n to that of the next. What x
// itself added to the sums is left out.
const sumsQuery = `SELECT array_agg(z.kind) AS kinds, array_agg(z.span) AS spans,
		array_agg(z.band) AS bands, array_agg(least(z.total, 9e18)::bigint) AS totals,
		array_agg(z.documents::bigint) AS documents
	FROM (SELECT s.kind, width_bucket(s.hour, w.since) AS span, s.band, sum(s.total) AS total,
		sum(s.documents) AS documents FROM (SELECT j.kind, o.hour, o.band,
			o.base_minor - CASE WHEN j.own AND o.hour = e.hour AND o.band = e.band
				THEN e.base_minor ELSE 0 END AS total,
			o.documents - CASE WHEN j.own AND o.hour = e.hour AND o.band = e.band
				THEN 1 ELSE 0 END AS documents
		FROM (SELECT) y LEFT JOIN LATERAL (SELECT c.party_id, c.other_party_ids, c.accounts,
			date_trunc('hour', c.created_at, 'UTC') AS hour, c.base_minor,
			sum_band(c.base_minor) AS band FROM cases c WHERE c.id = x.id AND c.summed OFFSET 0) e ON true
		CROSS JOIN LATERAL (SELECT 'counterparty' AS kind, id::text AS subject,
				id = e.party_id OR id = ANY(e.other_party_ids) AS own FROM unnest(g.ids) id
			UNION ALL SELECT 'account', a, a = ANY(e.accounts) FROM unnest(x.accounts::text[]) a
			UNION ALL SELECT 'submitter', x.submitter::text, true) j
		CROSS JOIN LATERAL (SELECT o.hour, o.band, o.base_minor, o.documents FROM document_sums o
			WHERE o.kind = j.kind AND o.subject = j.subject AND o.hour >= w.since[1] OFFSET 0) o
		UNION ALL SELECT 'counterparty', m.hour, m.band, - m.base_minor * (m.times - 1) / m.times, 1 - m.times
			FROM (` + countedTwiceQuery + `) m) s GROUP BY 1, 2, 3) z`

// countedTwiceQuery selects other cases that several parties of g have in their sums. Only if g has several it reads
// entries: one for each document and party since the earliest window.
const countedTwiceQuery = `SELECT i.hour, i.band, sum(i.base_minor) AS base_minor, sum(i.documents) AS times
	FROM sum_entries i WHERE cardinality(g.ids) > 1 AND i.kind = 'counterparty'
		AND i.subject = ANY(g.ids::text[]) AND i.hour >= w.since[1] AND i.case_id <> x.id
	GROUP BY i.case_id, i.hour, i.band HAVING sum(i.documents) > 1`

// spanSums are the sums of a case by spans.
type spanSums struct {
	since             []time.Time // of the windows, earliest first
	kinds             []string
	spans, bands      []int // spans count from 1
	totals, documents []int64
}

// within returns the sums over windows, which are among all, in which the hours descend.
func (s spanSums) within(windows, all []int) []DocumentSum {
	var sums []DocumentSum
	for i, hours := range all {
		if slices.Contains(windows, hours) {
			sums = s.appendWindow(sums, i+1, hours)
		}
	}
	slices.SortFunc(sums, func(a, b DocumentSum) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Hours, b.Hours),
			cmp.Compare(a.Band, b.Band))
	})
	return sums
}

// appendWindow appends the sums over a window: those of its span and of all later ones.
func (s spanSums) appendWindow(sums []DocumentSum, window, hours int) []DocumentSum {
	first := len(sums)
	for i, kind := range s.kinds {
		if s.spans[i] < window || s.documents[i] <= 0 {
			continue
		}
		at := slices.IndexFunc(sums[first:], func(sum DocumentSum) bool {
			return sum.Kind == SumKind(kind) && sum.Band == s.bands[i]
		})
		if at < 0 {
			at = len(sums) - first
			sums = append(sums, DocumentSum{Kind: SumKind(kind), Hours: hours,
				Since: s.since[window-1].UTC(), Band: s.bands[i]})
		}
		sum := &sums[first+at]
		sum.BaseMinor += min(s.totals[i], math.MaxInt64-sum.BaseMinor)
		sum.Documents += int(s.documents[i])
	}
	return sums
}

// allWindows returns the windows of all queries in hours, longest first.
func allWindows(queries []RelatedQuery) []int {
	var windows []int
	for i := range queries {
		for _, hours := range queries[i].Windows {
			if !slices.Contains(windows, hours) {
				windows = append(windows, hours)
			}
		}
	}
	slices.SortFunc(windows, func(a, b int) int { return cmp.Compare(b, a) })
	return windows
}

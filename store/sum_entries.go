package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// countedKey is the key of Finding.Counted beside the values of a finding. It is no value of a rule, so that
// neither its sentence nor its hash depends on it.
const countedKey = "#counted"

// evidenceText returns the values of a finding as they are stored.
func evidenceText(f *domain.Finding) (string, error) {
	if f.Counted == nil && f.Evidence == nil {
		return "{}", nil
	}
	if f.Counted == nil {
		return jsonText(f.Evidence)
	}
	stored := make(map[string]any, len(f.Evidence)+1)
	for name, value := range f.Evidence {
		stored[name] = value
	}
	stored[countedKey] = f.Counted
	return jsonText(stored)
}

// readEvidence reads the values of a finding as evidenceText wrote them.
func readEvidence(stored []byte, f *domain.Finding) error {
	if !strings.Contains(string(stored), countedKey) {
		return json.Unmarshal(stored, &f.Evidence)
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(stored, &values); err != nil {
		return err
	}
	f.Evidence = make(map[string]string, len(values))
	for name, raw := range values {
		if name == countedKey {
			if err := json.Unmarshal(raw, &f.Counted); err != nil {
				return err
			}
			continue
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		f.Evidence[name] = text
	}
	return nil
}

// SumDocument is a document of a sum with the amount that was added.
type SumDocument struct {
	domain.Case
	Counted int64 // in minor units of the base currency
}

// SumPage is what a viewer sees of the documents of a sum: a page of those that the filter admits, and how many
// and how much the filter leaves out.
type SumPage struct {
	Documents      []SumDocument
	All, Hidden    int
	Sum, HiddenSum int64
}

// sumEntries selects the cases whose amounts were in a sum and the amounts, at the time of the sum. A case that several
// names of one counterparty share is one document.
const sumEntries = `SELECT y.case_id, max(y.base_minor) AS base_minor FROM (
		SELECT e.case_id, e.subject, sum(e.base_minor) AS base_minor FROM sum_entries e
		WHERE e.kind = $1 AND e.subject = ANY($2) AND e.hour >= $3 AND e.at <= $4 AND e.band < $5 AND e.case_id <> $6
		GROUP BY e.case_id, e.subject HAVING sum(e.documents) > 0) y GROUP BY y.case_id`

// SumDocuments reads the documents of the sum of a finding of the case that the filter admits, newest first, up to the
// limit before the case of the cursor (NoID for the first page).
func (r Reader) SumDocuments(ctx context.Context, filter domain.Filter, id domain.ID, counted domain.CountedSum,
	before domain.ID, limit int) (SumPage, error) {
	where, args, err := renderCases(filter, []any{counted.By, counted.Subjects, counted.Since, counted.At,
		domain.SumBand(counted.Below), id})
	if err != nil {
		return SumPage{}, err
	}
	page := SumPage{}
	// The filter is asked once for each case, and pages are cut from what it admits.
	members := `SELECT c.id, k.base_minor, (` + where + `) IS TRUE AS seen FROM (` + sumEntries + `) k
		CROSS JOIN LATERAL (SELECT * FROM cases y WHERE y.id = k.case_id OFFSET 0) c`
	type row struct {
		ID        domain.ID
		BaseMinor int64
		Seen      bool
	}
	rows, err := queryAll(ctx, r.q, "documents of a sum", members+` ORDER BY c.id DESC`,
		pgx.RowToStructByPos[row], args...)
	if err != nil {
		return page, err
	}
	amounts := map[domain.ID]int64{}
	var ids []domain.ID
	for _, one := range rows {
		page.All++
		page.Sum += one.BaseMinor
		if !one.Seen {
			page.Hidden++
			page.HiddenSum += one.BaseMinor
			continue
		}
		if (before == domain.NoID || domain.CompareIDs(one.ID, before) < 0) && len(ids) < limit {
			ids = append(ids, one.ID)
			amounts[one.ID] = one.BaseMinor
		}
	}
	cases, err := r.Cases(ctx, ids)
	slices.SortFunc(cases, func(a, b domain.Case) int { return domain.CompareIDs(b.ID, a.ID) })
	for _, c := range cases {
		page.Documents = append(page.Documents, SumDocument{c, amounts[c.ID]})
	}
	return page, err
}

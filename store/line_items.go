package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// insertLineItems adds the line items of readings.
func (s *statement) insertLineItems(changes []*Change) error {
	var readings []domain.LineItems
	var texts []string
	for _, change := range changes {
		if change.LineItems == nil {
			continue
		}
		items := change.LineItems.Items
		if items == nil {
			items = []domain.LineItem{}
		}
		text, err := jsonText(items)
		if err != nil {
			return err
		}
		readings, texts = append(readings, *change.LineItems), append(texts, text)
	}
	if len(readings) == 0 {
		return nil
	}
	body := map[*domain.LineItems]string{}
	for i := range readings {
		body[&readings[i]] = texts[i]
	}
	set := bulk.NewRows(&s.Statement, readings)
	bulk.Column(set, "case_id", "uuid", func(l *domain.LineItems) domain.ID { return l.CaseID })
	bulk.Column(set, "revision", "bigint", func(l *domain.LineItems) int64 { return l.Revision })
	bulk.Column(set, "document_revision", "int",
		func(l *domain.LineItems) int { return l.DocumentRevision })
	bulk.Column(set, "at", "timestamptz", func(l *domain.LineItems) time.Time { return l.At })
	bulk.Column(set, "currency", "text", func(l *domain.LineItems) string { return l.Currency })
	bulk.Column(set, "xml_count", "int", func(l *domain.LineItems) int { return l.XMLCount })
	bulk.Column(set, "page_count", "int", func(l *domain.LineItems) int { return l.PageCount })
	bulk.Column(set, "sum_minor", "bigint", func(l *domain.LineItems) *int64 { return l.Sum })
	bulk.Column(set, "adjustment_minor", "bigint",
		func(l *domain.LineItems) int64 { return l.Adjustment })
	bulk.Column(set, "sum_equals", "text",
		func(l *domain.LineItems) string { return string(l.Check) })
	bulk.Column(set, "certain", "bool", func(l *domain.LineItems) bool { return l.Certain })
	bulk.Column(set, "items", "jsonb", func(l *domain.LineItems) string { return body[l] })
	s.insertRows("li", "line_items", set.Names(), set.List("x"), set.From("x"), "")
	return nil
}

// LineItems reads the line items of the newest reading of the case's document; Revision is 0 if there
// is none. Items of an earlier revision of the document do not count.
func (r Reader) LineItems(ctx context.Context, id domain.ID) (domain.LineItems, error) {
	found, err := queryAll(ctx, r.q, "line items", `SELECT l.case_id, l.revision,
		l.document_revision, l.at, l.currency, l.xml_count, l.page_count, l.sum_minor,
		l.adjustment_minor, l.sum_equals, l.certain, l.items FROM line_items l
		WHERE l.case_id = $1 AND l.document_revision = (SELECT max(d.revision)
			FROM `+r.tableFor("documents", id)+` d WHERE d.case_id = $1)
		ORDER BY l.revision DESC LIMIT 1`, scanLineItems, id)
	if err != nil || len(found) == 0 {
		return domain.LineItems{}, err
	}
	return found[0], nil
}

func scanLineItems(row pgx.CollectableRow) (domain.LineItems, error) {
	var l domain.LineItems
	var items []byte
	err := row.Scan(&l.CaseID, &l.Revision, &l.DocumentRevision, &l.At, &l.Currency, &l.XMLCount,
		&l.PageCount, &l.Sum, &l.Adjustment, &l.Check, &l.Certain, &items)
	if err != nil {
		return l, err
	}
	l.At = l.At.UTC()
	return l, json.Unmarshal(items, &l.Items)
}

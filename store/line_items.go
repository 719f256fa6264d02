package store

import (
	"context"
	"encoding/json"
	"slices"
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
	bulk.Column(set, "set_by", "uuid", func(l *domain.LineItems) *domain.ID {
		if l.By == domain.NoID {
			return nil
		}
		return &l.By
	})
	s.insertRows("li", "line_items", set.Names(), set.List("x"), set.From("x"), "")
	s.markCorrectedLines(readings)
	return nil
}

// markCorrectedLines marks the documents whose line items a person corrected.
func (s *statement) markCorrectedLines(items []domain.LineItems) {
	corrected := slices.DeleteFunc(slices.Clone(items),
		func(l domain.LineItems) bool { return l.By == domain.NoID })
	if len(corrected) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, corrected)
	bulk.Column(set, "case_id", "uuid", func(l *domain.LineItems) domain.ID { return l.CaseID })
	bulk.Column(set, "revision", "int", func(l *domain.LineItems) int { return l.DocumentRevision })
	s.AddCTE("dl", `UPDATE %s d SET lines_corrected = true FROM c JOIN %s ON x.case_id = c.id
		WHERE d.case_id = c.id AND %s AND d.revision = x.revision`, s.partitionOf("documents"),
		set.From("x"), s.caseIDBounds("d.case_id"))
}

// lineItemColumns are the columns that scanLineItems reads.
const lineItemColumns = `l.case_id, l.revision, l.document_revision, l.at, l.currency, l.xml_count,
	l.page_count, l.sum_minor, l.adjustment_minor, l.sum_equals, l.certain, l.items, l.set_by`

// LineItems reads the line items in force: those of the newest correction of the case's document,
// otherwise of its newest reading; Revision is 0 if there is none. Items of an earlier revision of the
// document do not count.
func (r Reader) LineItems(ctx context.Context, id domain.ID) (domain.LineItems, error) {
	found, err := queryAll(ctx, r.q, "line items", `SELECT `+lineItemColumns+` FROM line_items l
		WHERE l.case_id = $1 AND l.document_revision = (SELECT max(d.revision)
			FROM `+r.tableFor("documents", id)+` d WHERE d.case_id = $1)
		ORDER BY (l.set_by IS NOT NULL) DESC, l.revision DESC LIMIT 1`, scanLineItems, id)
	if err != nil || len(found) == 0 {
		return domain.LineItems{}, err
	}
	return found[0], nil
}

// CorrectedLineItems reads all corrections of the line items of cases, in their order.
func (r Reader) CorrectedLineItems(ctx context.Context, ids ...domain.ID) ([]domain.LineItems, error) {
	return queryAll(ctx, r.q, "corrected line items", `SELECT `+lineItemColumns+` FROM line_items l
		WHERE l.case_id = ANY ($1) AND l.set_by IS NOT NULL ORDER BY l.case_id, l.revision`,
		scanLineItems, ids)
}

func scanLineItems(row pgx.CollectableRow) (domain.LineItems, error) {
	var l domain.LineItems
	var items []byte
	var by *domain.ID
	err := row.Scan(&l.CaseID, &l.Revision, &l.DocumentRevision, &l.At, &l.Currency, &l.XMLCount,
		&l.PageCount, &l.Sum, &l.Adjustment, &l.Check, &l.Certain, &items, &by)
	if err != nil {
		return l, err
	}
	if by != nil {
		l.By = *by
	}
	l.At = l.At.UTC()
	return l, json.Unmarshal(items, &l.Items)
}

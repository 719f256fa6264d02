package store

import (
	"time"

	"countersign/domain"
	"countersign/store/bulk"
)

// SumKind says what the documents of a sum have in common.
type SumKind string

// The kinds of sums.
const (
	SumCounterparty SumKind = "counterparty"
	SumAccount      SumKind = "account"
	SumSubmitter    SumKind = "submitter"
)

// SumKey identifies one sum: the amounts at risk of the documents that were submitted within an hour
// and have the subject.
type SumKey struct {
	Kind    SumKind
	Subject string
	Hour    time.Time
	Band    int // domain.SumBand of the amount
}

// SumChange changes a sum.
type SumChange struct {
	CaseID    domain.ID
	Key       SumKey
	BaseMinor int64
	Documents int
}

// changeSums adds the changes of sums by the cases that were written. Cases of one subject take
// turns at its row.
func (s *statement) changeSums(changes []*Change) {
	rows := changeRows(changes, func(c *Change) []SumChange { return c.Sums })
	if len(rows) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, rows)
	bulk.Column(set, "case_id", "uuid", func(c *SumChange) domain.ID { return c.CaseID })
	bulk.Column(set, "kind", "text", func(c *SumChange) string { return string(c.Key.Kind) })
	bulk.Column(set, "subject", "text", func(c *SumChange) string { return c.Key.Subject })
	bulk.Column(set, "hour", "timestamptz", func(c *SumChange) time.Time { return c.Key.Hour })
	bulk.Column(set, "band", "int", func(c *SumChange) int { return c.Key.Band })
	bulk.Column(set, "base_minor", "bigint", func(c *SumChange) int64 { return c.BaseMinor })
	bulk.Column(set, "documents", "int", func(c *SumChange) int { return c.Documents })
	s.AddCTE("su", `INSERT INTO document_sums AS o (kind, subject, hour, band, base_minor, documents)
		SELECT x.kind, x.subject, x.hour, x.band, sum(x.base_minor), sum(x.documents)
		FROM c JOIN %s ON x.case_id = c.id GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
		ON CONFLICT (kind, subject, hour, band) DO UPDATE SET
			base_minor = o.base_minor + excluded.base_minor,
			documents = o.documents + excluded.documents`, set.From("x"))
	s.AddCTE("se", `INSERT INTO sum_entries (case_id, kind, subject, hour, band, base_minor, documents)
		SELECT x.case_id, x.kind, x.subject, x.hour, x.band, x.base_minor, x.documents
		FROM c JOIN %s ON x.case_id = c.id`, set.From("x"))
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// The rows are like those of cases that wait at level 1: a document of one page with 150 words, six
// fields, what was asserted, and a review. One case in a hundred is in the queue of the junior. The
// words follow a Zipf distribution over 40,000; "invoice" is in every case, "发票" too, one in a hundred
// has "凭证", and each has a word that only three cases have.
var (
	setUp = []string{`SET session_replication_role = replica`, `SET synchronous_commit = off`,
		`INSERT INTO users (id, person, email, name) SELECT id, id, 's' || n || '@example.com', 'Submitter ' || n
			FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, 100) n) x`}
	after = []string{`RESET session_replication_role`, `VACUUM ANALYZE`, `CHECKPOINT`}
)

const (
	vocabulary  = 40_000
	pageWords   = 150
	rareCases   = 3 // cases that have the same rare word
	fillBatch   = 2000
	juniorShare = 100 // one case in so many
)

var syllables = []string{"ka", "lo", "mi", "ter", "ven", "dor", "sa", "bel", "run", "gis", "ho", "ne", "pra",
	"tu", "li", "cor", "fa", "wen", "zi", "ost"}

// wordOf returns the n-th word of the vocabulary; the words differ by syllables.
func wordOf(n int) string {
	var word strings.Builder
	for n += len(syllables); n > 0; n /= len(syllables) {
		word.WriteString(syllables[n%len(syllables)])
	}
	return word.String()
}

// rareWord returns the word that only the cases have to which n belongs.
func rareWord(n int) string { return "q" + wordOf(1_000_000+n/rareCases) + "x" }

type filler struct {
	ids        []domain.ID
	submitters []domain.ID
	random     *rand.Rand
	zipf       *rand.Zipf
}

// fill makes the cases, without the search index.
func (b *bench) fill(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.postgres.URL(database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range setUp {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	rows, err := conn.Query(ctx, `SELECT id FROM users WHERE name LIKE 'Submitter%' ORDER BY id`)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same data in every run
	f := &filler{random: random, zipf: rand.NewZipf(random, 1.1, 20, vocabulary-1)}
	if f.submitters, err = pgx.CollectRows(rows, pgx.RowTo[domain.ID]); err != nil {
		return err
	}
	for from := 0; from < b.cases; from += fillBatch {
		if err := f.batch(ctx, conn, from, min(from+fillBatch, b.cases)); err != nil {
			return err
		}
	}
	for _, statement := range after {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// batch copies the rows of some cases.
func (f *filler) batch(ctx context.Context, conn *pgx.Conn, from, to int) error {
	f.ids = f.ids[:0]
	for range to - from {
		f.ids = append(f.ids, domain.NewID())
	}
	for _, table := range f.tables(from) {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns,
			pgx.CopyFromSlice(len(f.ids)*max(table.each, 1), table.row))
		if err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	return nil
}

type table struct {
	name    string
	columns []string
	each    int // rows of each case; 0 is one
	row     func(int) ([]any, error)
}

func (f *filler) tables(from int) []table {
	submitter := func(i int) domain.ID { return f.submitters[(from+i)%len(f.submitters)] }
	return []table{
		{"cases", []string{"id", "reference", "process_key", "process_version", "document_type", "channel",
			"counterparty", "country", "amount_minor", "currency", "amount_known", "base_minor", "marking", "status",
			"submitter", "correlation_id"}, 0, func(i int) ([]any, error) {
			return []any{f.ids[i], fmt.Sprintf("B-2026-%06d", from+i), "document_approval", 1, "invoice", "api",
				"Vendor", "DE", 100_000, "USD", true, 100_000,
				`{"tokens": [{"node": "review_l1", "visit": 1}], "visits": {"start": 1, "review_l1": 1}}`, "in_review",
				submitter(i), "bench"}, nil
		}},
		{"documents", []string{"case_id", "id", "revision", "file_name", "media_type", "size", "sha256", "blob_key",
			"created_by"}, 0, func(i int) ([]any, error) {
			return []any{f.ids[i], domain.NewID(), 1, fmt.Sprintf("scan-%d.pdf", from+i), "application/pdf", 1,
				make([]byte, 32), "x", submitter(i)}, nil
		}},
		{"pages", []string{"case_id", "revision", "number", "raster_key", "width", "height", "dpi", "source",
			"text", "words"}, 0, func(i int) ([]any, error) { return f.page(from, i) }},
		{"fields", []string{"case_id", "name", "raw", "normalised", "confidence", "source", "grounded", "revision"},
			len(fieldNames), func(i int) ([]any, error) {
				of, name := i/len(fieldNames), fieldNames[i%len(fieldNames)]
				value := fieldValue(name, from+of)
				return []any{f.ids[of], name, value, value, 1.0, "ocr", true, 1}, nil
			}},
		{"assertions", []string{"case_id", "revision", "source", "at", "body", "salt", "hash"}, 0,
			func(i int) ([]any, error) {
				var set []domain.Assertion
				for _, name := range fieldNames {
					value := fieldValue(name, from+i)
					set = append(set, domain.Assertion{Field: name, Raw: value, Value: value, Confidence: 1})
				}
				body, err := json.Marshal(set)
				return []any{f.ids[i], 1, "ocr", began, string(body), []byte{1}, make([]byte, 32)}, err
			}},
		{"reviews", []string{"id", "case_id", "node", "visit", "seat", "queue", "level", "duty", "status",
			"claim_by", "decide_by", "submitter", "party_id", "base_minor", "amount_known", "band", "document_type",
			"country"}, 0, func(i int) ([]any, error) {
			queue := domain.QueueL2
			if (from+i)%juniorShare == 0 {
				queue = juniorQueue
			}
			return []any{domain.NewID(), f.ids[i], "review_l1", 1, 1, queue, 1, "approval", "open", began, began,
				submitter(i), domain.NoID, 100_000, true, 2, "invoice", "DE"}, nil
		}},
	}
}

var fieldNames = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldTotal, domain.FieldDate,
	domain.FieldIBAN, domain.FieldCurrency}

func fieldValue(name string, n int) string {
	switch name {
	case domain.FieldVendor:
		return wordOf(n%5000) + " " + wordOf(n%400) + " GmbH"
	case domain.FieldNumber:
		return fmt.Sprintf("INV-%06d", n)
	case domain.FieldTotal:
		return fmt.Sprintf("%d.%02d", 100+n%90_000, n%100)
	case domain.FieldDate:
		return fmt.Sprintf("2026-%02d-%02d", 1+n%12, 1+n%28)
	case domain.FieldIBAN:
		return fmt.Sprintf("DE%020d", n%20_000)
	}
	return "USD"
}

// page returns the page of a case. Only cases of the junior have the places of words, because only
// found pages are read with them.
func (f *filler) page(from, i int) ([]any, error) {
	n := from + i
	texts := append(make([]string, 0, pageWords), "Invoice", "增值税电子发票", rareWord(n),
		fmt.Sprintf("%d.%02d", 100+n%90_000, n%100))
	if n/juniorShare%juniorShare == 0 {
		texts = append(texts, "记账凭证")
	}
	for len(texts) < pageWords {
		texts = append(texts, wordOf(int(f.zipf.Uint64()))) //nolint:gosec // bounded by the vocabulary
	}
	words := []domain.Word{}
	for at, text := range texts {
		if n%juniorShare == 0 {
			words = append(words, domain.Word{Text: text, Line: at / 10, Confidence: 1,
				Box: domain.Box{X: 100 * (at % 10), Y: 30 * (at / 10), W: 90, H: 20}})
		}
	}
	encoded, err := json.Marshal(words)
	return []any{f.ids[i], 1, 1, "x", 1240, 1754, 150, "ocr", strings.Join(texts, " "), string(encoded)}, err
}

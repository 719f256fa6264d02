package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
	"countersign/languagemodel/stage"
)

const (
	modelProcess = "document_approval_model"
	// modelFile is the name of the files that have a page and not an e-invoice.
	modelFile = "page.pdf"
	// modelCalls is how many calls a worker makes at a time, each takes modelTakes.
	modelCalls = 4
	modelTakes = 2 * time.Second
	// modelRounds is how often the other queues are measured with and without the calls.
	modelRounds = 5
	// modelBudget is the bound of tokens an hour. It is reached after the cases that are measured.
	modelBudget = 480_000
)

// startVendor starts the stub of a language model, which answers after two seconds.
func (b *bench) startVendor() (casework.LanguageModel, error) {
	vendor, err := modelvendor.Start(modelvendor.Options{Always: modelvendor.Slow, Slow: modelTakes})
	if err != nil {
		return nil, err
	}
	b.vendor = vendor
	return stage.New(languagemodel.Settings{Endpoint: vendor.URL, Model: "stub", Concurrency: modelCalls,
		Timeout: time.Minute})
}

// measureModel measures the wait of the other queues with and without calls of a model, in turn, and then
// uses up the budget.
func (b *bench) measureModel(ctx context.Context, cases, rate, flight int) error {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	each := cases / modelRounds
	// The calls of a round, less the time in which its documents are read.
	seconds := int(modelTakes.Seconds())*each/modelCalls - 2
	if seconds < 2 {
		return errors.New("too few cases: the calls of a round must last four seconds")
	}
	var without, with []time.Duration
	var slower, longer []float64
	for range modelRounds {
		quiet, err := b.pacedWaits(ctx, rate, seconds, flight)
		if err != nil {
			return err
		}
		if err := b.submitPages(ctx, conn, each); err != nil {
			return err
		}
		busy, err := b.pacedWaits(ctx, rate, seconds, flight)
		if err != nil {
			return err
		}
		without, with = append(without, quiet.at(.5)), append(with, busy.at(.5))
		slower = append(slower, float64(busy.at(.5))/float64(quiet.at(.5)))
		longer = append(longer, float64(busy.at(.99))/float64(quiet.at(.99)))
		if err := b.modelIdle(ctx, conn); err != nil {
			return err
		}
	}
	for _, figures := range [][]float64{slower, longer} {
		slices.Sort(figures)
	}
	slices.Sort(without)
	slices.Sort(with)
	fmt.Printf("| commit -> handler of other queues at %d documents/s, median of %d rounds, without / with %d calls at a time | %v / %v |\n",
		rate, modelRounds, b.vendor.MostAtATime(), without[modelRounds/2], with[modelRounds/2])
	fmt.Printf("| the ratio in one round, p50: median (all) | %.3f (%.3f) |\n| the same of p99 | %.3f (%.3f) |\n",
		slower[modelRounds/2], slower, longer[modelRounds/2], longer)
	return b.useUpBudget(ctx, conn)
}

// pacedWaits returns the waits of documents that come at the rate.
func (b *bench) pacedWaits(ctx context.Context, rate, seconds, flight int) (*durations, error) {
	b.waits.took.reset()
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	if _, err := b.submitMany(ctx, rate*seconds, flight, ticker); err != nil {
		return nil, err
	}
	b.waits.took.mu.Lock()
	defer b.waits.took.mu.Unlock()
	return &durations{all: slices.Clone(b.waits.took.all)}, nil
}

// submitPages submits cases for the model, and returns when all have been read and wait for it.
func (b *bench) submitPages(ctx context.Context, conn *pgx.Conn, cases int) error {
	for range cases {
		text := fmt.Sprintf("%%PDF-1.7\npage %d", serial.Add(1))
		sum := sha256.Sum256([]byte(text))
		if _, err := b.service.SubmitDocument(ctx, b.submitter, casework.SubmitDocument{Process: modelProcess,
			File: casework.Upload{FileName: modelFile, Size: int64(len(text)), SHA256: sum[:],
				Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}); err != nil {
			return err
		}
	}
	return b.until(ctx, conn, `SELECT count(*) = 0 FROM stage_runs r JOIN cases c ON c.id = r.case_id
		WHERE c.process_key = '`+modelProcess+`' AND r.queue <> 'model' AND r.status IN ('pending', 'leased')
		AND r.run_after < now() + interval '1 minute'`)
}

// modelIdle returns when no call is under way or waits.
func (b *bench) modelIdle(ctx context.Context, conn *pgx.Conn) error {
	return b.until(ctx, conn, `SELECT count(*) = 0 FROM stage_runs WHERE queue = 'model' AND status IN ('pending', 'leased')
		AND run_after < now() + interval '1 minute'`)
}

// until asks the database until it says so.
func (b *bench) until(ctx context.Context, conn *pgx.Conn, question string) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); <-ticker.C {
		var so bool
		if err := conn.QueryRow(ctx, question).Scan(&so); err != nil || so {
			return err
		}
	}
	return fmt.Errorf("not so after two minutes: %s", question)
}

// useUpBudget submits more cases than the budget of the hour allows, with calls at the same time.
func (b *bench) useUpBudget(ctx context.Context, conn *pgx.Conn) error {
	for range 5 {
		if err := b.submitPages(ctx, conn, 20); err != nil {
			return err
		}
		if err := b.modelIdle(ctx, conn); err != nil {
			return err
		}
	}
	var used, answered, refused int64
	if err := conn.QueryRow(ctx, `SELECT sum(input_tokens + output_tokens), count(*) FILTER (WHERE outcome = 'answered'),
		(SELECT count(*) FROM cases WHERE process_key = '`+modelProcess+`') - count(*) FROM model_runs`).Scan(&used, &answered, &refused); err != nil {
		return err
	}
	_, err := fmt.Printf("| tokens used of %d allowed an hour; cases that the model answered, cases without budget | %d; %d, %d |\n",
		modelBudget, used, answered, refused)
	if err == nil && (used > modelBudget || refused == 0) {
		err = fmt.Errorf("%d tokens of %d were used, %d cases had no budget", used, modelBudget, refused)
	}
	return err
}

// onePage is what the reader returns for the cases of the model: a page of text, read by an engine.
func onePage(n int64) casework.OpenedDocument {
	page := domain.Page{Number: 1, Width: 1000, Height: 1400, DPI: 150, Source: domain.SourceOCR}
	lines := []string{"Muster Werke GmbH", "Invoice number: B-" + fmt.Sprint(n), "Invoice date: 2026-11-20", "Total EUR 120.00"}
	for at, line := range lines {
		for i, word := range strings.Fields(line) {
			page.Words = append(page.Words, domain.Word{Text: word, Confidence: .9, Line: at,
				Box: domain.Box{X: 50 + 120*i, Y: 50 + 30*at, W: 100, H: 20}})
		}
	}
	page.Text = strings.Join(lines, "\n")
	return casework.OpenedDocument{Close: func() {}, Pages: func(context.Context, bool) ([]casework.ScannedPage, error) {
		return []casework.ScannedPage{{Page: page, OpenRaster: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("\x89PNG\r\n\x1a\n")), nil
		}}}, nil
	}}
}

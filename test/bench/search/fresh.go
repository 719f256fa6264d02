package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/tasks"
	"countersign/views"
)

// freshDocuments is how many documents are submitted while an indexer runs.
const freshDocuments = 30

// fresh measures how long after its commit a submitted document is found, with the indexer of a worker.
func (b *bench) fresh(ctx context.Context) error {
	id, err := b.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: "f@example.com", Name: "Fresh", Roles: []domain.Role{domain.RoleSubmitter}}})
	if err != nil {
		return err
	}
	submitter := domain.Actor{UserID: id, Channel: domain.ChannelAPI}
	indexer := tasks.NewIndexer(b.service, "bench", domain.SystemClock{}, slog.New(slog.DiscardHandler))
	indexer.Start()
	defer indexer.Stop()
	var took []time.Duration
	for i := range freshDocuments {
		content := fmt.Appendf(nil, "%%PDF-1.7\n%d\n", i)
		sum := sha256.Sum256(content)
		name := fmt.Sprintf("freshfile%d", i)
		_, err := b.service.SubmitDocument(ctx, submitter, casework.SubmitDocument{File: casework.Upload{
			FileName: name + ".pdf", Size: int64(len(content)), SHA256: sum[:],
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}})
		if err != nil {
			return err
		}
		for committed := time.Now(); ; {
			page, err := b.views.Search(ctx, submitter, views.SearchQuery{Text: name, Limit: 1})
			if err != nil {
				return err
			}
			if len(page.Hits) > 0 && len(page.Corrections) == 0 {
				took = append(took, time.Since(committed))
				break
			}
		}
	}
	slices.Sort(took)
	fmt.Printf("\na submitted document is found after %d ms (median of %d), at most %d ms\n",
		took[len(took)/2].Milliseconds(), len(took), took[len(took)-1].Milliseconds())
	return nil
}

// renamed measures how long all cases of renamed people need until they are found by the new name: ten
// submitters, who have a tenth of the cases.
func (b *bench) renamed(ctx context.Context) error {
	for i := range 10 {
		if _, err := b.statements.conn.Exec(ctx, `UPDATE users SET name = 'Renamed Person' WHERE name = $1`,
			fmt.Sprintf("Submitter %d", i+1)); err != nil {
			return err
		}
	}
	from := time.Now()
	for more := true; more; {
		var err error
		if more, err = b.service.IndexSearch(ctx); err != nil {
			return err
		}
	}
	took := time.Since(from)
	var cases int
	err := b.statements.conn.QueryRow(ctx, `SELECT count(*) FROM search_cases WHERE words @@ 'renamed'`).Scan(&cases)
	fmt.Printf("\n%d cases of renamed people are found by the new name after %.1f s\n", cases, took.Seconds())
	return err
}

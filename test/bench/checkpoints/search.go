package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store"
)

// searchRuns is how often each search runs.
const searchRuns = 20

// measureSearch searches the events that were written, as an auditor does.
func measureSearch(ctx context.Context, owner *pgx.Conn, db *store.DB) error {
	var person domain.ID
	var events int64
	if err := owner.QueryRow(ctx, `SELECT count(*) FROM events`).Scan(&events); err != nil {
		return err
	}
	if err := owner.QueryRow(ctx, `SELECT actor FROM events ORDER BY id LIMIT 1`).Scan(&person); err != nil {
		return err
	}
	every := true
	visible := store.AuditVisibility{Cases: domain.Filter{Const: &every}, Confidential: []string{}, Cleared: true,
		Others: true}
	fmt.Printf("\nsearch in %d events, milliseconds, %d runs\n| search | median | slowest |\n|---|---|---|\n", events,
		searchRuns)
	for _, search := range []struct {
		name  string
		query store.AuditQuery
	}{
		{"the newest", store.AuditQuery{}},
		{"a common type", store.AuditQuery{Types: []string{"stage.completed"}}},
		{"an unknown type (reads all)", store.AuditQuery{Types: []string{"case.erased"}}},
		{"a person with ten old events (reads all)", store.AuditQuery{Person: person}},
		{"a period long ago (reads all)", store.AuditQuery{To: time.Unix(0, 0)}},
	} {
		search.query.Limit, search.query.Visibility = 50, visible
		var took []time.Duration
		for range searchRuns {
			began := time.Now()
			if _, err := db.Reader().SearchAudit(ctx, search.query); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		fmt.Printf("| %s | %d | %d |\n", search.name, took[searchRuns/2].Milliseconds(),
			took[searchRuns-1].Milliseconds())
	}
	return nil
}

package views

import (
	"context"

	"countersign/domain"
	"countersign/feed"
	"countersign/store"
)

// AccessPage is a part of the access log as one reader may see it.
type AccessPage struct {
	Lines []feed.Access
	// Cursor is the position after the page, also if nothing on it is visible.
	Cursor string
	// Complete reports whether the page reaches the end of the feed.
	Complete bool
}

// Accesses reads the access log after the cursor, in the order of the feed, at most limit lines.
// It needs the scope and the right to read the audit trail. As in the audit trail, lines of a case
// are for readers who may read it and know of its confidential reviews. Lines without a case also
// show who opened the file of a sample, so they are for readers who may know of every sample.
func (v *Views) Accesses(ctx context.Context, actor domain.Actor, after string, limit int) (
	AccessPage, error) {
	reading, position, err := v.openFeedOf(ctx, actor, feed.AccessCursors, after, domain.ActReadAudit)
	if err != nil {
		return AccessPage{}, err
	}
	viewer := reading.viewer
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil {
		return AccessPage{}, err
	}
	page, limit := AccessPage{}, min(max(limit, 1), MaxFeed)
	for range maxFeedReads {
		read, err := v.reader.AccessAfter(ctx, position, limit-len(page.Lines))
		if err != nil {
			return AccessPage{}, err
		}
		if err := reading.showAccesses(ctx, read, &page); err != nil {
			return AccessPage{}, err
		}
		position = read.Next
		page.Cursor, page.Complete = reading.cursors.Seal(position, read.Era), read.Complete
		if read.Complete || len(page.Lines) >= limit {
			break
		}
	}
	return page, nil
}

// showAccesses adds the lines that the reader may see to the page.
func (r *feedReading) showAccesses(ctx context.Context, read store.AccessPage,
	page *AccessPage) error {
	var cases []domain.ID
	for i := range read.Lines {
		if id := read.Lines[i].CaseID; id != domain.NoID {
			cases = append(cases, id)
		}
	}
	cases = distinct(cases)
	visible := make(map[domain.ID]bool, len(cases)+1)
	visible[domain.NoID] = seesQualityStream(r.viewer.user)
	if len(cases) > 0 {
		readable, err := r.views.reader.MatchingCases(ctx, r.filter, cases)
		if err != nil {
			return err
		}
		for _, c := range readable {
			seen, err := r.shown.Case(ctx, c)
			if err != nil {
				return err
			}
			visible[c.ID] = !seen.Redacted
		}
	}
	for _, line := range read.Lines {
		if visible[line.CaseID] {
			page.Lines = append(page.Lines, feed.ToAccess(feed.AccessSource{Position: line.Position,
				At: line.At, Actor: line.Actor, CaseID: line.CaseID, Action: line.Action,
				Object: line.Object, Code: string(line.Code), RequestID: line.RequestID},
				r.cursors, read.Era))
		}
	}
	return nil
}

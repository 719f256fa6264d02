package views

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
)

// AuditSearch selects entries of the audit log over all cases. Zero values select everything.
type AuditSearch struct {
	Accesses           bool // lines of the access log; otherwise events
	Person             domain.ID
	Types              []string
	From, To           time.Time
	MinMinor, MaxMinor *int64
	Rule               string
	Outcome            domain.Status
	Before             domain.FeedPosition
	Limit              int
}

// FoundEntry is an entry of the audit log. What is about no case has neither id nor reference.
type FoundEntry struct {
	AuditLine
	CaseID    domain.ID
	Reference string
	Position  domain.FeedPosition
}

// FoundEntries is a page of entries, the newest first.
type FoundEntries struct {
	Entries []FoundEntry
	HasMore bool
}

// SearchAudit searches the audit log, for actors who may read audit trails. It finds only cases that the
// actor may read. Cases of processes with confidential reviews are found only by people who may see
// those, because one that is missing would tell that it was in such a review. Changes of people, rights
// and control data are found by auditors and administrators, without their values.
func (v *Views) SearchAudit(ctx context.Context, actor domain.Actor, query AuditSearch) (FoundEntries,
	error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActReadAudit)
	if err != nil {
		return FoundEntries{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil {
		return FoundEntries{}, err
	}
	filter, err := viewer.readFilter()
	if err != nil {
		return FoundEntries{}, err
	}
	confidential, err := v.confidentialProcesses(ctx, false)
	if err != nil {
		return FoundEntries{}, err
	}
	size := pageSize(query.Limit)
	found, err := v.reader.SearchAudit(ctx, store.AuditQuery{Accesses: query.Accesses,
		Person: query.Person, Types: query.Types, From: query.From, To: query.To,
		MinMinor: query.MinMinor, MaxMinor: query.MaxMinor, Rule: query.Rule, Outcome: query.Outcome,
		Before: query.Before, Limit: size + 1, Visibility: store.AuditVisibility{Cases: filter,
			Confidential: confidential, Cleared: v.caseViewer(viewer).clearance, Reader: viewer.user.ID,
			Others: viewer.user.HasRole(domain.RoleAuditor) || viewer.managesPeople()}})
	page := FoundEntries{HasMore: len(found) > size}
	for i := range found[:min(len(found), size)] {
		one := &found[i]
		entry := TrailEntry{At: one.At, Event: one.Event, Access: one.Access}
		line := entry.Line(viewer.user.ID)
		if one.CaseID == domain.NoID {
			line.Body = nil
		}
		page.Entries = append(page.Entries, FoundEntry{line, one.CaseID, one.Reference, one.Position})
	}
	return page, err
}

package views

import (
	"context"
	"slices"

	"countersign/domain"
)

// SumDocuments are the documents whose amounts a finding adds up, as a viewer sees them.
type SumDocuments struct {
	Case    CaseView
	Counted domain.CountedSum
	// Hidden and HiddenSum are of the documents that the viewer may not see, Missing and MissingSum of those that
	// are no longer recorded.
	Hidden, Missing       int
	HiddenSum, MissingSum int64
	Documents             []SumDocument
	HasMore               bool
}

// SumDocument is a document of a sum.
type SumDocument struct {
	Case      CaseView
	BaseMinor int64 // as it was added
	Changed   bool  // it has another amount now, or does not count any more
}

// SumDocuments reads a page of the documents whose amounts a finding of the case adds up. It returns NotFound if the
// viewer does not see the finding.
func (v *Views) SumDocuments(
	ctx context.Context, actor domain.Actor, id domain.ID, rule string, before domain.ID, first int,
) (SumDocuments, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return SumDocuments{}, err
	}
	c, _, err := v.readable(ctx, viewer, id)
	if err != nil {
		return SumDocuments{}, err
	}
	shown := v.caseViewer(viewer)
	seen, err := shown.Case(ctx, c)
	if err != nil {
		return SumDocuments{}, err
	}
	counted, err := v.countedSum(ctx, seen, rule)
	if err != nil {
		return SumDocuments{}, err
	}
	filter, err := viewer.readFilter()
	if err != nil {
		return SumDocuments{}, err
	}
	size := pageSize(first)
	page, err := v.reader.SumDocuments(ctx, filter, id, counted, before, size+1)
	if err != nil {
		return SumDocuments{}, err
	}
	found := SumDocuments{Case: seen, Counted: counted, Hidden: page.Hidden, HiddenSum: page.HiddenSum,
		Missing: max(counted.Documents-page.All, 0), HasMore: len(page.Documents) > size}
	if found.Missing > 0 {
		found.MissingSum = counted.BaseMinor - counted.Own - page.Sum
	}
	for _, document := range page.Documents[:min(len(page.Documents), size)] {
		one, err := shown.Case(ctx, document.Case)
		if err != nil {
			return SumDocuments{}, err
		}
		found.Documents = append(found.Documents, SumDocument{Case: one, BaseMinor: document.Counted,
			Changed: document.BaseMinor != document.Counted || !document.Summed})
	}
	return found, nil
}

// countedSum returns which documents the finding adds up.
func (v *Views) countedSum(ctx context.Context, seen CaseView, rule string) (domain.CountedSum, error) {
	if seen.Audience != domain.AudienceStaff {
		return domain.CountedSum{}, domain.NewNotFound()
	}
	rows, err := v.reader.Findings(ctx, seen.ID)
	if err != nil {
		return domain.CountedSum{}, err
	}
	findings := make([]domain.Finding, 0, len(rows))
	for _, row := range rows {
		findings = append(findings, row.Finding)
	}
	findings = seen.Findings(findings)
	at := slices.IndexFunc(findings, func(f domain.Finding) bool { return f.Rule == rule && f.Counted != nil })
	if at < 0 {
		return domain.CountedSum{}, domain.NewNotFound()
	}
	return *findings[at].Counted, nil
}

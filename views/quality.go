package views

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/sampling"
	"countersign/store"
)

// QualityWork is the caller's work on the quality sample.
type QualityWork struct {
	// Waiting is the number of samples that wait, without those in whose case the caller took part;
	// at most maxWaiting. It is nil for callers who may not read the audit trail, because it would
	// tell a submitter that one of their documents was drawn.
	Waiting *int
	Task    *QualityTask // nil if the caller has none
}

// maxWaiting is the largest number of waiting samples that is counted.
const maxWaiting = 100

// QualityTask is the sample that the caller checks or settles. While they check it, it has nothing of
// what is known about the case except its document.
type QualityTask struct {
	Sample       domain.ID
	CaseID       domain.ID // for the addresses of the pages
	Settles      bool
	DocumentType string
	Fields       []string // to be read from the document
	Until        time.Time
	Pages        []store.PageInfo
	// Supporting are the supporting documents that the deciders had.
	Supporting []SampledDocument
	// Check is what the checker found; nil while the sample is checked.
	Check *domain.SampleCheck
}

// SampledDocument is a supporting document of a sample, without what only its case says: its file name and
// who added it.
type SampledDocument struct {
	Document domain.SupportingDocument // only its number and kind
	Rule     domain.DocumentRule
	Read     bool
	Pages    []domain.Page
}

// QualityWork reads the caller's work on the quality sample.
func (v *Views) QualityWork(ctx context.Context, actor domain.Actor) (QualityWork, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return QualityWork{}, err
	}
	var work QualityWork
	if _, denied := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); denied == nil {
		if work.Waiting, err = v.waitingSamples(ctx, viewer); err != nil {
			return QualityWork{}, err
		}
	}
	sample, err := v.reader.AssignedSample(ctx, viewer.user.ID)
	if domain.HasCode(err, domain.NotFound) {
		return work, nil
	}
	if err != nil {
		return work, err
	}
	work.Task, err = v.qualityTask(ctx, sample)
	return work, err
}

// waitingSamples counts the samples that wait and that the viewer may know about.
func (v *Views) waitingSamples(ctx context.Context, viewer viewer) (*int, error) {
	waiting, err := v.reader.WaitingSamples(ctx, viewer.user.ID, domain.Sample{}, maxWaiting)
	count := 0
	for _, sample := range waiting {
		if !sample.Confidential || viewer.user.SeesConfidential() {
			count++
		}
	}
	return &count, err
}

func (v *Views) qualityTask(ctx context.Context, sample domain.Sample) (*QualityTask, error) {
	c, err := v.reader.Case(ctx, sample.CaseID)
	if err != nil {
		return nil, err
	}
	kind, err := v.DocumentTypeOf(ctx, c)
	if err != nil {
		return nil, err
	}
	task := &QualityTask{Sample: sample.ID, CaseID: sample.CaseID,
		Settles: sample.Status == domain.SampleDisputed, DocumentType: c.DocumentType,
		Fields: sampling.Fields(kind), Until: sample.AssignedUntil}
	if task.Supporting, err = v.sampledDocuments(ctx, c); err != nil {
		return nil, err
	}
	if task.Pages, err = v.reader.NewestPages(ctx, sample.CaseID); err != nil || !task.Settles {
		return task, err
	}
	checks, err := v.reader.SampleChecks(ctx, sample.ID)
	if err == nil && len(checks) > 0 {
		task.Check = &checks[0]
	}
	return task, err
}

// sampledDocuments reads the current supporting documents of a case with their pages.
func (v *Views) sampledDocuments(ctx context.Context, c domain.Case) ([]SampledDocument, error) {
	all, err := v.reader.Supporting(ctx, c.ID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rules, err := v.DocumentRules(ctx, c)
	if err != nil {
		return nil, err
	}
	pages, read, err := v.reader.SupportingPages(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	var shown []SampledDocument
	for _, d := range domain.CurrentSupporting(all) {
		one := SampledDocument{Document: domain.SupportingDocument{Number: d.Number, Kind: d.Kind},
			Rule: rules[d.Kind]}
		_, one.Read = read[d.Number]
		for i := range pages {
			if pages[i].Supporting == d.Number {
				one.Pages = append(one.Pages, pages[i])
			}
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// QualitySample is a sample with its checks.
type QualitySample struct {
	domain.Sample
	Reference string
	Checks    []domain.SampleCheck
}

// QualitySamples reads samples, the newest first, for users who may read the audit trail. Samples of
// the viewer's own documents are left out, and those of confidential processes for viewers who may not see them.
func (v *Views) QualitySamples(
	ctx context.Context, actor domain.Actor, before domain.ID, first int,
) (samples []QualitySample, hasMore bool, err error) {
	viewer, err := v.auditViewer(ctx, actor)
	if err != nil {
		return nil, false, err
	}
	size := pageSize(first)
	rows, err := v.reader.Samples(ctx, store.SampleQuery{Viewer: viewer.user.ID,
		Confidential: viewer.user.SeesConfidential(), Before: before, Limit: size + 1})
	if err != nil {
		return nil, false, err
	}
	hasMore = len(rows) > size
	rows = rows[:min(len(rows), size)]
	ids, cases := make([]domain.ID, len(rows)), make([]domain.ID, len(rows))
	for i := range rows {
		ids[i], cases[i] = rows[i].ID, rows[i].CaseID
	}
	checks, err := v.reader.SampleChecks(ctx, ids...)
	if err != nil {
		return nil, false, err
	}
	records, err := v.reader.Cases(ctx, cases)
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		sample := QualitySample{Sample: row}
		for _, record := range records {
			if record.ID == row.CaseID {
				sample.Reference = record.Reference
			}
		}
		for _, check := range checks {
			if check.SampleID == row.ID {
				sample.Checks = append(sample.Checks, check)
			}
		}
		samples = append(samples, sample)
	}
	return samples, hasMore, nil
}

// auditViewer loads a viewer who may read the audit trail.
func (v *Views) auditViewer(ctx context.Context, actor domain.Actor) (viewer, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return viewer, err
	}
	_, err = viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit)
	return viewer, err
}

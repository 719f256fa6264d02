package graph

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/scalar"
	"countersign/views"
)

type (
	qualityCheckResolver   struct{ *resolver }
	qualitySampleResolver  struct{ *resolver }
	reviewerPairResolver   struct{ *resolver }
	qualityCheckerResolver struct{ *resolver }
	sampleShareResolver    struct{ *resolver }
)

func (r *resolver) QualityCheck() generated.QualityCheckResolver { return qualityCheckResolver{r} }
func (r *resolver) QualitySample() generated.QualitySampleResolver {
	return qualitySampleResolver{r}
}
func (r *resolver) ReviewerPair() generated.ReviewerPairResolver { return reviewerPairResolver{r} }

func (r *resolver) QualityChecker() generated.QualityCheckerResolver {
	return qualityCheckerResolver{r}
}
func (r *resolver) SampleShare() generated.SampleShareResolver { return sampleShareResolver{r} }

func (qualityCheckerResolver) Person(ctx context.Context, checker *donotuse.QualityChecker) (
	*domain.User, error) {
	return loadPerson(ctx, checker.By)
}

func (sampleShareResolver) ProposedBy(ctx context.Context, share *donotuse.SampleShare) (
	*domain.User, error) {
	return personOrSystem(ctx, share.Proposer)
}

func (sampleShareResolver) ConfirmedBy(ctx context.Context, share *donotuse.SampleShare) (
	*domain.User, error) {
	return personOrSystem(ctx, share.Confirmer)
}

func (qualityCheckResolver) Person(ctx context.Context, check *donotuse.QualityCheck) (
	*domain.User, error) {
	return loadPerson(ctx, check.By)
}

func (qualitySampleResolver) Assignee(ctx context.Context, sample *donotuse.QualitySample) (
	*domain.User, error) {
	return loadPerson(ctx, sample.By)
}

func (reviewerPairResolver) Submitter(ctx context.Context, pair *donotuse.ReviewerPair) (
	*domain.User, error) {
	return personOrSystem(ctx, pair.SubmitterID)
}

func (reviewerPairResolver) Reviewer(ctx context.Context, pair *donotuse.ReviewerPair) (
	*domain.User, error) {
	return personOrSystem(ctx, pair.ReviewerID)
}

func (r queryResolver) QualityWork(ctx context.Context) (*donotuse.QualityWork, error) {
	found, err := r.views.QualityWork(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	work := &donotuse.QualityWork{Waiting: found.Waiting}
	if found.Task == nil {
		return work, nil
	}
	task := &donotuse.QualityTask{ID: scalar.GlobalID(scalar.KindSample, found.Task.Sample),
		Settles: found.Task.Settles, DocumentType: found.Task.DocumentType,
		Fields: found.Task.Fields, Until: found.Task.Until, Pages: []donotuse.QualityPage{}}
	for _, page := range found.Task.Pages {
		task.Pages = append(task.Pages, donotuse.QualityPage{Number: page.Number,
			Width: page.Width, Height: page.Height,
			Path: fmt.Sprintf("/cases/%s/pages/%d?revision=%d", found.Task.CaseID, page.Number,
				page.Revision)})
	}
	task.Supporting = sampledDocuments(found.Task)
	if len(task.Pages) == 0 {
		path := fmt.Sprintf("/cases/%s/document", found.Task.CaseID)
		task.File = &path
	}
	if found.Task.Check != nil {
		check := qualityCheckOf(*found.Task.Check)
		task.Check = &check
	}
	work.Task = task
	return work, nil
}

func sampledDocuments(task *views.QualityTask) []donotuse.QualityDocument {
	shown := []donotuse.QualityDocument{}
	for i := range task.Supporting {
		d := &task.Supporting[i]
		one := donotuse.QualityDocument{Number: d.Document.Number, Kind: d.Document.Kind,
			Labels: namedValues(d.Rule.Label), Read: d.Read, Pages: []donotuse.QualityPage{}}
		for j := range d.Pages {
			page := &d.Pages[j]
			one.Pages = append(one.Pages, donotuse.QualityPage{Number: page.Number, Width: page.Width,
				Height: page.Height, Path: pagePath(page)})
		}
		if len(one.Pages) == 0 {
			path := fmt.Sprintf("/cases/%s/documents/%d", task.CaseID, one.Number)
			one.File = &path
		}
		shown = append(shown, one)
	}
	return shown
}

func qualityCheckOf(check domain.SampleCheck) donotuse.QualityCheck {
	shown := donotuse.QualityCheck{Settles: check.Settles, By: check.Person, Blind: check.Blind,
		Approves: check.Approves, Reason: check.Reason, At: check.At,
		Values: []donotuse.QualityValue{}}
	for _, value := range check.Compared {
		shown.Values = append(shown.Values, donotuse.QualityValue{Field: value.Field,
			Archived: value.Archived, Checked: value.Checked, Agrees: value.Agrees})
	}
	return shown
}

func (r queryResolver) QualitySamples(ctx context.Context, first int, after *string) (
	*donotuse.QualitySampleConnection, error) {
	err := checkPageSize(first)
	before := domain.NoID
	if err == nil && after != nil {
		before, err = parseCursor("q", *after)
	}
	if err != nil {
		return nil, err
	}
	samples, hasMore, err := r.views.QualitySamples(ctx, callerOf(ctx), before, first)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.QualitySampleConnection{Edges: []donotuse.QualitySampleEdge{},
		Nodes:    []donotuse.QualitySample{},
		PageInfo: donotuse.PageInfo{HasNextPage: hasMore, HasPreviousPage: after != nil}}
	for _, sample := range samples {
		node := qualitySampleOf(sample)
		connection.Nodes = append(connection.Nodes, node)
		connection.Edges = append(connection.Edges, donotuse.QualitySampleEdge{
			Cursor: makeCursor("q", sample.ID), Node: node})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor = &connection.Edges[0].Cursor
		connection.PageInfo.EndCursor = &connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func qualitySampleOf(sample views.QualitySample) donotuse.QualitySample {
	node := donotuse.QualitySample{ID: scalar.GlobalID(scalar.KindSample, sample.ID),
		CaseID:    scalar.GlobalID(scalar.KindCase, sample.CaseID),
		Reference: sample.Reference, Process: sample.Process, Stratum: sample.Stratum,
		Status: sample.Status, Probability: sample.Probability, ArchivedAt: sample.ArchivedAt,
		DrawnAt: sample.DrawnAt,
		By:      sample.Assignee, Reasons: []donotuse.QualityReason{},
		Checks: []donotuse.QualityCheck{}, CorrectionID: caseIDOrNil(sample.CorrectionID)}
	for _, reason := range sample.Reasons {
		node.Reasons = append(node.Reasons, donotuse.QualityReason(strings.ToUpper(reason)))
	}
	for _, check := range sample.Checks {
		node.Checks = append(node.Checks, qualityCheckOf(check))
	}
	return node
}

func caseIDOrNil(id domain.ID) *string {
	if id == domain.NoID {
		return nil
	}
	global := scalar.GlobalID(scalar.KindCase, id)
	return &global
}

// maxFigureDays bounds the days of the figures.
const maxFigureDays = 730

func (r queryResolver) QualityFigures(ctx context.Context, days int) (
	*donotuse.QualityFigures, error) {
	if days < 1 || days > maxFigureDays {
		return nil, domain.Invalid("days", "Request between 1 and %d days.", maxFigureDays)
	}
	found, err := r.views.QualityFigures(ctx, callerOf(ctx), days)
	if err != nil {
		return nil, err
	}
	figures := &donotuse.QualityFigures{Strata: []donotuse.QualityStratumFigures{},
		Groups: []donotuse.QualityGroup{}, Pairs: []donotuse.ReviewerPair{},
		Checkers: []donotuse.QualityChecker{}, Shares: []donotuse.SampleShare{}}
	if found.StraightThrough >= 0 {
		figures.StraightThrough = &found.StraightThrough
	}
	for _, s := range found.Strata {
		figures.Strata = append(figures.Strata, donotuse.QualityStratumFigures{
			Stratum: s.Stratum, Archived: int(s.Archived), WithoutShare: int(s.WithoutShare),
			Drawn: int(s.Drawn), Open: s.Open, OldestOpen: timeOrNil(s.OldestOpen),
			Samples: s.Samples, Wrong: s.Wrong, NotBlind: s.NotBlind,
			NotBlindWrong: s.NotBlindWrong, Overruled: s.Overruled, Effective: s.Effective,
			Rate: s.Rate, Bound: s.Bound, WorstRate: s.WorstRate})
	}
	for _, g := range found.Groups {
		figures.Groups = append(figures.Groups, donotuse.QualityGroup{
			Kind: donotuse.QualityGroupKind(strings.ToUpper(string(g.Kind))), Key: g.Key,
			Checked: g.Checked, Disagreed: g.Disagreed})
	}
	for _, p := range found.Pairs {
		figures.Pairs = append(figures.Pairs, donotuse.ReviewerPair{SubmitterID: p.Submitter,
			ReviewerID: p.Reviewer, Documents: int(p.Documents), Share: p.Share,
			Seconds: p.Seconds, NearMark: p.NearMark})
	}
	for _, c := range found.Checkers {
		figures.Checkers = append(figures.Checkers, donotuse.QualityChecker{By: c.Person,
			Checked: int(c.Checked), Disagreed: int(c.Disagreed), Settled: int(c.Settled),
			Confirmed: int(c.Confirmed), Released: int(c.Released), Expired: int(c.Expired),
			Seconds: c.Seconds})
	}
	for _, s := range found.Shares {
		figures.Shares = append(figures.Shares, sampleShareShown(s))
	}
	return figures, nil
}

func (r queryResolver) SampleShares(ctx context.Context) ([]donotuse.SampleShare, error) {
	shares, err := r.views.SampleShares(ctx, callerOf(ctx))
	shown := make([]donotuse.SampleShare, 0, len(shares))
	for _, share := range shares {
		shown = append(shown, sampleShareShown(share))
	}
	return shown, err
}

func sampleShareShown(s views.SampleShare) donotuse.SampleShare {
	return donotuse.SampleShare{Process: s.Process, Stratum: s.Stratum,
		Percent: domain.ShareText(s.Millionths), IsDefault: s.Version == 0,
		Since: timeOrNil(s.Since), Proposer: s.ProposedBy, Confirmer: s.SetBy, Reason: s.Reason}
}

// shareTextOf returns the share of a proposal in percent.
func shareTextOf(millionths string) string {
	n, err := strconv.Atoi(millionths)
	if err != nil {
		return ""
	}
	return domain.ShareText(n)
}

func samplePayload(done casework.SampleResult, err error) (*donotuse.QualitySamplePayload, error) {
	payload := &donotuse.QualitySamplePayload{}
	if err == nil {
		payload.Status, payload.CorrectionID = &done.Status, caseIDOrNil(done.CorrectionID)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

// sampleTarget parses the id of a sample.
func sampleTarget(id string, key *string) (casework.SampleTarget, error) {
	sample, err := scalar.IDOf(scalar.KindSample, "sampleId", id)
	return casework.SampleTarget{SampleID: sample,
		Once: casework.Once{Key: valueOrEmpty(key)}}, err
}

func (r mutationResolver) TakeQualitySample(ctx context.Context,
	in donotuse.TakeQualitySampleInput) (*donotuse.QualitySamplePayload, error) {
	return samplePayload(r.service.TakeSample(ctx, callerOf(ctx),
		casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}))
}

func (r mutationResolver) ReleaseQualitySample(ctx context.Context,
	in donotuse.QualitySampleInput) (*donotuse.QualitySamplePayload, error) {
	target, err := sampleTarget(in.SampleID, in.IdempotencyKey)
	if err != nil {
		return samplePayload(casework.SampleResult{}, err)
	}
	return samplePayload(r.service.ReleaseSample(ctx, callerOf(ctx), target))
}

func (r mutationResolver) CheckQualitySample(ctx context.Context,
	in donotuse.CheckQualitySampleInput) (*donotuse.QualitySamplePayload, error) {
	target, err := sampleTarget(in.SampleID, in.IdempotencyKey)
	if err != nil {
		return samplePayload(casework.SampleResult{}, err)
	}
	command := casework.CheckSample{SampleTarget: target, Approves: in.Approves,
		Comment: valueOrEmpty(in.Comment)}
	for _, value := range in.Values {
		command.Values = append(command.Values,
			casework.FieldInput{Name: value.Field, Value: value.Value})
	}
	return samplePayload(r.service.CheckSample(ctx, callerOf(ctx), command))
}

func (r mutationResolver) SettleQualitySample(ctx context.Context,
	in donotuse.SettleQualitySampleInput) (*donotuse.QualitySamplePayload, error) {
	target, err := sampleTarget(in.SampleID, in.IdempotencyKey)
	if err != nil {
		return samplePayload(casework.SampleResult{}, err)
	}
	return samplePayload(r.service.SettleSample(ctx, callerOf(ctx), casework.SettleSample{
		SampleTarget: target, ArchivedRightly: in.ArchivedRightly, Reason: in.Reason}))
}

func (r mutationResolver) ProposeSampleShare(ctx context.Context,
	in donotuse.ProposeSampleShareInput) (*donotuse.ControlPayload, error) {
	millionths, err := domain.ParseShare(in.Percent)
	if err != nil {
		return controlPayload(nil, false, err)
	}
	done, err := r.service.ProposeSampleShare(ctx, callerOf(ctx), casework.ProposeSampleShare{
		Once:    casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Process: in.Process, Stratum: in.Stratum, Millionths: millionths, Reason: in.Reason})
	return controlPayload([]casework.ControlResult{done}, false, err)
}

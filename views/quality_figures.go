package views

import (
	"cmp"
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/sampling"
	"countersign/store"
)

// QualityFigures are the figures of the quality sample over cases that were archived since a day.
type QualityFigures struct {
	// StraightThrough is the share of archived cases that no person approved; -1 without cases.
	StraightThrough float64
	Strata          []QualityStratum
	Groups          []QualityGroup
	Pairs           []store.ReviewerPair
	Checkers        []store.CheckerFigures
	Shares          []store.SampleShare // that were set, newest first; the defaults apply otherwise
}

// QualityStratum is the measured error of the cases of one stratum.
type QualityStratum struct {
	store.ArchivedCount
	sampling.Estimate
	// NotBlind are ended samples whose checker was not blind; they do not count in the estimate.
	// NotBlindWrong is how many of them were found wrong.
	NotBlind      int
	NotBlindWrong int
	// Overruled are blind samples whose checker disagreed, and which the third person found right.
	Overruled int
	// Open are samples that have not ended, and OldestOpen is when the oldest was drawn.
	Open       int
	OldestOpen time.Time
	// WorstRate is the rate if every sample without a blind result were wrong. Leaving samples open
	// does not make it smaller.
	WorstRate float64
}

// QualityGroupKind is by what checks are grouped.
type QualityGroupKind string

// The kinds.
const (
	QualityByField  QualityGroupKind = "field"
	QualityBySource QualityGroupKind = "source"
	QualityByRule   QualityGroupKind = "rule"
	QualityByQueue  QualityGroupKind = "queue" // "" = archived without an approval
)

// QualityGroup is how many blind checks of a group disagreed: values of a field or source, or cases
// with a rule's finding or of a queue.
type QualityGroup struct {
	Kind      QualityGroupKind
	Key       string
	Checked   int
	Disagreed int
}

// maxFigureSamples bounds the samples that the figures are computed from, and maxPairs,
// maxCheckers and maxShares the other lists.
const (
	maxFigureSamples = 20_000
	maxPairs         = 100
	maxCheckers      = 100
	maxShares        = 50
)

// QualityFigures computes the figures of the last days, for users who may read the audit trail. Cases
// of the viewer's own documents, and those of confidential processes for viewers who may not see them,
// do not count, except that cases of the viewer's own documents count as archived.
func (v *Views) QualityFigures(
	ctx context.Context, actor domain.Actor, days int,
) (QualityFigures, error) {
	viewer, err := v.auditViewer(ctx, actor)
	if err != nil {
		return QualityFigures{}, err
	}
	now, err := v.reader.Clock(ctx)
	if err != nil {
		return QualityFigures{}, err
	}
	since := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -days)
	sees := viewer.user.SeesConfidential()
	excluded, err := v.confidentialProcesses(ctx, sees)
	if err != nil {
		return QualityFigures{}, err
	}
	samples, err := v.reader.Samples(ctx, store.SampleQuery{Viewer: viewer.user.ID,
		Confidential: sees, Since: since, Limit: maxFigureSamples})
	if err != nil {
		return QualityFigures{}, err
	}
	ids := make([]domain.ID, len(samples))
	for i := range samples {
		ids[i] = samples[i].ID
	}
	checks, err := v.reader.SampleChecks(ctx, ids...)
	if err != nil {
		return QualityFigures{}, err
	}
	counts, err := v.reader.ArchivedCounts(ctx, viewer.user.ID, excluded, since)
	if err != nil {
		return QualityFigures{}, err
	}
	figures := QualityFigures{StraightThrough: straightThrough(counts),
		Strata: strataOf(counts, samples, checks), Groups: groupsOf(samples, checks, sees)}
	return figures, v.peopleFigures(ctx, &figures, viewer.user.ID, excluded, since)
}

// peopleFigures reads what people did, and the shares that they set.
func (v *Views) peopleFigures(ctx context.Context, figures *QualityFigures, viewer domain.ID,
	excluded []string, since time.Time) error {
	limits, err := v.reader.LimitAmounts(ctx)
	if err != nil {
		return err
	}
	figures.Pairs, err = v.reader.ReviewerPairs(ctx, viewer, excluded, sampling.Marks(limits),
		since, maxPairs)
	if err != nil {
		return err
	}
	figures.Checkers, err = v.reader.CheckerFigures(ctx, viewer, excluded, since, maxCheckers)
	if err != nil {
		return err
	}
	figures.Shares, err = v.reader.SampleShares(ctx, maxShares)
	return err
}

// confidentialProcesses returns the processes of which any version has a confidential review, none for
// viewers who may see those. Not only the cases that were in such a review are left out, because a
// missing case would tell that it was.
func (v *Views) confidentialProcesses(ctx context.Context, sees bool) ([]string, error) {
	keys := []string{}
	if sees {
		return keys, nil
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		def, err := v.definition(ctx, domain.Case{ProcessKey: row.Key, ProcessVersion: row.Version})
		if err != nil {
			return nil, err
		}
		if def.Confidential() && !slices.Contains(keys, row.Key) {
			keys = append(keys, row.Key)
		}
	}
	return keys, nil
}

func straightThrough(counts []store.ArchivedCount) float64 {
	var straight, all int64
	for _, count := range counts {
		all += count.Archived
		if count.Stratum == domain.StratumStraight {
			straight += count.Archived
		}
	}
	if all == 0 {
		return -1
	}
	return float64(straight) / float64(all)
}

// blindCheck returns the check of the sample that is not its settlement.
func blindCheck(sample domain.ID, checks []domain.SampleCheck) (domain.SampleCheck, bool) {
	at, found := slices.BinarySearchFunc(checks, sample,
		func(c domain.SampleCheck, id domain.ID) int {
			return cmp.Or(slices.Compare(c.SampleID[:], id[:]), settledLast(c))
		})
	if !found {
		return domain.SampleCheck{}, false
	}
	return checks[at], true
}

func settledLast(c domain.SampleCheck) int {
	if c.Settles {
		return 1
	}
	return 0
}

// strataOf estimates the errors of each stratum from the samples whose check was blind. A checker who
// knows the archived values tends to agree.
func strataOf(counts []store.ArchivedCount, samples []domain.Sample,
	checks []domain.SampleCheck) []QualityStratum {
	var strata []QualityStratum
	for _, stratum := range []domain.Stratum{domain.StratumStraight, domain.StratumApproved} {
		figures := QualityStratum{ArchivedCount: store.ArchivedCount{Stratum: stratum}}
		for _, count := range counts {
			if count.Stratum == stratum {
				figures.ArchivedCount = count
			}
		}
		var outcomes, worst []sampling.Outcome
		for _, sample := range samples {
			if sample.Stratum != stratum {
				continue
			}
			outcome := sampling.Outcome{Probability: sample.Probability,
				Wrong: sample.Status == domain.SampleWrong}
			if figures.countSample(sample, checks) {
				outcomes = append(outcomes, outcome)
			} else {
				outcome.Wrong = true
			}
			worst = append(worst, outcome)
		}
		figures.Estimate = sampling.EstimateErrors(outcomes)
		figures.WorstRate = sampling.EstimateErrors(worst).Rate
		strata = append(strata, figures)
	}
	return strata
}

// countSample counts a sample of the stratum, and reports whether it has a blind result.
func (figures *QualityStratum) countSample(sample domain.Sample,
	checks []domain.SampleCheck) (blindResult bool) {
	if sample.EndedAt.IsZero() {
		if figures.Open++; figures.OldestOpen.IsZero() ||
			sample.DrawnAt.Before(figures.OldestOpen) {
			figures.OldestOpen = sample.DrawnAt
		}
		return false
	}
	if check, ok := blindCheck(sample.ID, checks); !ok || !check.Blind {
		figures.NotBlind++
		if sample.Status == domain.SampleWrong {
			figures.NotBlindWrong++
		}
		return false
	}
	if sample.Status == domain.SampleConfirmed {
		figures.Overruled++
	}
	return true
}

// groupsOf counts the disagreements of blind checks by field, source, rule and queue.
func groupsOf(samples []domain.Sample, checks []domain.SampleCheck,
	seesConfidential bool) []QualityGroup {
	type groupKey struct {
		kind QualityGroupKind
		key  string
	}
	counts := map[groupKey]*QualityGroup{}
	count := func(kind QualityGroupKind, key string, disagrees bool) {
		group, known := counts[groupKey{kind, key}]
		if !known {
			group = &QualityGroup{Kind: kind, Key: key}
			counts[groupKey{kind, key}] = group
		}
		group.Checked++
		if disagrees {
			group.Disagreed++
		}
	}
	for _, sample := range samples {
		check, ok := blindCheck(sample.ID, checks)
		if sample.EndedAt.IsZero() || !ok || !check.Blind {
			continue
		}
		disagrees := !check.Approves
		for _, field := range check.Compared {
			disagrees = disagrees || !field.Agrees
			if field.Archived == "" && field.Checked == "" {
				continue
			}
			count(QualityByField, field.Field, !field.Agrees)
			if field.Source != "" {
				count(QualityBySource, string(field.Source), !field.Agrees)
			}
		}
		for _, rule := range check.Rules {
			if seesConfidential || !domain.ConfidentialRule(rule) {
				count(QualityByRule, rule, disagrees)
			}
		}
		count(QualityByQueue, sample.Queue, disagrees)
	}
	groups := make([]QualityGroup, 0, len(counts))
	for _, group := range counts {
		groups = append(groups, *group)
	}
	slices.SortFunc(groups, func(a, b QualityGroup) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Disagreed, a.Disagreed),
			cmp.Compare(a.Key, b.Key))
	})
	return groups
}

package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/sampling"
	"countersign/store"
)

// drawBatch is the maximum number of archived cases that are drawn in one transaction, and drawRounds
// the number of transactions in one sweep.
const (
	drawBatch  = 200
	drawRounds = 20
)

// DrawSamples draws the quality sample from the cases that were archived since the last draw, and
// returns how many cases it drew from. Each archived case is drawn from once, also if several
// processes draw concurrently.
func (svc *Service) DrawSamples(ctx context.Context) (int, error) {
	total := 0
	for range drawRounds {
		waiting, err := svc.db.Reader().HasArchivedCases(ctx)
		if err != nil || !waiting {
			return total, err
		}
		done := 0
		spec := workSpec{operation: "drawSamples", stream: domain.QualityStream}
		err = svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) (err error) {
			done, err = w.drawSamples()
			return err
		})
		total += done
		if err != nil || done < drawBatch {
			return total, err
		}
	}
	return total, nil
}

func (w *unitOfWork) drawSamples() (int, error) {
	cases, err := w.tx.LockArchivedCases(w.ctx, drawBatch)
	if err != nil || len(cases) == 0 {
		return 0, err
	}
	key, err := w.tx.InstallationKey(w.ctx, qualityKey)
	if err != nil {
		return 0, err
	}
	limits, err := w.tx.LimitAmounts(w.ctx)
	if err != nil {
		return 0, err
	}
	var samples []domain.Sample
	for _, c := range cases {
		def, err := w.svc.definitions.get(w.ctx, w.tx.Reader, c.Process, c.Version)
		if err != nil {
			return 0, err
		}
		sample := sampleOf(c, limits)
		sample.Confidential = def.Confidential()
		if sampling.Drawn(key, c.CaseID, sample.Probability) {
			samples = append(samples, sample)
			w.emit(generated.QualityDrawnV1{SampleID: sample.ID})
		}
	}
	return len(cases), w.tx.EndDraw(w.ctx, cases, samples)
}

// qualityKey is the installation's key for draws.
const qualityKey = "quality"

// sampleOf returns the sample that an archived case becomes if it is drawn.
func sampleOf(c store.ArchivedCase, limits []int64) domain.Sample {
	sample := domain.Sample{ID: domain.NewID(), CaseID: c.CaseID, Process: c.Process,
		Stratum: domain.StratumStraight, Queue: c.Queue, Submitter: c.Submitter, Share: c.Share, ArchivedAt: c.ArchivedAt, Reasons: []string{}}
	if c.Approved {
		sample.Stratum = domain.StratumApproved
	}
	if sample.Share < 0 {
		sample.Share = sampling.DefaultShare(sample.Stratum)
	}
	var reasons []sampling.Reason
	for _, reason := range []struct {
		applies bool
		name    sampling.Reason
	}{{c.NewPayee, sampling.NewPayee}, {c.NewAccount, sampling.NewAccount},
		{c.AmountKnown && sampling.IsNearMark(c.BaseMinor, limits), sampling.NearMark}} {
		if reason.applies {
			reasons = append(reasons, reason.name)
			sample.Reasons = append(sample.Reasons, string(reason.name))
		}
	}
	sample.Probability = sampling.Probability(sample.Share, sampling.Weight(reasons))
	return sample
}

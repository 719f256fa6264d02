package casework

import (
	"cmp"
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/sampling"
	"countersign/store"
	"countersign/workflow"
)

// sampleLease is how long a person has a sample before another one can take it.
const sampleLease = 2 * time.Hour

// maxWaitingSamples is the number of waiting samples from which one is chosen for a person. If none
// of the oldest is for them, the next ones follow, so that samples that only few people may check do
// not keep all others waiting.
const (
	maxWaitingSamples = 100
	maxWaitingPages   = 20
)

// SampleTarget identifies a sample that the caller has.
type SampleTarget struct {
	Once     Once
	SampleID domain.ID
}

// SampleResult is a sample and its status after a command.
type SampleResult struct {
	SampleID domain.ID
	Status   domain.SampleStatus
	// CorrectionID is the correction case of a case that was archived wrongly, else NoID.
	CorrectionID domain.ID
}

// runSampleCommand runs a command of a person on the quality sample as a unit of work. Samples are
// checked in one's own name only.
func runSampleCommand(ctx context.Context, svc *Service, actor domain.Actor, operation string,
	once Once, request any, action domain.Action, fn func(*sampleWork) (SampleResult, error),
) (SampleResult, error) {
	if err := svc.inScope(ctx, actor, operation, action); err != nil {
		return SampleResult{}, err
	}
	if actor.System || actor.OnBehalfOf != domain.NoID {
		err := domain.Errorf(domain.NotPermitted, "You can check samples only in your own name.")
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		return SampleResult{}, err
	}
	svc.accessLog.flush(ctx) // what the person opened before counts
	var result SampleResult
	spec := workSpec{operation: operation, once: once, request: request, result: &result,
		lock: lockShared, stream: domain.QualityStream}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) (err error) {
		result, err = fn(&sampleWork{unitOfWork: w, person: w.command.persons[0]})
		return err
	})
	return result, err
}

// sampleWork is a command on a sample while it runs.
type sampleWork struct {
	*unitOfWork
	person domain.User
}

// TakeSample assigns the caller a sample to check or to settle. The server chooses it by a keyed hash
// from those that the caller may check, so that a caller cannot look for the document of a colleague. A
// caller who has a sample keeps it.
func (svc *Service) TakeSample(
	ctx context.Context, actor domain.Actor, once Once,
) (SampleResult, error) {
	return runSampleCommand(ctx, svc, actor, "takeSample", once, nil, domain.ActClaim,
		func(w *sampleWork) (SampleResult, error) {
			mine, err := w.tx.AssignedSample(w.ctx, w.person.ID)
			if err == nil {
				return SampleResult{SampleID: mine.ID, Status: mine.Status}, nil
			}
			if !domain.HasCode(err, domain.NotFound) {
				return SampleResult{}, err
			}
			return w.takeWaiting()
		})
}

// takeWaiting assigns the person a waiting sample, from the oldest page that has one for them.
func (w *sampleWork) takeWaiting() (SampleResult, error) {
	key, err := w.tx.InstallationKey(w.ctx, qualityKey)
	if err != nil {
		return SampleResult{}, err
	}
	var after domain.Sample
	for range maxWaitingPages {
		waiting, err := w.tx.WaitingSamples(w.ctx, w.person.ID, after, maxWaitingSamples)
		if err != nil {
			return SampleResult{}, err
		}
		if len(waiting) == 0 {
			break
		}
		after = waiting[len(waiting)-1]
		slices.SortFunc(waiting, func(a, b domain.Sample) int {
			return cmp.Compare(sampling.Rank(key, a.ID, w.person.ID),
				sampling.Rank(key, b.ID, w.person.ID))
		})
		for _, found := range waiting {
			if taken, err := w.tryTake(found); err != nil || taken {
				return SampleResult{SampleID: found.ID, Status: found.Status}, err
			}
		}
	}
	return SampleResult{}, domain.Errorf(domain.NothingToClaim,
		"No sample is waiting that you can check.")
}

// tryTake assigns the person a sample if they may check it and no other person is faster. It locks
// only such a sample, and waits for no lock, so that persons who take samples concurrently do not
// block each other.
func (w *sampleWork) tryTake(found domain.Sample) (bool, error) {
	opened, err := w.tx.HasOpened(w.ctx, found.CaseID, w.person.ID)
	// A third person sees the values anyway.
	if err != nil || opened && found.Status == domain.SampleOpen {
		return false, err
	}
	if _, refusal, err := w.mayCheck(found); err != nil || refusal != nil {
		return false, err
	}
	sample, err := w.tx.TryLockSample(w.ctx, found.ID)
	if domain.HasCode(err, domain.NotFound) {
		return false, nil
	}
	if err != nil || sample.Assignee != domain.NoID || sample.Status != found.Status {
		return false, err
	}
	now, err := w.tx.Clock(w.ctx)
	if err != nil {
		return false, err
	}
	return true, w.tx.AssignSample(w.ctx, sample.ID, w.person.ID, now.Add(sampleLease))
}

// sampledCase is the case of a sample with what decides who may check it.
type sampledCase struct {
	record     domain.Case
	exclusions store.Exclusions
	reviews    []domain.Review
}

// readSampled reads the rest of a case.
func (w *unitOfWork) readSampled(record domain.Case) (sampledCase, error) {
	found := sampledCase{record: record}
	var err error
	if found.reviews, err = w.tx.ReviewsOf(w.ctx, record.ID); err != nil {
		return found, err
	}
	found.exclusions, err = w.tx.Exclusions(w.ctx, record.ID, record.Parties())
	return found, err
}

// mayCheck returns why the person may not check the sample, nil if they may: they took part in the
// case, or could claim no review of its process at its amount.
func (w *sampleWork) mayCheck(sample domain.Sample) (sampledCase, error, error) {
	excluded, err := w.tx.SampleExcludes(w.ctx, w.person.ID, sample.ID)
	if err != nil {
		return sampledCase{}, nil, err
	}
	if excluded {
		return sampledCase{}, domain.Errorf(domain.FourEyes,
			"You took part in this case, so another person must check it."), nil
	}
	record, err := w.tx.Case(w.ctx, sample.CaseID)
	if err != nil {
		return sampledCase{}, nil, err
	}
	found, err := w.readSampled(record)
	if err != nil {
		return found, nil, err
	}
	def, err := w.svc.definitions.get(w.ctx, w.tx.Reader, found.record.ProcessKey,
		found.record.ProcessVersion)
	if err != nil {
		return found, nil, err
	}
	return found, w.mayDecideSome(w.person, found, def, func(node *workflow.Node) bool {
		return domain.ConfidentialQueue(node.Queue) == sample.Confidential
	}), nil
}

// mayDecideSome returns nil if the person could claim a review of the case's process at its amount, of
// the nodes that count, otherwise why not.
func (w *unitOfWork) mayDecideSome(person domain.User, found sampledCase, def *workflow.Definition,
	counts func(*workflow.Node) bool) error {
	for _, node := range def.Reviews() {
		if !counts(node) || node.Duty == domain.DutyRepair {
			continue
		}
		facts := store.NewReviewFacts(found.record, domain.Review{CaseID: found.record.ID,
			Queue: node.Queue, Level: node.Level, Duty: def.DutyOf(node.ID),
			Status: domain.ReviewOpen}, found.exclusions, def.HasAmount, time.Time{})
		if _, err := w.command.snapshot.authorizer.Authorize(person, domain.ActClaim, facts); err == nil {
			return nil
		}
	}
	return domain.Errorf(domain.NotEligible, "You cannot decide documents of this process.")
}

// isBlind reports whether the person cannot read the case otherwise and has not opened it.
func (w *sampleWork) isBlind(found sampledCase) (bool, error) {
	opened, err := w.tx.HasOpened(w.ctx, found.record.ID, w.person.ID)
	if err != nil || opened {
		return false, err
	}
	delegators, err := w.tx.Delegators(w.ctx, w.person)
	if err != nil {
		return false, err
	}
	return w.command.snapshot.authorizer.AuthorizeCaseRead(w.person, delegators,
		store.NewCaseFacts(found.record, found.reviews, found.exclusions)) != nil, nil
}

// ReleaseSample returns the caller's sample to those that wait.
func (svc *Service) ReleaseSample(
	ctx context.Context, actor domain.Actor, in SampleTarget,
) (SampleResult, error) {
	return runSampleCommand(ctx, svc, actor, "releaseSample", in.Once, in, domain.ActRelease,
		func(w *sampleWork) (SampleResult, error) {
			sample, err := w.lockOwn(in.SampleID)
			if err != nil {
				return SampleResult{}, err
			}
			return SampleResult{SampleID: sample.ID, Status: sample.Status},
				w.tx.AssignSample(w.ctx, sample.ID, domain.NoID, time.Time{})
		})
}

// lockOwn locks a sample that the caller has. To other people it does not exist.
func (w *sampleWork) lockOwn(id domain.ID) (domain.Sample, error) {
	sample, err := w.tx.LockSample(w.ctx, id)
	if err == nil && sample.Assignee != w.person.ID {
		err = domain.NewNotFound()
	}
	return sample, err
}

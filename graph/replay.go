package graph

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/forecast"
	"countersign/graph/donotuse"
	"countersign/views"
)

func (r queryResolver) Replay(ctx context.Context, weeks int, zone string,
	change *donotuse.ReplayChange) (*donotuse.Replay, error) {
	wanted, err := replayChangeOf(change)
	if err != nil {
		return nil, err
	}
	made, err := r.views.Replay(ctx, callerOf(ctx),
		views.ReplayQuery{Weeks: weeks, Zone: zone, Change: wanted})
	if err != nil {
		return nil, err
	}
	return replayOf(made), nil
}

func replayChangeOf(in *donotuse.ReplayChange) (change views.ReplayChange, err error) {
	if in == nil {
		return change, nil
	}
	change = views.ReplayChange{Queue: valueOrEmpty(in.Queue), Reviewers: in.Reviewers,
		DeadlinePercent: in.DeadlinePercent, Process: valueOrEmpty(in.Process)}
	amount := strings.TrimSpace(valueOrEmpty(in.ReviewFrom))
	if amount == "" {
		return change, nil
	}
	parsed, err := domain.ParseMoney(amount, domain.BaseCurrency)
	change.BaseMinor = &parsed.Minor
	return change, err
}

func replayOf(made *views.Replay) *donotuse.Replay {
	shown := &donotuse.Replay{From: made.Days.Name(0), To: made.Days.Name(made.Days.Len() - 1),
		Scope: made.Scope, ExcludedProcesses: append([]string{}, made.ExcludedProcesses...),
		UnknownQueues: append([]string{}, made.Unknown...), Removed: made.Removed,
		Added: made.Added, Error: replayErrorOf(made.Error), Queues: queueReplaysOf(made.Queues)}
	for day := range made.Days.Len() {
		one := donotuse.ReplayDay{Day: made.Days.Name(day)}
		for _, queue := range made.Queues {
			one.Recorded += queue.Recorded.OpenByDay[day]
			one.Replayed += queue.Replayed.OpenByDay[day]
			one.Changed += queue.Changed.OpenByDay[day]
		}
		shown.Days = append(shown.Days, one)
	}
	return shown
}

func queueReplaysOf(queues []views.QueueReplay) []donotuse.QueueReplay {
	shown := []donotuse.QueueReplay{}
	for _, queue := range queues {
		shown = append(shown, donotuse.QueueReplay{Queue: queue.Queue,
			Reviewers: queue.Reviewers, ChangedReviewers: queue.ChangedReviewers,
			Error: replayErrorOf(queue.Error), Recorded: replayFiguresOf(queue.Recorded),
			Replayed: replayFiguresOf(queue.Replayed), Changed: replayFiguresOf(queue.Changed)})
		if last := &shown[len(shown)-1]; queue.People {
			last.Unassigned, last.ChangedUnassigned = &queue.Unassigned, &queue.ChangedUnassigned
		}
	}
	return shown
}

func replayErrorOf(e forecast.Error) *donotuse.ReplayError {
	if e.Weeks == 0 {
		return nil
	}
	return &donotuse.ReplayError{Weeks: e.Weeks, Decided: e.Decided, Time: e.Median}
}

func replayFiguresOf(f forecast.Figures) donotuse.ReplayFigures {
	shown := donotuse.ReplayFigures{Opened: f.Arrived, Decided: f.Decided, Open: f.Open, Late: f.Late}
	if f.Median > 0 || f.P90 > 0 {
		shown.Time = &donotuse.TimeStatistics{Median: f.Median, P90: f.P90}
	}
	if f.PerPerson > 0 {
		shown.PerReviewer = &f.PerPerson
	}
	return shown
}

package tasks

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

const (
	// pollInterval is the interval at which the poller reads due runs from Postgres while the queue
	// delivers none.
	pollInterval = 2 * time.Second
	// pollSpread is the number of runs read per free slot. Workers that poll concurrently choose
	// among them at random, because otherwise all would try to lease the same run.
	pollSpread = 4
	// pollBackoff is the time for which the poller leaves a failed run to the queue. A run that was
	// executed is not tried again within pollInterval, so that a row that cannot be leased does not
	// keep a worker busy.
	pollBackoff = 30 * time.Second
)

// poller executes runs that are due in Postgres while the queue delivers none, because Redis may
// hang, be unreachable or have lost its data. The lease of the row decides who executes a run, so a
// task that is delivered as well does no harm.
type poller struct {
	worker         *Worker
	clock          domain.Clock
	lastDelivery   map[string]*atomic.Int64 // by queue: time of the last delivery, in nanoseconds
	polled         atomic.Int64
	polledRunEnded chan struct{} // signals that a polled run has ended and another may start
	runs           sync.WaitGroup

	mu         sync.Mutex
	retryAfter map[domain.ID]time.Time // by run: not tried again before
}

func newPoller(w *Worker) *poller {
	p := &poller{worker: w, clock: w.options.Clock, lastDelivery: map[string]*atomic.Int64{},
		polledRunEnded: make(chan struct{}, 1), retryAfter: map[domain.ID]time.Time{}}
	if p.clock == nil {
		p.clock = domain.SystemClock{}
	}
	for queue := range w.slots {
		p.lastDelivery[queue] = &atomic.Int64{}
	}
	return p
}

// delivered records that the queue delivers tasks.
func (p *poller) delivered(queue string) {
	if last := p.lastDelivery[queue]; last != nil {
		last.Store(p.clock.Now().UnixNano())
	}
}

// run polls until stopped, then waits for the runs that it started.
func (p *poller) run(stopped <-chan struct{}) {
	defer p.runs.Wait()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-stopped:
			return
		case <-ticker.C:
		case <-p.polledRunEnded:
		}
		p.poll()
	}
}

// poll starts due runs in the free slots.
func (p *poller) poll() {
	wanted := p.freeSlots()
	if len(wanted) == 0 {
		return
	}
	for queue := range wanted {
		wanted[queue] *= pollSpread
	}
	ctx, cancel := context.WithTimeout(p.worker.runContext, pollInterval)
	defer cancel()
	due, err := p.worker.service.DueRuns(ctx, wanted)
	if err != nil {
		if ctx.Err() == nil {
			p.worker.log.Warn("reading due runs failed", "error", err)
		}
		return
	}
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for _, run := range due {
		p.tryRun(run)
	}
}

// freeSlots returns the number of free slots of each queue that delivers nothing.
func (p *poller) freeSlots() map[string]int {
	before := p.clock.Now().Add(-pollInterval).UnixNano()
	wanted := map[string]int{}
	for queue, slots := range p.worker.slots {
		if free := cap(slots) - len(slots); free > 0 && p.lastDelivery[queue].Load() <= before {
			wanted[queue] = free
		}
	}
	return wanted
}

// tryRun executes the run in a free slot of its queue. Without a free slot it leaves the run to
// other workers.
func (p *poller) tryRun(run domain.PendingRun) {
	slot := p.worker.slots[run.Queue]
	if slot == nil {
		return
	}
	select {
	case slot <- struct{}{}:
	default:
		return
	}
	if !p.mayTry(run.RunID) {
		<-slot
		return
	}
	p.polled.Add(1)
	p.runs.Go(func() {
		err := p.worker.runStage(run.Queue, RunStagePayload{RunID: run.RunID, CaseID: run.CaseID,
			CorrelationID: run.CorrelationID, Traceparent: run.Traceparent})
		<-slot
		if err != nil {
			p.backOff(run.RunID)
			return
		}
		select {
		case p.polledRunEnded <- struct{}{}:
		default:
		}
	})
}

// backOff leaves a run that could not be executed to the queue for pollBackoff.
func (p *poller) backOff(run domain.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retryAfter[run] = p.clock.Now().Add(pollBackoff)
}

// mayTry reports whether the run was not tried recently, and records the try.
func (p *poller) mayTry(run domain.ID) bool {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, until := range p.retryAfter {
		if !now.Before(until) {
			delete(p.retryAfter, id)
		}
	}
	if _, tried := p.retryAfter[run]; tried {
		return false
	}
	p.retryAfter[run] = now.Add(pollInterval)
	return true
}

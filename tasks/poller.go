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
	// pollInterval is how often due runs are looked for in Postgres while the queue delivers none.
	pollInterval = 2 * time.Second
	// pollSpread is how many runs are read for each free slot. Workers that poll at the same time choose among them at
	// random, otherwise all would try to lease the same run.
	pollSpread = 4
	// pollBackoff is how long a run that could not be executed is left to the queue; one that was is not tried again
	// within pollInterval, so that a row which cannot be leased keeps nobody busy.
	pollBackoff = 30 * time.Second
)

// poller executes runs that are due in Postgres while the queue is silent: Redis may be frozen, away or emptied, and due work
// must be found without it. The lease of the row decides who executes a run, so that a task which is delivered all the same
// does no harm.
type poller struct {
	worker         *Worker
	clock          domain.Clock
	lastDelivery   map[string]*atomic.Int64 // by queue: when a task was delivered, in nanoseconds
	polled         atomic.Int64
	polledRunEnded chan struct{} // a polled run has ended: there may be a next one
	runs           sync.WaitGroup

	mu         sync.Mutex
	retryAfter map[domain.ID]time.Time // a run that was tried is not tried again before
}

func newPoller(w *Worker) *poller {
	p := &poller{worker: w, clock: w.options.Clock, lastDelivery: map[string]*atomic.Int64{}, polledRunEnded: make(chan struct{}, 1), retryAfter: map[domain.ID]time.Time{}}
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

// run polls until stopped, then waits for the runs it began.
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

// poll begins the due runs for which there are slots.
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
			p.worker.log.Warn("due runs cannot be read", "error", err)
		}
		return
	}
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for _, run := range due {
		p.tryRun(run)
	}
}

// freeSlots returns the silent queues with the number of their free slots.
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

// tryRun executes the run in a free slot of its queue; without one, the run is left to others.
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
		err := p.worker.runStage(RunStagePayload{RunID: run.RunID, CaseID: run.CaseID, CorrelationID: run.CorrelationID})
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

// backOff leaves a run that could not be executed to the queue for a while.
func (p *poller) backOff(run domain.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retryAfter[run] = p.clock.Now().Add(pollBackoff)
}

// mayTry reports whether the run was not tried a moment ago, and records that it is tried now.
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

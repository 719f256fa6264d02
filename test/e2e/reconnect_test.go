package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/test/testcluster"
)

// caseSubscriber follows one case from one server, loses the connection after some event, and comes
// back at another server.
type caseSubscriber struct {
	name        string
	transport   eventTransport
	first, then string // addresses of the servers
	token, id   string
	cutAfter    int             // seq after which the connection is lost; 0: never
	comesBack   <-chan struct{} // closed when the follower may reconnect; nil: immediately

	last    atomic.Int64 // seq of the last event it received
	listens chan error   // gets nil when the first event has come, or why none has
	before  []receivedEvent
	after   []receivedEvent
	err     error
}

// run is the follower's life, to the end of the case.
func (f *caseSubscriber) run(ctx context.Context) {
	var once sync.Once
	listens := func() { once.Do(func() { f.listens <- f.err }) }
	defer listens()
	var ended bool
	if f.before, ended, f.err = f.listen(ctx, f.first, "", f.cutAfter, listens); f.err != nil ||
		ended {
		return
	}
	if f.comesBack != nil {
		select {
		case <-f.comesBack:
		case <-ctx.Done():
			f.err = context.Cause(ctx)
			return
		}
	}
	f.after, ended, f.err = f.listen(ctx, f.then, f.before[len(f.before)-1].Cursor, 0, listens)
	if f.err == nil && !ended {
		f.err = fmt.Errorf("the subscription did not complete")
	}
}

// listen is one connection's life: to the event until, or to the end of the case.
func (f *caseSubscriber) listen(ctx context.Context, address, cursor string, until int,
	listens func()) (list []receivedEvent, ended bool, err error) {
	connection, err := f.transport(ctx, address, f.token, f.id, cursor)
	if err != nil {
		return nil, false, err
	}
	defer connection.cut()
	for {
		event, err := connection.next()
		if err != nil {
			return list, false, fmt.Errorf("after %d events: %w", len(list), err)
		}
		if event.complete() {
			return list, true, nil
		}
		list = append(list, event)
		f.last.Store(int64(event.Seq))
		listens()
		if event.Seq == until {
			return list, false, nil
		}
	}
}

func seqs(lists ...[]receivedEvent) (numbers []int) {
	for _, list := range lists {
		for _, event := range list {
			numbers = append(numbers, event.Seq)
		}
	}
	return numbers
}

// subscribers are the followers of one case.
type subscribers struct {
	followers []*caseSubscriber
	witnesses []*caseSubscriber // never cut: what they received is the complete list
	caseEnded chan struct{}
	running   sync.WaitGroup
}

// newSubscribers makes, for each transport and each of the events 1 … n, one follower who
// reconnects immediately and one who reconnects when the case is over, and a witness at each
// server.
func newSubscribers(h *testcluster.Cluster, other, id string, n int) *subscribers {
	_, token := h.Credentials("auditor@test.test")
	c := &subscribers{caseEnded: make(chan struct{})}
	add := func(name string, open eventTransport, first, then string, k int, back <-chan struct{}) *caseSubscriber {
		f := &caseSubscriber{name: name, transport: open, first: first, then: then, token: token,
			id: id, cutAfter: k, comesBack: back, listens: make(chan error, 1)}
		c.followers = append(c.followers, f)
		return f
	}
	for name, open := range eventTransports {
		c.witnesses = append(c.witnesses, add(name+", never cut, first server", open, h.URL, "", 0,
			nil),
			add(name+", never cut, second server", open, other, "", 0, nil))
		for k := 1; k <= n; k++ {
			add(fmt.Sprintf("%s, cut after %d, back immediately", name, k), open, h.URL, other, k, nil)
			add(fmt.Sprintf("%s, cut after %d, back at the end", name, k), open, h.URL, other, k,
				c.caseEnded)
		}
	}
	return c
}

// start starts the followers and returns when each has had its first event.
func (c *subscribers) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Minute,
		fmt.Errorf("the case did not come to its end for the follower"))
	t.Cleanup(cancel)
	for _, f := range c.followers {
		c.running.Go(func() { f.run(ctx) })
	}
	for _, f := range c.followers {
		if err := <-f.listens; err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
	}
}

// waitAndCheck waits for all and demands that each received every event once and in order, and
// exactly the missing ones after reconnecting. It returns the complete list.
func (c *subscribers) waitAndCheck(t *testing.T, n int) []receivedEvent {
	t.Helper()
	close(c.caseEnded)
	c.running.Wait()
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	for _, f := range c.followers {
		if f.err != nil {
			t.Errorf("%s: %v", f.name, f.err)
			continue
		}
		if f.cutAfter == 0 {
			if got := seqs(f.before); !slices.Equal(got, all) {
				t.Errorf("%s: received %v, want 1 to %d", f.name, got, n)
			}
			continue
		}
		if got := seqs(f.before); !slices.Equal(got, all[:f.cutAfter]) {
			t.Errorf("%s: received %v before the cut", f.name, got)
		}
		if got := seqs(f.after); !slices.Equal(got, all[f.cutAfter:]) {
			t.Errorf("%s: received %v after the cut, want %v", f.name, got, all[f.cutAfter:])
		}
	}
	return c.witnesses[0].before
}

// submitted uploads an invoice that a person has to decide, and returns its reference and id.
func submitted(t *testing.T, h *testcluster.Cluster, number int) (reference, id string) {
	t.Helper()
	var opened struct{ Reference, Case string }
	said := h.CLI("submitter").WithTB(t).Expect(0, nil, "--json", "submit",
		h.PDF(testcluster.Invoice(number, 20_000)))
	if err := json.Unmarshal([]byte(said.Out), &opened); err != nil {
		t.Fatal(err)
	}
	return opened.Reference, opened.Case
}

// decided walks a case that waits for review through it: released once, then approved.
func decided(t *testing.T, h *testcluster.Cluster, reference string) {
	t.Helper()
	senior := h.CLI("senior").WithTB(t)
	testcluster.Eventually(t, time.Minute, "it is in review",
		func() bool { return senior.Run("review", "claim", reference).Code == 0 })
	senior.Expect(0, nil, "review", "release", reference)
	senior.Expect(0, nil, "review", "claim", reference)
	senior.Expect(0, nil, "review", "decide", reference, "approve")
}

// archived waits for the end of the case and returns how many events its life has, all of which an
// auditor sees.
func archived(t *testing.T, h *testcluster.Cluster, reference string) int {
	t.Helper()
	said := h.CLI("auditor").WithTB(t).Expect(0, nil, "--json", "watch", reference, "--until",
		"archived")
	return len(events(t, said)) - 1 // the last line is the outcome
}

// newest is the seq of the case's last event.
func newest(t *testing.T, h *testcluster.Cluster, reference string) int64 {
	t.Helper()
	var detail struct{ LastEvents []struct{ Seq string } }
	said := h.CLI("auditor").WithTB(t).Expect(0, nil, "--json", "case", "show", reference)
	if err := json.Unmarshal([]byte(said.Out), &detail); err != nil || len(detail.LastEvents) == 0 {
		t.Fatalf("no events (%v): %s", err, said.Out)
	}
	seq, err := strconv.ParseInt(detail.LastEvents[len(detail.LastEvents)-1].Seq, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// Two servers and a worker. The connection to one server is cut after each event of a case's life;
// what the other server sends after the cursor are exactly the missing ones, over both transports,
// immediately and late.
func TestEveryCutHealsAtAnotherServer(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t, "COUNTERSIGN_CONNECTIONS_PER_PERSON=1000") // all subscribers are one person
	other := h.StartServer()
	worker := h.Worker()
	scout, _ := submitted(t, h, 100)
	decided(t, h, scout)
	n := archived(t, h, scout)
	if n < 12 {
		t.Fatalf("a life of %d events is too short to prove anything", n)
	}
	worker.Stop()

	reference, id := submitted(t, h, 101)
	subs := newSubscribers(h, other, id, n)
	subs.start(t)
	h.Worker()
	decided(t, h, reference)
	if got := archived(t, h, reference); got != n {
		t.Errorf("this life has %d events, the first one had %d", got, n)
	}
	subs.waitAndCheck(t, n)
	t.Logf("%d followers, a life of %d events", len(subs.followers), n)
}

// The same with Redis away while a reviewer works: servers poll for commits, so events arrive about
// a second late and complete; when Redis is back the worker continues, and so do live events.
func TestEveryCutHealsWithoutRedis(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t, "COUNTERSIGN_CONNECTIONS_PER_PERSON=1000") // all subscribers are one person
	other := h.StartServer()
	h.Worker()
	scout, _ := submitted(t, h, 110)
	decided(t, h, scout)
	n := archived(t, h, scout)

	reference, id := submitted(t, h, 111)
	subs := newSubscribers(h, other, id, n)
	subs.start(t)
	testcluster.Eventually(t, time.Minute, "it is in review", func() bool {
		return h.CLI("senior").WithTB(t).Run("review", "show", reference).Code == 0
	})
	if err := h.Redis.Stop(); err != nil {
		t.Fatal(err)
	}
	away := time.Now()
	decided(t, h, reference)
	committed := newest(t, h, reference)
	for _, witness := range subs.witnesses {
		testcluster.Eventually(t, 30*time.Second, witness.name+" receives events without Redis",
			func() bool { return witness.last.Load() >= committed })
	}
	if err := h.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	if got := archived(t, h, reference); got != n {
		t.Errorf("this life has %d events, the first one had %d", got, n)
	}
	subs.waitAndCheck(t, n)
	var lags []time.Duration
	withoutRedis := 0
	for _, witness := range subs.witnesses {
		for _, event := range witness.before {
			if event.At.After(away) && event.At.Before(back) {
				withoutRedis++
				lags = append(lags, event.ReceivedAt.Sub(event.At))
			}
		}
	}
	slices.Sort(lags)
	var median, late time.Duration
	if len(lags) > 0 {
		median, late = lags[len(lags)/2], lags[len(lags)-1]
	}
	t.Logf("%d followers, %d events of a case; %d events reached the witnesses without Redis, the latest %s after the commit",
		len(subs.followers), n, withoutRedis, late.Round(time.Millisecond))
	if withoutRedis < 4*len(subs.witnesses) {
		t.Errorf("only %d events happened without Redis", withoutRedis/len(subs.witnesses))
	}
	// A pulse is a second. The middle one of many keeps near it on a loaded machine too; the latest
	// shows that none was lost.
	if median > 3*time.Second || late > time.Minute {
		t.Errorf("events arrived %s after their commit, the latest %s; want about a second",
			median, late)
	}
}

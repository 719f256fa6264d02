package live

import (
	"context"
	"sync"

	"countersign/domain"
)

// frame is one event, read once for all watchers on this server, with the versions of rights and
// credentials of the reading statement.
type frame struct {
	event       *domain.Event
	authority   int64
	credentials int64
}

// feed is one watched stream with its recent frames and its watchers.
type feed struct {
	hub    *Hub
	stream domain.ID

	mu        sync.Mutex
	watchers  map[*watcher]struct{}
	primed    bool    // lastRead and frames are valid
	lastRead  int64   // newest seq in frames
	targetSeq int64   // newest seq that a hint or poll reported
	frames    []frame // contiguous, ascending, ending at lastRead
	reading   bool
}

// cursorPosition is the position of a cursor relative to the recent frames.
type cursorPosition int

const (
	upToDate cursorPosition = iota
	buffered                // the next frames are buffered
	behind                  // the log must be read
)

// framesAfter returns the frames after the cursor.
func (f *feed) framesAfter(cursor int64) ([]frame, cursorPosition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !f.primed:
		return nil, behind
	case cursor >= f.lastRead:
		return nil, upToDate
	}
	first := f.lastRead - int64(len(f.frames)) + 1
	if cursor+1 < first {
		return nil, behind
	}
	return append([]frame(nil), f.frames[cursor+1-first:]...), buffered
}

// prime fills the feed from a read that one watcher made and that reached the head, so that it
// serves all watchers.
func (f *feed) prime(after int64, reading domain.StreamPage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.primed || after+int64(len(reading.Events)) != reading.LastSeq {
		return
	}
	f.primed, f.lastRead = true, after
	f.appendFrames(reading)
	f.startReading()
}

// readTo records that the stream reaches seq and starts reading if seq is new.
func (f *feed) readTo(seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.targetSeq = max(f.targetSeq, seq)
	f.startReading()
}

// startReading starts the stream's only reader if there is something to read and none is running.
// The caller holds the lock.
func (f *feed) startReading() {
	if !f.primed || f.reading || f.lastRead >= f.targetSeq {
		return
	}
	f.reading = true
	go f.readLoop()
}

// readLoop reads until the target is reached. An error ends it; the next poll starts it again.
func (f *feed) readLoop() {
	ctx := f.hub.runContext()
	for {
		f.mu.Lock()
		from := f.lastRead
		if from >= f.targetSeq {
			f.reading = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		reading, err := f.hub.readEvents(ctx, f.stream, from)
		f.mu.Lock()
		if err != nil || !contiguous(from, reading) || len(reading.Events) == 0 {
			f.reading = false
			f.targetSeq = f.lastRead // the hint may have been wrong; the poll reports the real head
			f.mu.Unlock()
			return
		}
		f.appendFrames(reading)
		f.mu.Unlock()
		f.hub.onAuthorityVersion(reading.AuthorityVersion)
		f.signalAll()
	}
}

// appendFrames adds the events read after f.lastRead. The caller holds the lock.
func (f *feed) appendFrames(reading domain.StreamPage) {
	for i := range reading.Events {
		f.frames = append(f.frames, frame{&reading.Events[i], reading.AuthorityVersion,
			reading.CredentialVersion})
		f.lastRead = reading.Events[i].Seq
	}
	if recent := f.hub.options.RecentFrames; len(f.frames) >= 2*recent {
		f.frames = append([]frame(nil), f.frames[len(f.frames)-recent:]...)
	}
}

func (f *feed) signalAll() {
	for _, w := range f.watcherList() {
		w.signal()
	}
}

func (f *feed) watcherList() []*watcher {
	f.mu.Lock()
	defer f.mu.Unlock()
	members := make([]*watcher, 0, len(f.watchers))
	for w := range f.watchers {
		members = append(members, w)
	}
	return members
}

// contiguous reports whether the events follow the cursor without a gap, as the log guarantees.
func contiguous(after int64, reading domain.StreamPage) bool {
	for _, event := range reading.Events {
		if after++; event.Seq != after {
			return false
		}
	}
	return true
}

func (h *Hub) runContext() context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ctx
}

// addWatcher registers the watcher with its stream before anything is read, so that no hint is
// missed.
func (h *Hub) addWatcher(w *watcher, stream domain.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[stream]
	if f == nil {
		f = &feed{hub: h, stream: stream, watchers: map[*watcher]struct{}{}}
		h.feeds[stream] = f
	}
	f.mu.Lock()
	f.watchers[w] = struct{}{}
	f.mu.Unlock()
	w.feed = f
}

// removeWatcher removes the watcher, and the stream with its last watcher.
func (h *Hub) removeWatcher(w *watcher) {
	w.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	delete(w.feed.watchers, w)
	if len(w.feed.watchers) == 0 {
		delete(h.feeds, w.feed.stream)
	}
}

package live

import (
	"context"
	"sync"

	"countersign/domain"
)

// frame is one event as read once for everybody on this server, with the authority's version of the reading statement.
type frame struct {
	event     *domain.Event
	authority int64
}

// feed is one watched stream: its recent frames and those who watch it.
type feed struct {
	hub    *Hub
	stream domain.ID

	mu       sync.Mutex
	watches  map[*watch]struct{}
	anchored bool    // read and frames are valid
	read     int64   // newest seq in frames
	wanted   int64   // newest seq that is said to exist
	frames   []frame // contiguous, ascending, ending at read
	reading  bool
}

// position says how a cursor stands to the recent frames.
type position int

const (
	upToDate position = iota
	within            // the next frames are here
	behind            // the log must be read
)

// after returns the frames after the cursor.
func (f *feed) after(cursor int64) ([]frame, position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !f.anchored:
		return nil, behind
	case cursor >= f.read:
		return nil, upToDate
	}
	first := f.read - int64(len(f.frames)) + 1
	if cursor+1 < first {
		return nil, behind
	}
	return append([]frame(nil), f.frames[cursor+1-first:]...), within
}

// anchor lets a reading that one watcher made for itself and that reached the head serve everybody from now on.
func (f *feed) anchor(after int64, reading domain.LogReading) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.anchored || after+int64(len(reading.Events)) != reading.Head {
		return
	}
	f.anchored, f.read = true, after
	f.append(reading)
	f.readUp()
}

// want notes that the stream reaches to seq, and reads up if that is news.
func (f *feed) want(seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted = max(f.wanted, seq)
	f.readUp()
}

// readUp starts the one reading of this stream, if there is something to read and none runs. The lock is held.
func (f *feed) readUp() {
	if !f.anchored || f.reading || f.read >= f.wanted {
		return
	}
	f.reading = true
	go f.readAll()
}

// readAll reads until nothing is wanted any more. A failure ends it; the next pulse starts it again.
func (f *feed) readAll() {
	ctx := f.hub.ctxOfRun()
	for {
		f.mu.Lock()
		from := f.read
		if from >= f.wanted {
			f.reading = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		var reading domain.LogReading
		err := f.hub.ask(ctx, func() (err error) {
			reading, err = f.hub.options.Log.EventsAfter(ctx, f.stream, from, f.hub.options.Page)
			return err
		})
		f.mu.Lock()
		if err != nil || !contiguous(from, reading) || len(reading.Events) == 0 {
			f.reading = false
			f.wanted = f.read // what was said may be wrong; what is there the pulse says again
			f.mu.Unlock()
			return
		}
		f.append(reading)
		f.mu.Unlock()
		f.hub.learn(reading.AuthorityVersion)
		f.wakeAll()
	}
}

// append adds what was read after f.read. The lock is held.
func (f *feed) append(reading domain.LogReading) {
	for i := range reading.Events {
		f.frames = append(f.frames, frame{&reading.Events[i], reading.AuthorityVersion})
		f.read = reading.Events[i].Seq
	}
	if recent := f.hub.options.Recent; len(f.frames) >= 2*recent {
		f.frames = append([]frame(nil), f.frames[len(f.frames)-recent:]...)
	}
}

func (f *feed) wakeAll() {
	for _, w := range f.members() {
		w.nudge()
	}
}

func (f *feed) members() []*watch {
	f.mu.Lock()
	defer f.mu.Unlock()
	members := make([]*watch, 0, len(f.watches))
	for w := range f.watches {
		members = append(members, w)
	}
	return members
}

// contiguous reports whether the events follow the cursor without a gap, as the log promises.
func contiguous(after int64, reading domain.LogReading) bool {
	for _, event := range reading.Events {
		if after++; event.Seq != after {
			return false
		}
	}
	return true
}

func (h *Hub) ctxOfRun() context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ctx
}

// join registers the watch with its stream before anything is read, so that no hint is missed.
func (h *Hub) join(w *watch, stream domain.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[stream]
	if f == nil {
		f = &feed{hub: h, stream: stream, watches: map[*watch]struct{}{}}
		h.feeds[stream] = f
	}
	f.mu.Lock()
	f.watches[w] = struct{}{}
	f.mu.Unlock()
	w.feed = f
}

// leave forgets the watch, and the stream with its last one.
func (h *Hub) leave(w *watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	delete(w.feed.watches, w)
	if len(w.feed.watches) == 0 {
		delete(h.feeds, w.feed.stream)
	}
}

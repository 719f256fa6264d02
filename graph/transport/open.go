package transport

import (
	"net/http"
	"sync"
	"time"

	"countersign/domain"
)

// comeBack is when to try again for a connection or a subscription beyond the bound: others have to end first.
const comeBack = 30 * time.Second

// openCounts counts what is open on this server, by whom. Other servers count for themselves.
type openCounts struct {
	mu    sync.Mutex
	byKey map[string]int
	total int
}

// take counts one more of the key; false when it has as many as it may.
func (o *openCounts) take(key string, most int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byKey[key] >= most {
		return false
	}
	if o.byKey == nil {
		o.byKey = map[string]int{}
	}
	o.byKey[key]++
	o.total++
	return true
}

// release gives back what take has counted.
func (o *openCounts) release(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total--
	if o.byKey[key]--; o.byKey[key] == 0 {
		delete(o.byKey, key)
	}
}

func (o *openCounts) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// Open is how many sockets and streams are open on this server, and how many subscriptions run on them.
func (h *Handler) Open() (connections, subscriptions int) {
	return h.byClient.count(), h.subscriptions.count()
}

// enterClient counts a connection of the client's network. leave is called when it ends.
func (h *Handler) enterClient(r *http.Request) (leave func(), err error) {
	client := h.options.Client(r)
	if !h.byClient.take(client, h.options.ConnectionsPerClient) {
		return nil, tooMany("connections from your network", h.options.ConnectionsPerClient)
	}
	return func() { h.byClient.release(client) }, nil
}

// enterPerson counts a connection of a person; of nobody there is nothing to count.
func (h *Handler) enterPerson(actor domain.Actor) (leave func(), err error) {
	return enter(&h.byPerson, actor, "connections", h.options.ConnectionsPerPerson)
}

// enterSubscription counts a subscription of a person.
func (h *Handler) enterSubscription(actor domain.Actor) (leave func(), err error) {
	return enter(&h.subscriptions, actor, "subscriptions", h.options.SubscriptionsPerPerson)
}

func enter(counts *openCounts, actor domain.Actor, what string, most int) (leave func(), err error) {
	if actor.UserID == domain.NoID {
		return func() {}, nil
	}
	key := actor.UserID.String()
	if !counts.take(key, most) {
		return nil, tooMany(what+" of yours", most)
	}
	return func() { counts.release(key) }, nil
}

func tooMany(what string, most int) error {
	return domain.Errorf(domain.RateLimited, "No more than %d %s can be open at one time.", most, what).
		WithRemedy("Close some, or try again in %d seconds.", int(comeBack/time.Second)).WithRetryAfter(comeBack)
}

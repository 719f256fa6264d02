package transport

import (
	"net/http"
	"sync"
	"time"

	"countersign/domain"
)

// retryAfter is the retry time for a connection or subscription beyond the limit, because others
// have to end first.
const retryAfter = 30 * time.Second

// openCounts counts what is open on this server by key. Other servers count separately.
type openCounts struct {
	mu    sync.Mutex
	byKey map[string]int
	total int
}

// acquire counts one more of the key; it returns false if the maximum is reached.
func (o *openCounts) acquire(key string, most int) bool {
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

// release undoes acquire.
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

// Open returns the number of open sockets and streams on this server, and of their subscriptions.
func (h *Handler) Open() (connections, subscriptions int) {
	return h.byClient.count(), h.subscriptions.count()
}

// enterClient counts a connection of the client's network. The caller calls leave when it ends.
func (h *Handler) enterClient(r *http.Request) (leave func(), err error) {
	client := h.options.Client(r)
	if !h.byClient.acquire(client, h.options.ConnectionsPerClient) {
		return nil, tooMany("connections from your network", h.options.ConnectionsPerClient)
	}
	return func() { h.byClient.release(client) }, nil
}

// enterPerson counts a connection of a user; unauthenticated callers are not counted.
func (h *Handler) enterPerson(actor domain.Actor) (leave func(), err error) {
	return enter(&h.byPerson, actor, "connections", h.options.ConnectionsPerPerson)
}

// enterSubscription counts a subscription of a user.
func (h *Handler) enterSubscription(actor domain.Actor) (leave func(), err error) {
	return enter(&h.subscriptions, actor, "subscriptions", h.options.SubscriptionsPerPerson)
}

func enter(counts *openCounts, actor domain.Actor, what string, most int) (
	leave func(), err error) {
	if actor.UserID == domain.NoID {
		return func() {}, nil
	}
	key := actor.UserID.String()
	if !counts.acquire(key, most) {
		return nil, tooMany(what+" of yours", most)
	}
	return func() { counts.release(key) }, nil
}

func tooMany(what string, most int) error {
	return domain.Errorf(domain.RateLimited, "At most %d %s can be open at the same time.", most,
		what).
		WithRemedy("Close some, or try again in %d seconds.", int(retryAfter/time.Second)).
		WithRetryAfter(retryAfter)
}

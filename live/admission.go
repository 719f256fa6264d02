package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

// admission is what lets a subscription in: a person by a session or an API token. Every frame that leaves was committed
// before a moment at which the credential held: readings carry the version of all credentials in their snapshot, and a
// version newer than verified is looked into first, in one statement for all subscriptions of the server.
type admission struct {
	actor    domain.Actor
	once     sync.Once
	ended    chan struct{}
	reason   error
	expires  time.Time    // of the credential, by the database's clock; zero = it does not end by itself
	verified atomic.Int64 // the version of all credentials up to which this one is known to hold
	timer    *time.Timer  // ends the subscription when the credential expires
}

// end ends the subscription from outside, once, with a reason.
func (a *admission) end(reason error) {
	a.once.Do(func() {
		a.reason = reason
		close(a.ended)
	})
}

// over returns the reason why the subscription was ended from outside; nil while it was not.
func (a *admission) over() error {
	select {
	case <-a.ended:
		return a.reason
	default:
		return nil
	}
}

// expired reports whether the credential had ended by itself at the moment of the database's clock.
func (a *admission) expired(at time.Time) bool { return !a.expires.IsZero() && !at.Before(a.expires) }

// raise notes that the credential was found to hold under the version.
func (a *admission) raise(version int64) {
	for {
		known := a.verified.Load()
		if version <= known || a.verified.CompareAndSwap(known, version) {
			return
		}
	}
}

// credentialEnded is why a subscription ends with the credential it began with.
func credentialEnded(actor domain.Actor) error {
	if actor.TokenID != domain.NoID {
		return domain.Errorf(domain.Unauthenticated, "This API token was revoked or has expired.").WithRemedy("Create a new API token.")
	}
	return domain.Errorf(domain.SessionExpired, "Your session has ended.").WithRemedy("Sign in again.")
}

// credential checks the credential at the start of a subscription, and has it ended when it expires. The request was
// identified a moment ago, but what ended since is in no later reading.
func (h *Hub) credential(ctx context.Context, a *admission) error {
	var state domain.CredentialState
	err := h.runQuery(ctx, func() (err error) {
		state, err = h.options.Log.Credential(ctx, a.actor)
		return err
	})
	switch {
	case err != nil:
		return err
	case !state.Holds:
		return credentialEnded(a.actor)
	}
	a.raise(state.Version)
	if a.expires = state.EndsAt; !a.expires.IsZero() {
		a.timer = time.AfterFunc(a.expires.Sub(state.At), func() { a.end(credentialEnded(a.actor)) })
	}
	return nil
}

// close stops the timer.
func (a *admission) close() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// verify makes sure that the credential held under the version or a newer one. Whoever comes first asks for everyone.
func (h *Hub) verify(ctx context.Context, a *admission, version int64) error {
	if a.verified.Load() >= version {
		return a.over()
	}
	h.verifying.Lock()
	defer h.verifying.Unlock()
	if a.verified.Load() >= version || a.over() != nil {
		return a.over()
	}
	if err := h.askCredentials(ctx); err != nil {
		return err
	}
	return a.over()
}

// askCredentials asks, for everyone, which credentials still hold. The lock verifying is held.
func (h *Hub) askCredentials(ctx context.Context) error {
	everyone := h.admissions()
	var pulse domain.WatchState
	err := h.runQuery(ctx, func() (err error) {
		sessions, tokens := credentialsOf(everyone)
		pulse, err = h.options.Log.WatchState(ctx, nil, sessions, tokens)
		return err
	})
	if err != nil {
		return err
	}
	h.settle(everyone, pulse)
	h.onAuthorityVersion(pulse.AuthorityVersion)
	return nil
}

// glance asks between two pulses whether rights or credentials have changed at all, which is next to nothing, and looks
// closer if they have.
func (h *Hub) glance(ctx context.Context) {
	if streams, lists := h.Watched(); streams+lists == 0 {
		return
	}
	now, err := h.options.Log.RightsVersion(ctx)
	if err != nil {
		return // the next pulse says so
	}
	if now.Credentials > h.credentials.Load() {
		h.verifyAll(ctx)
	}
	h.onAuthorityVersion(now.Authority)
}

// verifyAll ends every subscription whose credential no longer holds. What fails is asked again half a pulse later, and
// before any frame of then leaves.
func (h *Hub) verifyAll(ctx context.Context) {
	h.verifying.Lock()
	defer h.verifying.Unlock()
	_ = h.askCredentials(ctx)
}

// settle ends the subscriptions whose credentials no longer hold and notes of the others up to when they do.
func (h *Hub) settle(asked []*admission, pulse domain.WatchState) {
	ended := make(map[domain.ID]bool, len(pulse.Ended))
	for _, id := range pulse.Ended {
		ended[id] = true
	}
	for _, a := range asked {
		if id, any := credentialOf(a.actor); any && ended[id] {
			a.end(credentialEnded(a.actor))
			continue
		}
		a.raise(pulse.CredentialVersion)
	}
	h.credentials.Store(pulse.CredentialVersion)
}

// credentialOf is the API token or session by which the actor came.
func credentialOf(actor domain.Actor) (domain.ID, bool) {
	if actor.TokenID != domain.NoID {
		return actor.TokenID, true
	}
	return actor.SessionID, actor.SessionID != domain.NoID
}

// credentialsOf are the sessions and the API tokens by which the subscriptions came, each once.
func credentialsOf(asked []*admission) (sessions, tokens []domain.ID) {
	seen := make(map[domain.ID]bool, len(asked))
	for _, a := range asked {
		id, any := credentialOf(a.actor)
		if !any || seen[id] {
			continue
		}
		seen[id] = true
		if a.actor.TokenID != domain.NoID {
			tokens = append(tokens, id)
		} else {
			sessions = append(sessions, id)
		}
	}
	return sessions, tokens
}

// admissions are those of every subscription.
func (h *Hub) admissions() []*admission {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*admission
	for _, watched := range h.feeds {
		for _, w := range watched.watcherList() {
			all = append(all, &w.admission)
		}
	}
	h.eachList(func(list *listWatcher) { all = append(all, &list.admission) })
	return all
}

// certain repeats the question while the database does not answer, until the subscription ends.
func (h *Hub) certain(ctx context.Context, a *admission, question func() error) error {
	for {
		err := question()
		if err == nil || isRefusal(err) {
			return err
		}
		if over := a.over(); over != nil {
			return over
		}
		if !sleep(ctx, h.options.PollInterval) {
			return ctx.Err()
		}
	}
}

// confirmed reads how new the rights are, after what is to be sent was read, and makes sure that the credential holds.
func (h *Hub) confirmed(ctx context.Context, a *admission) (now domain.RightsVersion, err error) {
	err = h.certain(ctx, a, func() error {
		if now, err = h.options.Log.RightsVersion(ctx); err != nil {
			return err
		}
		if a.expired(now.At) {
			a.end(credentialEnded(a.actor))
		}
		return h.verify(ctx, a, now.Credentials)
	})
	h.onAuthorityVersion(now.Authority)
	return now, err
}

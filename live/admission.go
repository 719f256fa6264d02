package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

// admission is the credential of one subscription: a session or an API token. A frame is sent only
// if the credential was valid when the frame's event was committed. Every read returns the version
// of all credentials in its snapshot; if it is newer than verified, the hub first checks all
// credentials of the server in one statement.
type admission struct {
	actor    domain.Actor
	once     sync.Once
	ended    chan struct{}
	reason   error
	expires  time.Time    // by the database's clock; zero if the credential does not expire
	verified atomic.Int64 // the version of all credentials under which this one was last valid
	timer    *time.Timer  // ends the subscription when the credential expires
}

// end ends the subscription once, with a reason.
func (a *admission) end(reason error) {
	a.once.Do(func() {
		a.reason = reason
		close(a.ended)
	})
}

// endReason returns why the subscription was ended, or nil if it is active.
func (a *admission) endReason() error {
	select {
	case <-a.ended:
		return a.reason
	default:
		return nil
	}
}

// expired reports whether the credential had expired at the time, by the database's clock.
func (a *admission) expired(at time.Time) bool {
	return !a.expires.IsZero() && !at.Before(a.expires)
}

// advanceVerified records that the credential was valid under the version.
func (a *admission) advanceVerified(version int64) {
	for {
		known := a.verified.Load()
		if version <= known || a.verified.CompareAndSwap(known, version) {
			return
		}
	}
}

// credentialEnded returns the error of a subscription whose credential has ended.
func credentialEnded(actor domain.Actor) error {
	if actor.TokenID != domain.NoID {
		return domain.Errorf(domain.Unauthenticated, "This API token was revoked or has expired.").
			WithRemedy("Create a new API token.")
	}
	return domain.Errorf(domain.SessionExpired, "Your session has ended.").
		WithRemedy("Sign in again.")
}

// credential checks the credential at the start of a subscription and starts the timer for its
// expiry. The request was authenticated before, but the credential may have ended since.
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
	a.advanceVerified(state.Version)
	if a.expires = state.EndsAt; !a.expires.IsZero() {
		a.timer = time.AfterFunc(a.expires.Sub(state.At),
			func() { a.end(credentialEnded(a.actor)) })
	}
	return nil
}

// close stops the timer.
func (a *admission) close() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// verify ensures that the credential was valid under the version or a newer one. The first caller
// checks all credentials, so that concurrent callers share one statement.
func (h *Hub) verify(ctx context.Context, a *admission, version int64) error {
	if a.verified.Load() >= version {
		return a.endReason()
	}
	h.verifying.Lock()
	defer h.verifying.Unlock()
	if a.verified.Load() >= version || a.endReason() != nil {
		return a.endReason()
	}
	if err := h.checkCredentials(ctx); err != nil {
		return err
	}
	return a.endReason()
}

// checkCredentials checks the credentials of all subscriptions. The caller holds h.verifying.
func (h *Hub) checkCredentials(ctx context.Context) error {
	all := h.admissions()
	var state domain.WatchState
	err := h.runQuery(ctx, func() (err error) {
		sessions, tokens := credentialsOf(all)
		state, err = h.options.Log.WatchState(ctx, nil, sessions, tokens)
		return err
	})
	if err != nil {
		return err
	}
	h.applyWatchState(all, state)
	h.onAuthorityVersion(state.AuthorityVersion)
	return nil
}

// checkVersions checks between two polls whether rights or credentials changed, which is a cheap
// query, and reloads them if so.
func (h *Hub) checkVersions(ctx context.Context) {
	if streams, lists := h.Watched(); streams+lists == 0 {
		return
	}
	now, err := h.options.Log.RightsVersion(ctx)
	if err != nil {
		return // the next poll logs it
	}
	if now.Credentials > h.credentials.Load() {
		h.verifyAll(ctx)
	}
	h.onAuthorityVersion(now.Authority)
}

// verifyAll ends every subscription whose credential is no longer valid. It ignores errors, because
// the next check repeats the query and no newer frame is sent before it succeeds.
func (h *Hub) verifyAll(ctx context.Context) {
	h.verifying.Lock()
	defer h.verifying.Unlock()
	_ = h.checkCredentials(ctx)
}

// applyWatchState ends the subscriptions whose credentials are no longer valid and advances the
// verified version of the others.
func (h *Hub) applyWatchState(admissions []*admission, state domain.WatchState) {
	ended := make(map[domain.ID]bool, len(state.Ended))
	for _, id := range state.Ended {
		ended[id] = true
	}
	for _, a := range admissions {
		if id, any := credentialOf(a.actor); any && ended[id] {
			a.end(credentialEnded(a.actor))
			continue
		}
		a.advanceVerified(state.CredentialVersion)
	}
	h.credentials.Store(state.CredentialVersion)
}

// credentialOf returns the id of the actor's API token or session.
func credentialOf(actor domain.Actor) (domain.ID, bool) {
	if actor.TokenID != domain.NoID {
		return actor.TokenID, true
	}
	return actor.SessionID, actor.SessionID != domain.NoID
}

// credentialsOf returns the distinct sessions and API tokens of the subscriptions.
func credentialsOf(admissions []*admission) (sessions, tokens []domain.ID) {
	included := make(map[domain.ID]bool, len(admissions))
	for _, a := range admissions {
		id, any := credentialOf(a.actor)
		if !any || included[id] {
			continue
		}
		included[id] = true
		if a.actor.TokenID != domain.NoID {
			tokens = append(tokens, id)
		} else {
			sessions = append(sessions, id)
		}
	}
	return sessions, tokens
}

// admissions returns the admissions of all subscriptions.
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

// retryUntilKnown repeats the query until it succeeds or is refused, or until the subscription
// ends.
func (h *Hub) retryUntilKnown(ctx context.Context, a *admission, query func() error) error {
	for {
		err := query()
		if err == nil || isRefusal(err) {
			return err
		}
		if reason := a.endReason(); reason != nil {
			return reason
		}
		if !sleep(ctx, h.options.PollInterval) {
			return ctx.Err()
		}
	}
}

// readConfirmed reads the versions of the rights after the data to be sent was read, and ensures
// that the credential is valid.
func (h *Hub) readConfirmed(ctx context.Context, a *admission) (
	now domain.RightsVersion, err error) {
	err = h.retryUntilKnown(ctx, a, func() error {
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

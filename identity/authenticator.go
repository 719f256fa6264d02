package identity

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
)

// Settings configure sign-in; zero values take the defaults.
type Settings struct {
	SessionLifetime time.Duration // from the sign-in; 12 h
	DeviceLifetime  time.Duration // how long a browser is known after its last sign-in; 180 days
	// Lockout applies to one account from one client, and to one account from a known device: 5
	// free failures, then 1 min, doubling up to 1 h; forgotten after 24 h.
	Lockout store.LockoutPolicy
	// AccountAttempts applies to one account over all clients except known devices (100 failures,
	// one more every 10 min), ClientAttempts to one client over all accounts (60, one more every 20
	// s).
	AccountAttempts, ClientAttempts store.Attempts
	// RelyingParty is the domain for which passkeys are made; "" = they are off.
	RelyingParty string
	// PasswordsOff refuses to sign in by password.
	PasswordsOff bool
	// Accounts finds the accounts of people who sign in through a provider; nil = no one does.
	Accounts  ProviderAccounts
	Providers []Provider
	// TokenUseDelay is how long recording the use of tokens is delayed for batching; 5 s.
	TokenUseDelay time.Duration
}

func (s Settings) withDefaults() Settings {
	if s.SessionLifetime == 0 {
		s.SessionLifetime = 12 * time.Hour
	}
	if s.Lockout == (store.LockoutPolicy{}) {
		s.Lockout = store.LockoutPolicy{FreeAttempts: 5, FirstDelay: time.Minute,
			MaxDelay: time.Hour, ForgetAfter: 24 * time.Hour}
	}
	if s.DeviceLifetime == 0 {
		s.DeviceLifetime = 180 * 24 * time.Hour
	}
	if s.AccountAttempts == (store.Attempts{}) {
		s.AccountAttempts = store.Attempts{Most: 100, Every: 10 * time.Minute}
	}
	if s.ClientAttempts == (store.Attempts{}) {
		s.ClientAttempts = store.Attempts{Most: 60, Every: 20 * time.Second}
	}
	if s.TokenUseDelay == 0 {
		s.TokenUseDelay = 5 * time.Second
	}
	return s
}

// Authenticator authenticates requests. It is safe for concurrent use.
type Authenticator struct {
	db       *store.DB
	settings Settings
	log      *slog.Logger
	tokenUse pendingTokenUse
}

// New returns an authenticator. Close it to write what was batched.
func New(db *store.DB, settings Settings, log *slog.Logger) *Authenticator {
	return &Authenticator{db: db, settings: settings.withDefaults(), log: log,
		tokenUse: pendingTokenUse{ids: map[domain.ID]bool{}}}
}

// Close writes which tokens were used.
func (g *Authenticator) Close(ctx context.Context) { g.flushTokenUse(ctx) }

// Credential is what a request sends. A bearer token is an API token, a cookie's secret is a
// session's. Neither is accepted as the other, because only cookies are protected against
// cross-site requests.
type Credential struct {
	Bearer string
	Cookie string
}

// Identity is the owner of a credential.
type Identity struct {
	Actor  domain.Actor
	Locale string
}

// Authenticate returns whose credential it is, from the current rows. Without a credential the
// Actor has no UserID; an unknown, revoked or expired token or a disabled user is Unauthenticated,
// an ended session SessionExpired.
func (g *Authenticator) Authenticate(ctx context.Context,
	credential Credential) (domain.Actor, error) {
	known, err := g.Identify(ctx, credential)
	return known.Actor, err
}

// Identify is Authenticate with the user's locale.
func (g *Authenticator) Identify(ctx context.Context, credential Credential) (Identity, error) {
	switch {
	case credential.Bearer != "":
		return g.identifyToken(ctx, credential.Bearer)
	case credential.Cookie != "":
		return g.identifySession(ctx, credential.Cookie)
	}
	return Identity{}, nil
}

func (g *Authenticator) identifyToken(ctx context.Context, secret string) (Identity, error) {
	refusal := domain.Errorf(domain.Unauthenticated,
		"This API token does not exist, was revoked or has expired.").
		WithRemedy("Create a new API token.")
	if !strings.HasPrefix(secret, tokenPrefix) || !wellFormed(secret) {
		return Identity{}, refusal
	}
	found, err := g.db.Reader().TokenByHash(ctx, hashSecret(secret))
	if domain.HasCode(err, domain.NotFound) {
		return Identity{}, refusal
	}
	if err != nil {
		return Identity{}, err
	}
	if found.Expired || found.Disabled || !found.Token.RevokedAt.IsZero() {
		return Identity{}, refusal
	}
	g.recordTokenUse(found.Token.ID)
	return Identity{Locale: found.Locale, Actor: domain.Actor{UserID: found.Token.UserID,
		Name: found.Name, TokenID: found.Token.ID,
		Scopes: found.Token.Scopes, RequestsPerMinute: found.Token.RequestsPerMinute,
		Channel: domain.ChannelAPI}}, nil
}

func (g *Authenticator) identifySession(ctx context.Context, secret string) (Identity, error) {
	expired := domain.Errorf(domain.SessionExpired, "Your session has ended.").
		WithRemedy("Sign in again.")
	if strings.HasPrefix(secret, tokenPrefix) || !wellFormed(secret) {
		return Identity{}, expired
	}
	found, err := g.db.Reader().SessionByHash(ctx, hashSecret(secret))
	if domain.HasCode(err, domain.NotFound) {
		return Identity{}, expired
	}
	switch {
	case err != nil:
		return Identity{}, err
	case found.Disabled:
		return Identity{}, domain.Errorf(domain.Unauthenticated, "This account is disabled.").
			WithRemedy("Ask an administrator.")
	case found.Expired || !found.Session.EndedAt.IsZero():
		return Identity{}, expired
	}
	return Identity{Locale: found.Locale, Actor: domain.Actor{UserID: found.Session.UserID,
		Name: found.Name, SessionID: found.Session.ID,
		Channel: domain.ChannelWeb}}, nil
}

// pendingTokenUse is the tokens used since the last write.
type pendingTokenUse struct {
	mu    sync.Mutex
	ids   map[domain.ID]bool
	timer *time.Timer
}

// recordTokenUse remembers the use; flushTokenUse writes many uses at a time.
func (g *Authenticator) recordTokenUse(id domain.ID) {
	g.tokenUse.mu.Lock()
	defer g.tokenUse.mu.Unlock()
	g.tokenUse.ids[id] = true
	if g.tokenUse.timer == nil {
		g.tokenUse.timer = time.AfterFunc(g.settings.TokenUseDelay,
			func() { g.flushTokenUse(context.Background()) })
	}
}

func (g *Authenticator) flushTokenUse(ctx context.Context) {
	g.tokenUse.mu.Lock()
	ids := make([]domain.ID, 0, len(g.tokenUse.ids))
	for id := range g.tokenUse.ids {
		ids = append(ids, id)
	}
	clear(g.tokenUse.ids)
	if g.tokenUse.timer != nil {
		g.tokenUse.timer.Stop()
		g.tokenUse.timer = nil
	}
	g.tokenUse.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	if err := g.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.TouchTokens(ctx,
			ids...)
	}); err != nil {
		g.log.Warn("use of API tokens not recorded", "error", err, "tokens", len(ids))
	}
}

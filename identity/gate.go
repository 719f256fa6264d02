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

// Settings are what an operator may set about signing in; zero values take the defaults.
type Settings struct {
	SessionLifetime time.Duration // from signing in; 12 h
	LockOut         store.LockOut // 5 free failures, then 1 min, doubling up to 1 h; forgotten after 24 h
	UsedDelay       time.Duration // how long the note that a token was used may wait for company; 5 s
}

func (s Settings) withDefaults() Settings {
	if s.SessionLifetime == 0 {
		s.SessionLifetime = 12 * time.Hour
	}
	if s.LockOut == (store.LockOut{}) {
		s.LockOut = store.LockOut{Free: 5, First: time.Minute, Most: time.Hour, Memory: 24 * time.Hour}
	}
	if s.UsedDelay == 0 {
		s.UsedDelay = 5 * time.Second
	}
	return s
}

// Gate tells who comes. It is safe for concurrent use.
type Gate struct {
	db       *store.DB
	settings Settings
	log      *slog.Logger
	used     usedTokens
}

// New makes the gate. Close it to write what was batched.
func New(db *store.DB, settings Settings, log *slog.Logger) *Gate {
	return &Gate{db: db, settings: settings.withDefaults(), log: log, used: usedTokens{ids: map[domain.ID]bool{}}}
}

// Close writes which tokens were used.
func (g *Gate) Close(ctx context.Context) { g.flushUsed(ctx) }

// Credential is what a request shows. A bearer token is an API token, a cookie's secret is a session's; neither is
// taken for the other, because only cookies are guarded against requests from foreign pages.
type Credential struct {
	Bearer string
	Cookie string
}

// Known is a credential's holder.
type Known struct {
	Actor  domain.Actor
	Locale string
}

// Authenticate tells whose credential it is, from the rows as they are now. None at all is an Actor without UserID;
// an unknown, revoked or expired token or a disabled person is Unauthenticated, an ended session SessionExpired.
func (g *Gate) Authenticate(ctx context.Context, credential Credential) (domain.Actor, error) {
	known, err := g.Identify(ctx, credential)
	return known.Actor, err
}

// Identify is Authenticate, with the holder's language.
func (g *Gate) Identify(ctx context.Context, credential Credential) (Known, error) {
	switch {
	case credential.Bearer != "":
		return g.byToken(ctx, credential.Bearer)
	case credential.Cookie != "":
		return g.bySession(ctx, credential.Cookie)
	}
	return Known{}, nil
}

func (g *Gate) byToken(ctx context.Context, secret string) (Known, error) {
	refusal := domain.Fail(domain.Unauthenticated, "This API token does not exist, was revoked or has expired.").
		WithWayOut("Make a new API token.")
	if !strings.HasPrefix(secret, tokenPrefix) || !wellFormed(secret) {
		return Known{}, refusal
	}
	held, err := g.db.Reader().TokenByHash(ctx, hashOf(secret))
	if domain.HasCode(err, domain.NotFound) {
		return Known{}, refusal
	}
	if err != nil {
		return Known{}, err
	}
	if held.Expired || held.Disabled || !held.Token.RevokedAt.IsZero() {
		return Known{}, refusal
	}
	g.noteUsed(held.Token.ID)
	return Known{Locale: held.Locale, Actor: domain.Actor{UserID: held.Token.UserID, Name: held.Name, TokenID: held.Token.ID,
		Scopes: held.Token.Scopes, Channel: domain.ChannelAPI}}, nil
}

func (g *Gate) bySession(ctx context.Context, secret string) (Known, error) {
	expired := domain.Fail(domain.SessionExpired, "Your session has ended.").WithWayOut("Sign in again.")
	if strings.HasPrefix(secret, tokenPrefix) || !wellFormed(secret) {
		return Known{}, expired
	}
	held, err := g.db.Reader().SessionByHash(ctx, hashOf(secret))
	if domain.HasCode(err, domain.NotFound) {
		return Known{}, expired
	}
	switch {
	case err != nil:
		return Known{}, err
	case held.Disabled:
		return Known{}, domain.Fail(domain.Unauthenticated, "This account is disabled.").WithWayOut("Ask an administrator.")
	case held.Expired || !held.Session.EndedAt.IsZero():
		return Known{}, expired
	}
	return Known{Locale: held.Locale, Actor: domain.Actor{UserID: held.Session.UserID, Name: held.Name, SessionID: held.Session.ID,
		Channel: domain.ChannelWeb}}, nil
}

// StillHolds asks again whether what the actor came with holds, for connections that outlive a request. Errors as of
// Authenticate.
func (g *Gate) StillHolds(ctx context.Context, actor domain.Actor) error {
	live, err := true, error(nil)
	switch {
	case actor.TokenID != domain.NoID:
		live, err = g.db.Reader().TokenLive(ctx, actor.TokenID)
	case actor.SessionID != domain.NoID:
		live, err = g.db.Reader().SessionLive(ctx, actor.SessionID)
		if err == nil && !live {
			return domain.Fail(domain.SessionExpired, "Your session has ended.").WithWayOut("Sign in again.")
		}
	}
	if err == nil && !live {
		return domain.Fail(domain.Unauthenticated, "This API token no longer holds.").WithWayOut("Make a new API token.")
	}
	return err
}

// usedTokens are the tokens used since the last note.
type usedTokens struct {
	mu    sync.Mutex
	ids   map[domain.ID]bool
	timer *time.Timer
}

// noteUsed remembers the use; many uses are one write.
func (g *Gate) noteUsed(id domain.ID) {
	g.used.mu.Lock()
	defer g.used.mu.Unlock()
	g.used.ids[id] = true
	if g.used.timer == nil {
		g.used.timer = time.AfterFunc(g.settings.UsedDelay, func() { g.flushUsed(context.Background()) })
	}
}

func (g *Gate) flushUsed(ctx context.Context) {
	g.used.mu.Lock()
	ids := make([]domain.ID, 0, len(g.used.ids))
	for id := range g.used.ids {
		ids = append(ids, id)
	}
	clear(g.used.ids)
	if g.used.timer != nil {
		g.used.timer.Stop()
		g.used.timer = nil
	}
	g.used.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	if err := g.db.InTx(ctx, func(tx *store.Tx) error { return tx.TouchTokens(ctx, ids...) }); err != nil {
		g.log.Warn("use of API tokens not noted", "error", err, "tokens", len(ids))
	}
}

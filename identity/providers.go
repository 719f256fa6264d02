package identity

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// providerRequestLifetime is how long a person has to sign in at the provider.
const providerRequestLifetime = 10 * time.Minute

// maxReturnTo bounds the address to return to, in characters.
const maxReturnTo = 2000

// Why a sign-in through a provider is refused, as the detail "reason". casework adds those about the
// account.
const (
	reasonRequestExpired = "request_expired"
	reasonCancelled      = "cancelled"
	reasonRefusedToken   = "token_refused"
	reasonProviderDown   = "provider_unavailable"
)

// ProviderChallenge is what a sign-in sends to the provider, so that its answer belongs to the sign-in.
type ProviderChallenge struct {
	State    string
	Nonce    string
	Verifier string // PKCE
}

// Provider confirms who a person is. identity/oidc implements it.
type Provider interface {
	Name() string
	Label() string
	Issuer() string
	// AuthURL returns the address at which the person signs in. Unavailable if the provider cannot be
	// reached.
	AuthURL(ctx context.Context, challenge ProviderChallenge) (string, error)
	// Exchange redeems a code and verifies the ID token. Unauthenticated if the token is refused.
	Exchange(ctx context.Context, code string, challenge ProviderChallenge) (domain.ExternalIdentity, error)
	// VerifyLogout verifies a logout token.
	VerifyLogout(ctx context.Context, token string) (domain.ProviderLogout, error)
}

// ProviderAccounts finds the account of a person whom a provider has confirmed, and opens the session
// in the transaction that applies what the sign-in changes. casework.Service implements it.
type ProviderAccounts interface {
	SignInThroughProvider(ctx context.Context, who domain.ExternalIdentity,
		open func(*store.Tx, domain.User) error) (domain.User, error)
}

// PasswordsOff reports whether no one signs in by password.
func (g *Authenticator) PasswordsOff() bool { return g.settings.PasswordsOff }

// Providers returns the providers in the order of the settings.
func (g *Authenticator) Providers() []Provider { return g.settings.Providers }

func (g *Authenticator) provider(name string) (Provider, error) {
	at := slices.IndexFunc(g.settings.Providers, func(p Provider) bool { return p.Name() == name })
	if at < 0 || g.settings.Accounts == nil {
		return nil, domain.NewNotFound()
	}
	return g.settings.Providers[at], nil
}

// ProviderStart is a sign-in that was begun.
type ProviderStart struct {
	URL     string // to which the browser goes
	Browser string // secret of the browser's cookie
	Expires time.Duration
}

// BeginProviderSignIn stores a request and returns the address of the provider. browser is the secret
// of the cookie that the browser has, if any, so that it may begin several.
func (g *Authenticator) BeginProviderSignIn(ctx context.Context, name, returnTo, browser string) (
	ProviderStart, error) {
	provider, err := g.provider(name)
	if err != nil {
		return ProviderStart{}, err
	}
	if !wellFormed(browser) {
		browser = randomSecret()
	}
	challenge := ProviderChallenge{State: randomSecret(), Nonce: randomSecret(), Verifier: randomSecret()}
	address, err := provider.AuthURL(ctx, challenge)
	if err != nil {
		return ProviderStart{}, err
	}
	err = g.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddProviderRequest(ctx, store.ProviderRequest{StateHash: hashSecret(challenge.State),
			BrowserHash: hashSecret(browser), Provider: name, Nonce: challenge.Nonce,
			Verifier: challenge.Verifier, ReturnTo: localPath(returnTo)}, providerRequestLifetime)
	})
	return ProviderStart{URL: address, Browser: browser, Expires: providerRequestLifetime}, err
}

// localPath returns the address if it is a path of this server, otherwise "/".
func localPath(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || !strings.HasPrefix(address, "/") ||
		strings.HasPrefix(address, "//") || strings.HasPrefix(parsed.Path, "/auth/") ||
		strings.ContainsFunc(address, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }) ||
		domain.Longer(address, maxReturnTo) || domain.CheckText("returnTo", address) != nil {
		return "/"
	}
	return address
}

// ProviderCallback is the provider's answer as the browser brings it.
type ProviderCallback struct {
	Provider  string
	State     string
	Code      string
	Error     string // of the provider
	Issuer    string // "" if the answer names none (RFC 9207)
	Browser   string
	Device    string
	RequestID string
}

// FinishProviderSignIn redeems the provider's answer and begins a session. It also returns the address
// to return to. Every refusal is in the access log and has the detail "reason".
func (g *Authenticator) FinishProviderSignIn(ctx context.Context, in ProviderCallback) (SignInResult,
	string, error) {
	provider, err := g.provider(in.Provider)
	if err != nil {
		return SignInResult{}, "/", err
	}
	line := store.AccessEntry{Action: "signIn", Object: "provider:" + in.Provider, RequestID: in.RequestID}
	request, err := g.takeProviderRequest(ctx, in)
	if err == nil {
		err = checkCallback(in, provider)
	}
	var who domain.ExternalIdentity
	if err == nil {
		who, err = provider.Exchange(ctx, in.Code, ProviderChallenge{Nonce: request.Nonce,
			Verifier: request.Verifier})
	}
	if err != nil {
		return SignInResult{}, request.ReturnTo, g.refuseProvider(ctx, line, err)
	}
	var begun SignInResult
	user, err := g.settings.Accounts.SignInThroughProvider(ctx, who,
		func(tx *store.Tx, user domain.User) error {
			begun = newSessionOf(user)
			line.Actor = user.ID
			_, hash, err := tx.UserByEmail(ctx, user.Email)
			if err != nil {
				return err
			}
			return g.openSession(ctx, tx, &begun, store.NewSession{PasswordHash: hash, External: who},
				shownDevice(in.Device), line)
		})
	if err != nil {
		line.Actor = user.ID
		return SignInResult{}, request.ReturnTo, g.refuseProvider(ctx, line, err)
	}
	return begun, request.ReturnTo, nil
}

// shownDevice returns an attempt that counts nowhere, with the device that the browser showed.
func shownDevice(secret string) attempt {
	if !wellFormed(secret) {
		return attempt{}
	}
	return attempt{shown: hashSecret(secret)}
}

func (g *Authenticator) takeProviderRequest(ctx context.Context, in ProviderCallback) (
	request store.ProviderRequest, err error) {
	expired := domain.Errorf(domain.Unauthenticated,
		"This sign-in was used already, has expired, or was begun in another browser.").
		WithRemedy("Sign in again.").WithDetail("reason", reasonRequestExpired)
	if !wellFormed(in.State) || !wellFormed(in.Browser) {
		return request, expired
	}
	err = g.db.InTx(ctx, func(tx *store.Tx) error {
		request, err = tx.TakeProviderRequest(ctx, in.Provider, hashSecret(in.State), hashSecret(in.Browser))
		return err
	})
	if domain.HasCode(err, domain.NotFound) {
		return request, expired
	}
	return request, err
}

// checkCallback refuses an answer that is an error, or that another issuer gave.
func checkCallback(in ProviderCallback, provider Provider) error {
	switch {
	case in.Issuer != "" && in.Issuer != provider.Issuer():
		return RefusedToken(errors.New("the answer is of another issuer"))
	case in.Error == "access_denied" || in.Error == "login_required" || in.Error == "interaction_required":
		return domain.Errorf(domain.Unauthenticated, "The provider did not sign you in.").
			WithRemedy("Sign in again.").WithDetail("reason", reasonCancelled)
	case in.Error == "temporarily_unavailable" || in.Error == "server_error":
		return ProviderUnavailable(errors.New("the provider answered " + in.Error))
	case in.Error != "" || in.Code == "":
		return RefusedToken(errors.New("the provider answered with an error"))
	}
	return nil
}

// refuseProvider writes a refusal to the access log and returns it; other errors are returned as they
// are.
func (g *Authenticator) refuseProvider(ctx context.Context, line store.AccessEntry, err error) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Detail["reason"] == "" {
		return err
	}
	if refusal.Err != nil {
		g.log.WarnContext(ctx, "sign-in through a provider refused", "object", line.Object,
			"reason", refusal.Detail["reason"], "error", refusal.Err)
	}
	return g.logRefusal(ctx, line, refusal)
}

// RefusedToken is the answer to a code or token of a provider that is not accepted. The cause is only
// logged.
func RefusedToken(cause error) *domain.Error {
	return domain.Errorf(domain.Unauthenticated, "The answer of the provider was refused.").
		WithRemedy("Sign in again. If it happens again, contact your administrator.").
		WithDetail("reason", reasonRefusedToken).WithCause(cause)
}

// ProviderUnavailable is the answer if a provider cannot be reached.
func ProviderUnavailable(cause error) *domain.Error {
	return domain.Errorf(domain.Unavailable, "The provider cannot be reached at the moment.").
		WithRemedy("Try again in a minute, or sign in another way. Existing sessions stay valid.").
		WithDetail("reason", reasonProviderDown).WithCause(cause)
}

// EndProviderSessions ends the sessions that a logout token names. A token is used once.
func (g *Authenticator) EndProviderSessions(ctx context.Context, name, token, requestID string) error {
	provider, err := g.provider(name)
	if err != nil {
		return err
	}
	line := store.AccessEntry{Action: "providerLogout", Object: "provider:" + name, RequestID: requestID}
	logout, err := provider.VerifyLogout(ctx, token)
	if err != nil {
		return g.refuseProvider(ctx, line, err)
	}
	used := RefusedToken(errors.New("the logout token was used before"))
	err = g.db.InTx(ctx, func(tx *store.Tx) error {
		ended, fresh, err := tx.UseLogoutToken(ctx, logout)
		if err != nil {
			return err
		}
		if !fresh {
			return used
		}
		lines := []store.AccessEntry{line}
		if len(ended) > 0 {
			lines = nil
		}
		for _, user := range ended {
			line.Actor = user
			lines = append(lines, line)
		}
		return tx.LogAccess(ctx, lines...)
	})
	if errors.Is(err, used) {
		return g.refuseProvider(ctx, line, used)
	}
	return err
}

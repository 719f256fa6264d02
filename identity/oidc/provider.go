package oidc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"countersign/domain"
	"countersign/identity"
)

const (
	// discoveryAge is how long a discovery document is used before it is read again.
	discoveryAge = time.Hour
	// retryAfter is how long a failed discovery is not repeated.
	retryAfter = 5 * time.Second
)

// Provider confirms people by one provider. It is safe for concurrent use.
type Provider struct {
	settings Settings
	callback string
	clock    domain.Clock
	client   client

	mu         sync.Mutex
	discovered *discovered // nil until the provider was reached
	readAt     time.Time
	failedAt   time.Time
	failure    error
}

// discovered is what the provider's discovery document says.
type discovered struct {
	config   oauth2.Config
	verifier *goidc.IDTokenVerifier
	keys     *keySet
}

// New returns a provider whose people return to publicURL. It does not reach the provider: one that is
// down stops nothing else.
func New(settings Settings, publicURL string, clock domain.Clock) *Provider {
	return &Provider{settings: settings, clock: clock, client: newClient(),
		callback: publicURL + "/auth/oidc/" + settings.Name + "/callback"}
}

// Name implements identity.Provider.
func (p *Provider) Name() string { return p.settings.Name }

// Label implements identity.Provider.
func (p *Provider) Label() string { return p.settings.Label }

// Issuer implements identity.Provider.
func (p *Provider) Issuer() string { return p.settings.Issuer }

// AuthURL implements identity.Provider.
func (p *Provider) AuthURL(ctx context.Context, challenge identity.ProviderChallenge) (string, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return found.config.AuthCodeURL(challenge.State, goidc.Nonce(challenge.Nonce),
		oauth2.S256ChallengeOption(challenge.Verifier)), nil
}

// Exchange implements identity.Provider.
func (p *Provider) Exchange(ctx context.Context, code string, challenge identity.ProviderChallenge) (
	domain.ExternalIdentity, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return domain.ExternalIdentity{}, err
	}
	token, err := found.config.Exchange(p.client.with(ctx), code, oauth2.VerifierOption(challenge.Verifier))
	if err != nil {
		var answer *oauth2.RetrieveError
		if errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode < 500 {
			return domain.ExternalIdentity{}, identity.RefusedToken(err)
		}
		return domain.ExternalIdentity{}, identity.ProviderUnavailable(err)
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := p.verify(ctx, found, raw)
	if err != nil {
		return domain.ExternalIdentity{}, err
	}
	if verified.token.Nonce == "" || verified.token.Nonce != challenge.Nonce {
		return domain.ExternalIdentity{}, identity.RefusedToken(errors.New("the nonce is another one"))
	}
	if verified.token.AccessTokenHash != "" {
		if err := verified.token.VerifyAccessToken(token.AccessToken); err != nil {
			return domain.ExternalIdentity{}, identity.RefusedToken(err)
		}
	}
	return p.identityOf(verified)
}

// discover returns what the provider's discovery document says, from memory if it is recent. If the
// provider cannot be reached, an older document is still used.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if p.discovered != nil && now.Sub(p.readAt) < discoveryAge {
		return p.discovered, nil
	}
	if p.failure != nil && now.Sub(p.failedAt) < retryAfter {
		return p.discovered, p.unlessKnown()
	}
	found, err := p.readDiscovery(ctx)
	if err != nil {
		p.failedAt, p.failure = now, identity.ProviderUnavailable(err)
		return p.discovered, p.unlessKnown()
	}
	p.discovered, p.readAt, p.failure = found, now, nil
	return found, nil
}

// unlessKnown returns the failure of a discovery, nil if an earlier document is known.
func (p *Provider) unlessKnown() error {
	if p.discovered != nil {
		return nil
	}
	return p.failure
}

func (p *Provider) readDiscovery(ctx context.Context) (*discovered, error) {
	// A browser that gives up must not count as a failure of the provider.
	ctx = p.client.with(context.WithoutCancel(ctx))
	known, err := goidc.NewProvider(ctx, p.settings.Issuer)
	if err != nil {
		return nil, fmt.Errorf("oidc: discovery: %w", err)
	}
	var also struct {
		Keys string `json:"jwks_uri"`
	}
	if err := known.Claims(&also); err != nil {
		return nil, fmt.Errorf("oidc: discovery: %w", err)
	}
	endpoint := known.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, also.Keys} {
		if !guarded(address) {
			return nil, fmt.Errorf("oidc: the discovery document names the address %q", address)
		}
	}
	keys := &keySet{remote: goidc.NewRemoteKeySet(p.client.with(context.Background()), also.Keys)}
	return &discovered{keys: keys,
		config: oauth2.Config{ClientID: p.settings.ClientID, ClientSecret: p.settings.ClientSecret,
			Endpoint: endpoint, RedirectURL: p.callback, Scopes: p.settings.Scopes},
		verifier: goidc.NewVerifier(p.settings.Issuer, keys, &goidc.Config{ClientID: p.settings.ClientID,
			SupportedSigningAlgs: signingAlgorithms,
			Now:                  func() time.Time { return p.clock.Now().Add(-clockSkew) }})}, nil
}

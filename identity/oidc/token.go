package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"

	"countersign/domain"
	"countersign/identity"
)

const (
	// clockSkew is how far the clocks of both systems may differ.
	clockSkew = time.Minute
	// maxToken bounds a token in bytes.
	maxToken = 64 << 10
	// maxGroups and maxName bound what a token says about a person.
	maxGroups = 1000
	maxName   = 300
)

// signingAlgorithms are accepted, all with a private key of the provider: with none, or with a secret
// that the client knows, a token proves nothing.
var signingAlgorithms = []string{goidc.RS256, goidc.RS384, goidc.RS512, goidc.PS256, goidc.PS384,
	goidc.PS512, goidc.ES256, goidc.ES384, goidc.ES512, goidc.EdDSA}

// keySet verifies signatures by the provider's keys, and knows whether these could be read.
type keySet struct {
	remote *goidc.RemoteKeySet
}

// unreadKeys is in the context of a verification, to be set if the keys could not be read.
type unreadKeys struct{}

// VerifySignature implements goidc.KeySet.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.remote.VerifySignature(ctx, token)
	if err != nil && strings.HasPrefix(err.Error(), "fetching keys") {
		if unread, ok := ctx.Value(unreadKeys{}).(*atomic.Bool); ok {
			unread.Store(true)
		}
	}
	return payload, err
}

// verifiedToken is an ID token whose signature, issuer, audience and times are right.
type verifiedToken struct {
	token  *goidc.IDToken
	claims map[string]json.RawMessage
}

// verify verifies an ID token.
func (p *Provider) verify(ctx context.Context, found *discovered, raw string) (verifiedToken, error) {
	var verified verifiedToken
	if raw == "" || len(raw) > maxToken {
		return verified, identity.RefusedToken(errors.New("no ID token, or one that is too large"))
	}
	var unread atomic.Bool
	token, err := found.verifier.Verify(context.WithValue(ctx, unreadKeys{}, &unread), raw)
	if err != nil {
		return verified, refusedOrUnread(err, &unread)
	}
	verified.token = token
	if err := token.Claims(&verified.claims); err != nil {
		return verified, identity.RefusedToken(err)
	}
	if err := p.checkParties(token, verified.claims); err != nil {
		return verified, identity.RefusedToken(err)
	}
	return verified, p.checkIssued(token.IssuedAt)
}

func refusedOrUnread(err error, unread *atomic.Bool) error {
	if unread.Load() {
		return identity.ProviderUnavailable(err)
	}
	return identity.RefusedToken(err)
}

// checkParties refuses a token without a subject, of another issuer, or that was issued to another
// client.
func (p *Provider) checkParties(token *goidc.IDToken, claims map[string]json.RawMessage) error {
	party, named := text(claims["azp"])
	switch {
	case token.Subject == "" || domain.Longer(token.Subject, maxName):
		return errors.New("the token has no subject")
	case token.Issuer != p.settings.Issuer:
		return fmt.Errorf("the issuer is %q", token.Issuer)
	case named && party != p.settings.ClientID:
		return fmt.Errorf("the token was issued to %q", party)
	case !named && len(token.Audience) > 1:
		return errors.New("the token has several audiences and does not say to which it was issued")
	}
	return domain.CheckText("sub", token.Subject)
}

// checkIssued refuses a token from the future, because its other times mean nothing then.
func (p *Provider) checkIssued(at time.Time) error {
	if at.IsZero() || at.After(p.clock.Now().Add(clockSkew)) {
		return identity.RefusedToken(errors.New("the token was issued in the future, or at no time"))
	}
	return nil
}

// identityOf reads the claims of a verified token.
func (p *Provider) identityOf(verified verifiedToken) (domain.ExternalIdentity, error) {
	who := domain.ExternalIdentity{Provider: p.settings.Name, Issuer: verified.token.Issuer,
		Subject: verified.token.Subject}
	who.Session, _ = text(verified.claims["sid"])
	who.EmployeeID = domain.NormalEmployeeID(p.employeeID(verified.claims))
	who.Groups = groups(verified.claims[p.settings.GroupsClaim])
	if len(who.Groups) > maxGroups {
		return who, identity.RefusedToken(errors.New("the token names too many groups"))
	}
	for name, value := range map[string]string{"sid": who.Session, "employee id": who.EmployeeID} {
		if domain.Longer(value, maxName) || domain.CheckText(name, value) != nil {
			return who, identity.RefusedToken(fmt.Errorf("the %s is not a short text", name))
		}
	}
	return who, nil
}

// employeeID returns the claim with the employee id. An e-mail address counts only if the provider has
// verified it.
func (p *Provider) employeeID(claims map[string]json.RawMessage) string {
	value, ok := text(claims[p.settings.EmployeeClaim])
	if !ok {
		var number json.Number
		if json.Unmarshal(claims[p.settings.EmployeeClaim], &number) == nil {
			value = number.String()
		}
	}
	if p.settings.EmployeeClaim == "email" && string(claims["email_verified"]) != "true" &&
		string(claims["email_verified"]) != `"true"` {
		return ""
	}
	return value
}

// text returns a claim that is a text.
func text(claim json.RawMessage) (string, bool) {
	var value string
	err := json.Unmarshal(claim, &value)
	return value, err == nil && value != ""
}

// groups returns a claim that is a list of names, or one name.
func groups(claim json.RawMessage) []string {
	if one, ok := text(claim); ok {
		return []string{one}
	}
	var names []string
	if json.Unmarshal(claim, &names) != nil {
		return nil
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// VerifyLogout implements identity.Provider.
func (p *Provider) VerifyLogout(ctx context.Context, raw string) (domain.ProviderLogout, error) {
	var logout domain.ProviderLogout
	if raw == "" || len(raw) > maxToken {
		return logout, identity.RefusedToken(errors.New("no logout token, or one that is too large"))
	}
	found, err := p.discover(ctx)
	if err != nil {
		return logout, err
	}
	var unread atomic.Bool
	token, err := found.verifier.VerifyLogout(context.WithValue(ctx, unreadKeys{}, &unread), raw)
	if err != nil {
		return logout, refusedOrUnread(err, &unread)
	}
	logout = domain.ProviderLogout{Issuer: token.Issuer, TokenID: token.TokenID, Subject: token.Subject,
		Session: token.SessionID, ExpiresAt: token.Expiry.Add(clockSkew)}
	for _, value := range []string{token.TokenID, token.Subject, token.SessionID} {
		if domain.Longer(value, maxName) || domain.CheckText("logout token", value) != nil {
			return logout, identity.RefusedToken(errors.New("a claim of the logout token is not a short text"))
		}
	}
	return logout, p.checkIssued(token.IssuedAt)
}

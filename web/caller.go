package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"countersign/domain"
	"countersign/identity"
)

// Names of the session cookie. Browsers accept the __Host- name only over https and for exactly
// this host, so that no other host of the domain can set it. Plain http, in demo and development,
// uses the second name.
const (
	secureCookie = "__Host-countersign"
	plainCookie  = "countersign"
)

// channelHeader is the header by which the CLI identifies itself as the channel; it grants no
// right.
const channelHeader = "X-Countersign-Channel"

// Callers authenticates requests by their bearer token or cookie.
type Callers struct {
	Authenticator Authenticator
	// PlainHTTP sets and accepts cookies without Secure, for demo and development over plain http.
	PlainHTTP bool
}

// Identify authenticates a request: by the token if there is one (from the first message of a
// socket), otherwise by the request's header or cookie. An anonymous request yields an Actor
// without UserID; a refused credential is an error of kind unauthenticated. The signature is the
// one that the GraphQL adapter expects.
func (c Callers) Identify(ctx context.Context, r *http.Request, token string) (
	domain.Actor, error) {
	actor, _, err := c.identify(ctx, r, token)
	return actor, err
}

func (c Callers) identify(ctx context.Context, r *http.Request, token string) (
	domain.Actor, string, error) {
	request := identity.RequestOf(ctx)
	credential, err := c.credential(r, token)
	var known identity.Identity
	if err == nil {
		known, err = c.Authenticator.Identify(ctx, credential)
	}
	if known.Actor.TokenID != domain.NoID && r.Header.Get(channelHeader) == string(
		domain.ChannelCLI) {
		known.Actor.Channel = domain.ChannelCLI
	}
	known.Actor.RequestID = request.ID
	recordCaller(ctx, known.Actor)
	return known.Actor, known.Locale, err
}

// credential returns the request's credential. A bearer token has precedence over a cookie.
func (c Callers) credential(r *http.Request, token string) (identity.Credential, error) {
	if token != "" {
		scheme, rest, ok := strings.Cut(token, " ")
		if ok && strings.EqualFold(scheme, "Bearer") {
			token = rest
		}
		return identity.Credential{Bearer: token}, nil
	}
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, secret, _ := strings.Cut(header, " ")
		if secret = strings.TrimSpace(secret); !strings.EqualFold(scheme, "Bearer") ||
			secret == "" {
			return identity.Credential{}, domain.Errorf(domain.Unauthenticated,
				"Use an API token: Authorization: Bearer cs_….")
		}
		return identity.Credential{Bearer: secret}, nil
	}
	if cookie, err := r.Cookie(c.cookieName()); err == nil {
		return identity.Credential{Cookie: cookie.Value}, nil
	}
	return identity.Credential{}, nil
}

func (c Callers) cookieName() string {
	if c.PlainHTTP {
		return plainCookie
	}
	return secureCookie
}

// cookie returns the session cookie; an empty secret deletes it.
func (c Callers) cookie(secret string, expires time.Time) *http.Cookie {
	cookie := &http.Cookie{Name: c.cookieName(), Value: secret, Path: "/", Expires: expires,
		HttpOnly: true,
		Secure:   !c.PlainHTTP, SameSite: http.SameSiteLaxMode}
	if secret == "" {
		cookie.Expires, cookie.MaxAge = time.Time{}, -1
	}
	return cookie
}

// Names of the cookie that identifies a device on which a user signed in before. It grants no right
// and has the same protection as the session cookie.
const (
	guardedDevice = "__Host-countersign-device"
	plainDevice   = "countersign-device"
)

func (c Callers) deviceName() string {
	if c.PlainHTTP {
		return plainDevice
	}
	return guardedDevice
}

// device returns the secret of the device cookie, or "".
func (c Callers) device(r *http.Request) string {
	cookie, err := r.Cookie(c.deviceName())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// deviceCookie returns the device cookie. It outlives the session, because it is sent with the next
// sign-in.
func (c Callers) deviceCookie(secret string, expires time.Time) *http.Cookie {
	return &http.Cookie{Name: c.deviceName(), Value: secret, Path: "/", Expires: expires,
		HttpOnly: true,
		Secure:   !c.PlainHTTP, SameSite: http.SameSiteStrictMode}
}

// languageOf returns the first supported language of the Accept-Language list. It ignores weights,
// because browsers list languages by preference.
func languageOf(header string) string {
	for part := range strings.SplitSeq(header, ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if primary == "en" || primary == "zh" {
			return primary
		}
	}
	return "en"
}

package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"countersign/domain"
	"countersign/identity"
)

// The session's cookie. A browser takes the first only over https, for this very host and the whole of it, so that no
// neighbour can plant one; plain http, in demo and development, has to do with the second.
const (
	secureCookie = "__Host-countersign"
	plainCookie  = "countersign"
)

// channelHeader lets our own command line say that it is one; it gives no right.
const channelHeader = "X-Countersign-Channel"

// Callers tells who sends a request, from its bearer token or its cookie.
type Callers struct {
	Authenticator Authenticator
	// PlainHTTP takes and gives the cookie without Secure; only where people come by plain http, in demo and development.
	PlainHTTP bool
}

// Identify says who sends: by the token if there is one (that of a socket's first message), else by the request's own
// header or cookie. Nobody is an Actor without UserID; a refused credential is an error of kind unauthenticated. It has
// the shape that the GraphQL adapter asks for.
func (c Callers) Identify(ctx context.Context, r *http.Request, token string) (domain.Actor, error) {
	actor, _, err := c.identify(ctx, r, token)
	return actor, err
}

func (c Callers) identify(ctx context.Context, r *http.Request, token string) (domain.Actor, string, error) {
	request := identity.RequestOf(ctx)
	credential, err := c.credential(r, token)
	var known identity.Identity
	if err == nil {
		known, err = c.Authenticator.Identify(ctx, credential)
	}
	if known.Actor.TokenID != domain.NoID && r.Header.Get(channelHeader) == string(domain.ChannelCLI) {
		known.Actor.Channel = domain.ChannelCLI
	}
	known.Actor.RequestID = request.ID
	recordCaller(ctx, known.Actor)
	return known.Actor, known.Locale, err
}

// credential reads what the request shows; a bearer token goes before a cookie.
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
		if secret = strings.TrimSpace(secret); !strings.EqualFold(scheme, "Bearer") || secret == "" {
			return identity.Credential{}, domain.Errorf(domain.Unauthenticated, "Only API tokens are taken here: Authorization: Bearer cs_…")
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

// cookie is the session's cookie; an empty secret takes it away.
func (c Callers) cookie(secret string, expires time.Time) *http.Cookie {
	cookie := &http.Cookie{Name: c.cookieName(), Value: secret, Path: "/", Expires: expires, HttpOnly: true,
		Secure: !c.PlainHTTP, SameSite: http.SameSiteLaxMode}
	if secret == "" {
		cookie.Expires, cookie.MaxAge = time.Time{}, -1
	}
	return cookie
}

// Cookies by which a browser is known in which somebody signed in before; they give no right. They are named and guarded as
// those of the session.
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

// device reads the secret of the browser's cookie, "" where it has none.
func (c Callers) device(r *http.Request) string {
	cookie, err := r.Cookie(c.deviceName())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// deviceCookie outlives the session: it is sent with the next attempt to sign in.
func (c Callers) deviceCookie(secret string, expires time.Time) *http.Cookie {
	return &http.Cookie{Name: c.deviceName(), Value: secret, Path: "/", Expires: expires, HttpOnly: true,
		Secure: !c.PlainHTTP, SameSite: http.SameSiteStrictMode}
}

// languageOf is the first language of the list that we speak. Weights are not read: browsers list by preference.
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

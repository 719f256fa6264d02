package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"countersign/domain"
	"countersign/identity"
)

// ProviderAuthenticator signs people in through providers (OIDC).
type ProviderAuthenticator interface {
	PasswordsOff() bool
	Providers() []identity.Provider
	BeginProviderSignIn(ctx context.Context, name, returnTo, browser string) (identity.ProviderStart, error)
	FinishProviderSignIn(ctx context.Context, in identity.ProviderCallback) (identity.SignInResult, string,
		error)
	EndProviderSessions(ctx context.Context, name, token, requestID string) error
}

// Names of the cookie that binds a sign-in through a provider to the browser that began it. The
// provider sends the browser back from another site, so the cookie is Lax.
const (
	guardedProvider = "__Host-countersign-provider"
	plainProvider   = "countersign-provider"
)

func (c Callers) providerName() string {
	if c.PlainHTTP {
		return plainProvider
	}
	return guardedProvider
}

func (h *Handler) providerRoutes() []route {
	const path = "/auth/oidc/{provider}/"
	return []route{
		{"GET " + path + "start", nil, "begins a sign-in", h.smallRequest(h.startProvider)},
		{"GET " + path + "callback", nil, "uses a provider's answer", h.smallRequest(h.finishProvider)},
		{"POST " + path + "backchannel-logout", nil, "the logout token is signed by the provider",
			h.smallRequest(h.endProviderSessions)},
	}
}

// startProvider sends the browser to the provider. Starts count as sign-ins of the address.
func (h *Handler) startProvider(w http.ResponseWriter, r *http.Request) error {
	begun, err := h.beginProvider(r)
	if err != nil {
		return h.showRefusal(w, r, err)
	}
	http.SetCookie(w, &http.Cookie{Name: h.callers.providerName(), Value: begun.Browser, Path: "/",
		MaxAge: int(begun.Expires / time.Second), HttpOnly: true, Secure: !h.callers.PlainHTTP,
		SameSite: http.SameSiteLaxMode})
	h.redirect(w, r, begun.URL)
	return nil
}

func (h *Handler) beginProvider(r *http.Request) (identity.ProviderStart, error) {
	if err := h.admitAddress(r); err != nil {
		return identity.ProviderStart{}, err
	}
	return h.callers.Authenticator.BeginProviderSignIn(r.Context(), r.PathValue("provider"),
		r.URL.Query().Get("return"), h.browserOf(r))
}

// browserOf returns the secret of the browser's cookie, or "".
func (h *Handler) browserOf(r *http.Request) string {
	cookie, err := r.Cookie(h.callers.providerName())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// admitAddress counts a sign-in of the client's address.
func (h *Handler) admitAddress(r *http.Request) error {
	if h.options.AdmitSignIn == nil {
		return nil
	}
	return h.options.AdmitSignIn(r.Context(), "address:"+h.client(r))
}

// finishProvider begins a session and sends the browser to the page.
func (h *Handler) finishProvider(w http.ResponseWriter, r *http.Request) error {
	if err := h.admitAddress(r); err != nil {
		return h.showRefusal(w, r, err)
	}
	query := r.URL.Query()
	begun, returnTo, err := h.callers.Authenticator.FinishProviderSignIn(r.Context(),
		identity.ProviderCallback{Provider: r.PathValue("provider"), State: query.Get("state"),
			Code: query.Get("code"), Error: query.Get("error"), Issuer: query.Get("iss"),
			Browser: h.browserOf(r), Device: h.callers.device(r),
			RequestID: identity.RequestOf(r.Context()).ID})
	if err != nil {
		return h.showRefusal(w, r, err)
	}
	h.setSession(w, r, begun)
	h.redirect(w, r, returnTo)
	return nil
}

// showRefusal sends the browser to the sign-in page, which shows the reason. Other errors than
// refusals are returned.
func (h *Handler) showRefusal(w http.ResponseWriter, r *http.Request, err error) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code == domain.NotFound {
		return err
	}
	reason := refusal.Detail["reason"]
	switch {
	case refusal.Code == domain.RateLimited:
		reason = "rate_limited"
	case reason == "":
		return err
	}
	h.redirect(w, r, "/sign-in?refused="+url.QueryEscape(reason))
	return nil
}

func (h *Handler) redirect(w http.ResponseWriter, r *http.Request, address string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address has the code
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// endProviderSessions reads a logout token of the provider (OpenID Connect Back-Channel Logout). It
// counts as a request and not as a sign-in, because a provider may end many sessions together.
func (h *Handler) endProviderSessions(w http.ResponseWriter, r *http.Request) error {
	if h.options.Admit != nil {
		if err := h.options.Admit(r.Context(), domain.Actor{}, h.client(r)); err != nil {
			return err
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	err := h.callers.Authenticator.EndProviderSessions(r.Context(), r.PathValue("provider"),
		r.PostFormValue("logout_token"), identity.RequestOf(r.Context()).ID)
	if domain.HasCode(err, domain.Unauthenticated) {
		return domain.Invalid("logout_token", "The logout token was refused.").WithCause(err)
	}
	if err == nil {
		w.WriteHeader(http.StatusOK)
	}
	return err
}

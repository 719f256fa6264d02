package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"countersign/domain"
	"countersign/identity"
	"countersign/internal/clientaddr"
)

// maxBody limits the body of a request that is not an upload.
const maxBody = 16 << 10

// smallRequest returns a handler that limits the request body to maxBody and writes the error of
// serve.
func (h *Handler) smallRequest(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return h.boundedRequest(maxBody, serve)
}

// boundedRequest is smallRequest with another limit, in bytes.
func (h *Handler) boundedRequest(most int64, serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	limited := func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, most)
		if err := serve(w, r); err != nil {
			h.writeError(w, r, err)
		}
	}
	return http.HandlerFunc(limited)
}

// person is the signed-in user as the application receives it.
type person struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Email  string        `json:"email"`
	Roles  []domain.Role `json:"roles"`
	Queues []string      `json:"queues"`
	Locale string        `json:"locale"`
	// Settings are what the user chose about the layout of the pages.
	Settings map[domain.PersonSetting]int `json:"settings,omitempty"`
	// OnlyAdministrator says that no second administrator can confirm what this one proposes.
	OnlyAdministrator bool `json:"onlyAdministrator,omitempty"`
}

// personOf returns the user with their settings and the number of administrators.
func (h *Handler) personOf(ctx context.Context, user domain.User) person {
	shown := person{ID: user.ID.String(), Name: user.Name, Email: user.Email,
		Roles:  append([]domain.Role{}, user.Roles...),
		Queues: append([]string{}, user.Queues...), Locale: user.Locale}
	var err error
	if shown.Settings, err = h.options.People.PersonSettings(ctx, user.ID); err != nil { // the defaults serve too
		h.log.WarnContext(ctx, "settings of a person not read", "error", err)
	}
	if user.HasRole(domain.RoleAdmin) {
		all, err := h.options.People.PeopleOfRole(ctx, domain.RoleAdmin, "")
		if err != nil { // the notice is no reason to refuse the session
			h.log.WarnContext(ctx, "administrators not counted", "error", err)
		}
		shown.OnlyAdministrator = len(all) == 1
	}
	return shown
}

// signIn reads {"email","password"}, sets the session cookie and returns the user.
func (h *Handler) signIn(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	in := identity.SignInRequest{RequestID: identity.RequestOf(ctx).ID, Client: h.client(r),
		Device: h.callers.device(r)}
	var sent struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	readErr := readJSON(r, &sent)
	in.Email, in.Password = sent.Email, sent.Password
	if err := h.admitSignIn(ctx, in); err != nil { // malformed requests count too
		return err
	}
	if readErr != nil {
		return readErr
	}
	begun, err := h.callers.Authenticator.SignIn(ctx, in)
	if err != nil {
		return err
	}
	h.beginSession(w, r, begun)
	return nil
}

// beginSession sets the cookies of a session and returns its user.
func (h *Handler) beginSession(w http.ResponseWriter, r *http.Request, begun identity.SignInResult) {
	h.setSession(w, r, begun)
	h.writeJSON(w, http.StatusOK, map[string]any{"user": h.personOf(r.Context(), begun.User),
		"expiresAt": begun.Session.ExpiresAt.Format(time.RFC3339)})
}

// setSession ends the session that is replaced, and sets the cookies of the new one.
func (h *Handler) setSession(w http.ResponseWriter, r *http.Request, begun identity.SignInResult) {
	h.endPreviousSession(r)
	recordCaller(r.Context(), domain.Actor{UserID: begun.User.ID})
	http.SetCookie(w, h.callers.cookie(begun.Secret, begun.Session.ExpiresAt))
	http.SetCookie(w, h.callers.deviceCookie(begun.Device, begun.DeviceUntil))
}

// admitSignIn counts an attempt by the device if the user signed in on it before, and otherwise by
// the client's address, so that a flood from an address does not lock out known devices behind it.
func (h *Handler) admitSignIn(ctx context.Context, in identity.SignInRequest) error {
	if h.options.AdmitSignIn == nil {
		return nil
	}
	device, err := h.callers.Authenticator.DeviceKey(ctx, in.Email, in.Device)
	if err != nil {
		return err
	}
	if device != "" {
		return h.options.AdmitSignIn(ctx, "device:"+device)
	}
	return h.options.AdmitSignIn(ctx, "address:"+in.Client)
}

// client returns the key under which requests of the client's network are counted.
func (h *Handler) client(r *http.Request) string { return clientaddr.Key(h.options.Proxies.Of(r)) }

// identify authenticates the request and counts it: by actor, or by the client's address without
// one or with a refused credential.
func (h *Handler) identify(r *http.Request) (domain.Actor, error) {
	actor, err := h.callers.Identify(r.Context(), r, "")
	if err != nil {
		actor = domain.Actor{}
	}
	if h.options.Admit != nil {
		if refusal := h.options.Admit(r.Context(), actor, h.client(r)); refusal != nil {
			return domain.Actor{}, refusal
		}
	}
	return actor, err
}

// endPreviousSession ends the session whose cookie is being replaced, if it is still active. It
// only logs errors, because they are no reason to refuse the new session.
func (h *Handler) endPreviousSession(r *http.Request) {
	old, err := h.callers.Identify(r.Context(), r, "")
	if err != nil || old.SessionID == domain.NoID {
		return
	}
	if err := h.callers.Authenticator.SignOut(r.Context(), old); err != nil {
		h.log.WarnContext(r.Context(), "ending the replaced session failed", "error", err)
	}
}

// signOut ends the session and deletes the cookie, also if the session had already ended.
func (h *Handler) signOut(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.identify(r)
	switch {
	case domain.CodeOf(err).Kind() == domain.KindUnauthenticated, err == nil &&
		actor.UserID == domain.NoID:
	case err != nil:
		return err
	default:
		if err := h.callers.Authenticator.SignOut(r.Context(), actor); err != nil {
			return err
		}
	}
	http.SetCookie(w, h.callers.cookie("", time.Time{}))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// currentPerson returns the signed-in user, or 401.
func (h *Handler) currentPerson(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.requireActor(r)
	if err != nil {
		return err
	}
	user, err := h.options.People.User(r.Context(), actor.UserID)
	if err != nil {
		return err
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"user": h.personOf(r.Context(), user)})
	return nil
}

// requireActor authenticates the request. It returns Unauthenticated without an actor, and
// NotPermitted for a token without a scope of the route.
func (h *Handler) requireActor(r *http.Request) (domain.Actor, error) {
	actor, err := h.identify(r)
	if actor, err = identity.SignedIn(identity.WithActor(r.Context(), actor, err)); err != nil {
		return actor, err
	}
	return actor, actor.RequireScope(scopesOf(r)...)
}

// readJSON decodes one JSON value from a small body. It refuses form media types, because any site
// can submit a form.
func readJSON(r *http.Request, into any) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		mediaType != "application/json" {
		return domain.Invalid("", "Send application/json.")
	}
	decoder := json.NewDecoder(r.Body)
	err := decoder.Decode(into)
	if err == nil {
		_, err = decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
	return domain.Invalid("", "Send a single JSON value of at most %d kB.", maxBody>>10).
		WithCause(err)
}

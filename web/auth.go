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

// maxBody bounds a request that is no upload.
const maxBody = 16 << 10

// smallRequest serves a request whose body is small.
func (d *Handler) smallRequest(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	limited := func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := serve(w, r); err != nil {
			d.writeError(w, r, err)
		}
	}
	return http.HandlerFunc(limited)
}

// person is who is signed in, as the application sees it.
type person struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Email  string        `json:"email"`
	Roles  []domain.Role `json:"roles"`
	Queues []string      `json:"queues"`
	Locale string        `json:"locale"`
}

func personOf(user domain.User) person {
	return person{ID: user.ID.String(), Name: user.Name, Email: user.Email, Roles: append([]domain.Role{}, user.Roles...),
		Queues: append([]string{}, user.Queues...), Locale: user.Locale}
}

// signIn takes {"email","password"}, gives the cookie and says who it is.
func (d *Handler) signIn(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	in := identity.SignInRequest{RequestID: identity.RequestOf(ctx).ID, Client: d.client(r), Device: d.callers.device(r)}
	var sent struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	readErr := readJSON(r, &sent)
	in.Email, in.Password = sent.Email, sent.Password
	if err := d.admitSignIn(ctx, in); err != nil { // also what cannot be read counts
		return err
	}
	if readErr != nil {
		return readErr
	}
	begun, err := d.callers.Authenticator.SignIn(ctx, in)
	if err != nil {
		return err
	}
	d.endPreviousSession(r)
	recordCaller(ctx, domain.Actor{UserID: begun.User.ID})
	http.SetCookie(w, d.callers.cookie(begun.Secret, begun.Session.ExpiresAt))
	http.SetCookie(w, d.callers.deviceCookie(begun.Device, begun.DeviceUntil))
	d.writeJSON(w, http.StatusOK, map[string]any{"user": personOf(begun.User), "expiresAt": begun.Session.ExpiresAt.Format(time.RFC3339)})
	return nil
}

// admitSignIn counts an attempt by the client's address, or by the device where the person signed in on it before: a flood
// from an address does not keep out people behind the same address.
func (d *Handler) admitSignIn(ctx context.Context, in identity.SignInRequest) error {
	if d.options.AdmitSignIn == nil {
		return nil
	}
	device, err := d.callers.Authenticator.DeviceKey(ctx, in.Email, in.Device)
	if err != nil {
		return err
	}
	if device != "" {
		return d.options.AdmitSignIn(ctx, "device:"+device)
	}
	return d.options.AdmitSignIn(ctx, "address:"+in.Client)
}

// client is what the sender's network is counted under.
func (d *Handler) client(r *http.Request) string { return clientaddr.Key(d.options.Proxies.Of(r)) }

// identify says who sends, and counts the request; one without a sender, or with a refused credential, on its address.
func (d *Handler) identify(r *http.Request) (domain.Actor, error) {
	actor, err := d.callers.Identify(r.Context(), r, "")
	if err != nil {
		actor = domain.Actor{}
	}
	if d.options.Admit != nil {
		if refusal := d.options.Admit(r.Context(), actor, d.client(r)); refusal != nil {
			return domain.Actor{}, refusal
		}
	}
	return actor, err
}

// endPreviousSession ends the session whose cookie is being replaced, if it still holds; failing to is no reason to refuse the new.
func (d *Handler) endPreviousSession(r *http.Request) {
	old, err := d.callers.Identify(r.Context(), r, "")
	if err != nil || old.SessionID == domain.NoID {
		return
	}
	if err := d.callers.Authenticator.SignOut(r.Context(), old); err != nil {
		d.log.WarnContext(r.Context(), "replaced session not ended", "error", err)
	}
}

// signOut ends the session and takes the cookie away, also one that had ended before.
func (d *Handler) signOut(w http.ResponseWriter, r *http.Request) error {
	actor, err := d.identify(r)
	switch {
	case domain.CodeOf(err).Kind() == domain.KindUnauthenticated, err == nil && actor.UserID == domain.NoID:
	case err != nil:
		return err
	default:
		if err := d.callers.Authenticator.SignOut(r.Context(), actor); err != nil {
			return err
		}
	}
	http.SetCookie(w, d.callers.cookie("", time.Time{}))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// currentPerson says who is signed in; nobody is 401.
func (d *Handler) currentPerson(w http.ResponseWriter, r *http.Request) error {
	actor, err := d.requireActor(r)
	if err != nil {
		return err
	}
	user, err := d.options.People.User(r.Context(), actor.UserID)
	if err != nil {
		return err
	}
	d.writeJSON(w, http.StatusOK, map[string]any{"user": personOf(user)})
	return nil
}

// requireActor is who sends the request; nobody is Unauthenticated, and a token without a scope of the route NotPermitted.
func (d *Handler) requireActor(r *http.Request) (domain.Actor, error) {
	actor, err := d.identify(r)
	if actor, err = identity.SignedIn(identity.WithActor(r.Context(), actor, err)); err != nil {
		return actor, err
	}
	return actor, actor.RequireScope(scopesOf(r)...)
}

// readJSON reads one JSON value of a small body. A form, which any page could send, is refused.
func readJSON(r *http.Request, into any) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
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
	return domain.Invalid("", "The request is not one JSON value of at most %d kB.", maxBody>>10).WithCause(err)
}

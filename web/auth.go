package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"countersign/domain"
	"countersign/identity"
)

// Bounds of a request that is no upload.
const (
	maxBody     = 16 << 10
	shortEffort = 30 * time.Second
)

// short serves a request whose body is small and whose answer takes seconds at most.
func (d *Door) short(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	limited := func(w http.ResponseWriter, r *http.Request) {
		// Servers that cannot set deadlines (tests without a connection) have none to fear.
		_ = http.NewResponseController(w).SetReadDeadline(d.clock.Now().Add(shortEffort))
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := serve(w, r); err != nil {
			d.fail(w, r, err)
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
func (d *Door) signIn(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if d.options.AdmitSignIn != nil {
		if err := d.options.AdmitSignIn(ctx, addressOf(r)); err != nil {
			return err
		}
	}
	var in struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	begun, err := d.callers.Gate.SignIn(ctx, identity.SignIn{Email: in.Email, Password: in.Password, RequestID: identity.RequestOf(ctx).ID})
	if err != nil {
		return err
	}
	d.endOld(r)
	noteCaller(ctx, domain.Actor{UserID: begun.User.ID})
	http.SetCookie(w, d.callers.cookie(begun.Secret, begun.Session.ExpiresAt))
	d.answer(w, http.StatusOK, map[string]any{"user": personOf(begun.User), "expiresAt": begun.Session.ExpiresAt.Format(time.RFC3339)})
	return nil
}

// endOld ends the session whose cookie is being replaced, if it still holds; failing to is no reason to refuse the new.
func (d *Door) endOld(r *http.Request) {
	old, err := d.callers.Identify(r.Context(), r, "")
	if err != nil || old.SessionID == domain.NoID {
		return
	}
	if err := d.callers.Gate.SignOut(r.Context(), old); err != nil {
		d.log.WarnContext(r.Context(), "replaced session not ended", "error", err)
	}
}

// signOut ends the session and takes the cookie away, also one that had ended before.
func (d *Door) signOut(w http.ResponseWriter, r *http.Request) error {
	actor, err := d.callers.Identify(r.Context(), r, "")
	switch {
	case domain.CodeOf(err).Kind() == domain.KindUnauthenticated, err == nil && actor.UserID == domain.NoID:
	case err != nil:
		return err
	default:
		if err := d.callers.Gate.SignOut(r.Context(), actor); err != nil {
			return err
		}
	}
	http.SetCookie(w, d.callers.cookie("", time.Time{}))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// me says who is signed in; nobody is 401.
func (d *Door) me(w http.ResponseWriter, r *http.Request) error {
	actor, err := d.signedIn(r)
	if err != nil {
		return err
	}
	user, err := d.options.People.User(r.Context(), actor.UserID)
	if err != nil {
		return err
	}
	d.answer(w, http.StatusOK, map[string]any{"user": personOf(user)})
	return nil
}

// signedIn is who sends the request; nobody is Unauthenticated.
func (d *Door) signedIn(r *http.Request) (domain.Actor, error) {
	actor, err := d.callers.Identify(r.Context(), r, "")
	return identity.SignedIn(identity.WithActor(r.Context(), actor, err))
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
	return domain.Invalid("", "The request is not one JSON value of at most %d kB.", maxBody>>10).Because(err)
}

package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"countersign/domain"
	"countersign/identity"
)

// Passkeys changes how the actor signs in, who has proved to hold their passkeys or to know the password.
type Passkeys interface {
	AddPasskey(ctx context.Context, actor domain.Actor, passkey domain.Passkey) (domain.ID, error)
	RemovePasskey(ctx context.Context, actor domain.Actor, id domain.ID) error
	PasskeysOf(ctx context.Context, actor domain.Actor) ([]domain.Passkey, error)
	ChangePassword(ctx context.Context, actor domain.Actor, change domain.PasswordChange) error
}

// binary is bytes as browsers encode them in JSON: base64url without padding.
type binary []byte

// MarshalText encodes.
func (b binary) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

// UnmarshalText decodes.
func (b *binary) UnmarshalText(text []byte) error {
	raw, err := base64.RawURLEncoding.DecodeString(string(text))
	*b = raw
	return err
}

// passkeyRequest is PublicKeyCredentialRequestOptionsJSON of WebAuthn.
type passkeyRequest struct {
	Challenge        string              `json:"challenge"`
	RelyingParty     string              `json:"rpId"`
	Credentials      []passkeyDescriptor `json:"allowCredentials"`
	UserVerification string              `json:"userVerification"`
}

type passkeyDescriptor struct {
	Type string `json:"type"`
	ID   binary `json:"id"`
}

func requestOf(request identity.PasskeyRequest) passkeyRequest {
	out := passkeyRequest{Challenge: request.Challenge, RelyingParty: request.RelyingParty,
		Credentials: []passkeyDescriptor{}, UserVerification: "required"}
	for _, id := range request.Credentials {
		out.Credentials = append(out.Credentials, passkeyDescriptor{"public-key", id})
	}
	return out
}

// passkeyResponse is AuthenticationResponseJSON of WebAuthn.
type passkeyResponse struct {
	RawID    binary `json:"rawId"`
	Response struct {
		ClientData        binary `json:"clientDataJSON"`
		AuthenticatorData binary `json:"authenticatorData"`
		Signature         binary `json:"signature"`
	} `json:"response"`
}

func (r passkeyResponse) assertion() domain.PasskeyAssertion {
	return domain.PasskeyAssertion{CredentialID: r.RawID, ClientData: r.Response.ClientData,
		AuthenticatorData: r.Response.AuthenticatorData, Signature: r.Response.Signature}
}

func (h *Handler) passkeyRoutes() []route {
	const session = "only a session changes how one signs in"
	return []route{
		{"POST /auth/passkey/options", nil, "asks to sign in", h.smallRequest(h.askPasskeySignIn)},
		{"POST /auth/passkey/sign-in", nil, "uses a passkey", h.smallRequest(h.passkeySignIn)},
		{"GET /auth/passkeys", nil, session, h.smallRequest(h.listPasskeys)},
		{"POST /auth/passkeys", nil, session, h.smallRequest(h.addPasskey)},
		{"POST /auth/passkeys/confirmation", nil, session, h.smallRequest(h.askConfirmation)},
		{"POST /auth/passkeys/options", nil, session, h.smallRequest(h.askRegistration)},
		{"POST /auth/passkeys/remove", nil, session, h.smallRequest(h.removePasskey)},
		{"POST /auth/password", nil, session, h.smallRequest(h.changePassword)},
	}
}

// askPasskeySignIn returns a challenge. Challenges count as sign-ins of the address.
func (h *Handler) askPasskeySignIn(w http.ResponseWriter, r *http.Request) error {
	if h.options.AdmitSignIn != nil {
		if err := h.options.AdmitSignIn(r.Context(), "address:"+h.client(r)); err != nil {
			return err
		}
	}
	request, err := h.callers.Authenticator.BeginPasskeySignIn(r.Context())
	if err != nil {
		return err
	}
	h.writeJSON(w, http.StatusOK, requestOf(request))
	return nil
}

// passkeySignIn reads the browser's answer, sets the session cookie and returns the user.
func (h *Handler) passkeySignIn(w http.ResponseWriter, r *http.Request) error {
	var sent passkeyResponse
	if err := readJSON(r, &sent); err != nil {
		return err
	}
	begun, err := h.callers.Authenticator.SignInWithPasskey(r.Context(), identity.PasskeySignIn{
		Assertion: sent.assertion(), Client: h.client(r), Device: h.callers.device(r),
		RequestID: identity.RequestOf(r.Context()).ID})
	if err != nil {
		return err
	}
	h.beginSession(w, r, begun)
	return nil
}

// sessionActor returns the actor of a session; a token is refused.
func (h *Handler) sessionActor(r *http.Request) (domain.Actor, error) {
	actor, err := h.identify(r)
	if actor, err = identity.SignedIn(identity.WithActor(r.Context(), actor, err)); err != nil {
		return actor, err
	}
	return actor, actor.RequireSession()
}

// listPasskeys returns the actor's passkeys.
func (h *Handler) listPasskeys(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.sessionActor(r)
	if err != nil {
		return err
	}
	passkeys, err := h.options.Passkeys.PasskeysOf(r.Context(), actor)
	if err != nil {
		return err
	}
	type shown struct {
		ID     domain.ID  `json:"id"`
		Name   string     `json:"name"`
		Synced bool       `json:"synced"`
		At     time.Time  `json:"at"`
		UsedAt *time.Time `json:"usedAt"`
	}
	list := []shown{}
	for _, p := range passkeys {
		line := shown{ID: p.ID, Name: p.Name, Synced: p.Synced, At: p.At}
		if !p.UsedAt.IsZero() {
			line.UsedAt = &p.UsedAt
		}
		list = append(list, line)
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"passkeys": list})
	return nil
}

// askConfirmation returns a challenge for one of the actor's passkeys.
func (h *Handler) askConfirmation(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.sessionActor(r)
	if err != nil {
		return err
	}
	request, err := h.callers.Authenticator.BeginConfirmation(r.Context(), actor)
	if err != nil {
		return err
	}
	h.writeJSON(w, http.StatusOK, requestOf(request))
	return nil
}

// askRegistration reads {"password"} or {"assertion"} and returns the options for a new passkey.
func (h *Handler) askRegistration(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.sessionActor(r)
	if err != nil {
		return err
	}
	var sent struct {
		Password  string           `json:"password"`
		Assertion *passkeyResponse `json:"assertion"`
	}
	if err := readJSON(r, &sent); err != nil {
		return err
	}
	proof := identity.RegisteringProof{Password: sent.Password, Client: h.client(r)}
	if sent.Assertion != nil {
		signed := sent.Assertion.assertion()
		proof.Assertion = &signed
	}
	options, err := h.callers.Authenticator.BeginRegistration(r.Context(), actor, proof)
	if err != nil {
		return err
	}
	h.writeJSON(w, http.StatusOK, options)
	return nil
}

// addPasskey reads {"name","credential"}, of which the credential is RegistrationResponseJSON.
func (h *Handler) addPasskey(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.sessionActor(r)
	if err != nil {
		return err
	}
	var sent struct {
		Name       string          `json:"name"`
		Credential json.RawMessage `json:"credential"`
	}
	if err := readJSON(r, &sent); err != nil {
		return err
	}
	passkey, err := h.callers.Authenticator.FinishRegistration(r.Context(), actor, sent.Credential)
	if err != nil {
		return err
	}
	passkey.Name = sent.Name
	id, err := h.options.Passkeys.AddPasskey(r.Context(), actor, passkey)
	if err != nil {
		return err
	}
	h.writeJSON(w, http.StatusCreated, map[string]any{"id": id})
	return nil
}

// removePasskey reads {"id","assertion"}.
func (h *Handler) removePasskey(w http.ResponseWriter, r *http.Request) error {
	actor, err := h.sessionActor(r)
	if err != nil {
		return err
	}
	var sent struct {
		ID        domain.ID       `json:"id"`
		Assertion passkeyResponse `json:"assertion"`
	}
	if err := readJSON(r, &sent); err != nil {
		return err
	}
	if err := h.callers.Authenticator.Confirm(r.Context(), actor, sent.Assertion.assertion()); err != nil {
		return err
	}
	if err := h.options.Passkeys.RemovePasskey(r.Context(), actor, sent.ID); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

package web

import (
	"net/http"

	"countersign/domain"
	"countersign/identity"
)

// changePassword reads {"password","newPassword","assertion"} and changes the actor's own password. The
// assertion is of a challenge of /auth/passkeys/confirmation, for an actor who has passkeys. Attempts
// count as sign-ins, so that a stolen session does not guess the password.
func (h *Handler) changePassword(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	actor, err := h.sessionActor(r)
	if err != nil {
		return err
	}
	var sent struct {
		Password    string           `json:"password"`
		NewPassword string           `json:"newPassword"`
		Assertion   *passkeyResponse `json:"assertion"`
	}
	if err := readJSON(r, &sent); err != nil {
		return err
	}
	user, err := h.options.People.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	proof := identity.PasswordProof{Password: sent.Password, Client: h.client(r),
		Device: h.callers.device(r)}
	if err := h.admitSignIn(ctx, identity.SignInRequest{Email: user.Email, Client: proof.Client,
		Device: proof.Device}); err != nil {
		return err
	}
	if sent.Assertion != nil {
		signed := sent.Assertion.assertion()
		proof.Assertion = &signed
	}
	change := domain.PasswordChange{ByPasskey: proof.Assertion != nil}
	if change.Before, err = h.callers.Authenticator.ConfirmPassword(ctx, actor, proof); err != nil {
		return err
	}
	if sent.NewPassword == sent.Password {
		return domain.Invalid("newPassword", "The new password is the same as the present one.")
	}
	if change.After, err = identity.HashPassword(sent.NewPassword); err != nil {
		return err
	}
	if err := h.options.Passkeys.ChangePassword(ctx, actor, change); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

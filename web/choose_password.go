package web

import (
	"net/http"

	"countersign/identity"
)

// choosePassword reads {"secret","password"} and sets the password of the person whose link it is. The
// secret is in the body, because addresses are written to logs.
func (h *Handler) choosePassword(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if h.options.ChoosePassword == nil {
		h.notFound(w, r)
		return nil
	}
	// Guesses count as sign-ins of the address.
	if h.options.AdmitSignIn != nil {
		if err := h.options.AdmitSignIn(ctx, "address:"+h.client(r)); err != nil {
			return err
		}
	}
	var sent struct {
		Secret   string `json:"secret"`
		Password string `json:"password"`
	}
	if err := readJSON(r, &sent); err != nil {
		return err
	}
	hash, err := identity.HashPassword(sent.Password)
	if err != nil {
		return err
	}
	if err := h.options.ChoosePassword(ctx, sent.Secret, hash); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

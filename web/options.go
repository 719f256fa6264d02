package web

import (
	"context"
	"net/http"

	"countersign/domain"
)

// UploadRules define which files are accepted, and where resumable uploads are stored.
type UploadRules struct {
	MaxBytes   int64    // of one file
	MediaTypes []string // determined by content
	// Store and Service handle resumable uploads at /uploads/; nil disables them.
	Store   *UploadStore
	Service UploadService
	// Admit counts a user's new uploads, AdmitPiece all other upload requests; both refuse with
	// RateLimited; nil means no limit.
	Admit, AdmitPiece func(ctx context.Context, actor domain.Actor) error
}

// DemoPerson is one of the demo's fictional users, with their password.
type DemoPerson struct {
	Email    string        `json:"email"`
	Name     string        `json:"name"`
	Roles    []domain.Role `json:"roles"`
	Password string        `json:"password"`
}

// optionsAnswer is what the sign-in page needs before a user has signed in.
type optionsAnswer struct {
	Upload struct {
		MaxBytes   int64    `json:"maxBytes"`
		MediaTypes []string `json:"mediaTypes"`
	} `json:"upload"`
	// Passkeys is the domain for which passkeys are made, "" if they are off.
	Passkeys string `json:"passkeys"`
	// Passwords says whether people sign in by password.
	Passwords bool            `json:"passwords"`
	Providers []providerShown `json:"providers,omitempty"`
	// Demo is set in the demo only.
	Demo *demoAnswer `json:"demo,omitempty"`
}

// providerShown is a provider through which people sign in.
type providerShown struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

type demoAnswer struct {
	People []DemoPerson `json:"people"`
}

// signInOptions returns the upload limits and, in the demo, the users who can sign in.
func (h *Handler) signInOptions(w http.ResponseWriter, _ *http.Request) error {
	var answer optionsAnswer
	answer.Upload.MaxBytes, answer.Upload.MediaTypes = h.options.Uploads.MaxBytes,
		append([]string{}, h.options.Uploads.MediaTypes...)
	answer.Passkeys = h.callers.Authenticator.RelyingParty()
	answer.Passwords = !h.callers.Authenticator.PasswordsOff()
	for _, p := range h.callers.Authenticator.Providers() {
		answer.Providers = append(answer.Providers, providerShown{p.Name(), p.Label()})
	}
	if h.options.DemoPeople != nil {
		people, err := h.options.DemoPeople()
		if err != nil {
			return err
		}
		answer.Demo = &demoAnswer{People: append([]DemoPerson{}, people...)}
	}
	h.writeJSON(w, http.StatusOK, answer)
	return nil
}

package web

import (
	"context"
	"net/http"

	"countersign/domain"
)

// UploadRules say what may be sent, and where files that come in pieces go.
type UploadRules struct {
	MaxBytes   int64    // of one file
	MediaTypes []string // found by content
	// Folder and Desk take files in pieces at /uploads/; nil = none are taken.
	Folder  *UploadFolder
	Service UploadService
	// Admit counts a person's new uploads, AdmitPiece all other requests about uploads; both refuse with RateLimited;
	// nil = no limit.
	Admit, AdmitPiece func(ctx context.Context, actor domain.Actor) error
}

// DemoPerson is one of the demo's made-up people, with the password they sign in with.
type DemoPerson struct {
	Email    string        `json:"email"`
	Name     string        `json:"name"`
	Roles    []domain.Role `json:"roles"`
	Password string        `json:"password"`
}

// optionsAnswer is what a page has to know before anybody has signed in.
type optionsAnswer struct {
	Upload struct {
		MaxBytes   int64    `json:"maxBytes"`
		MediaTypes []string `json:"mediaTypes"`
	} `json:"upload"`
	// Demo is there in the demo only.
	Demo *demoAnswer `json:"demo,omitempty"`
}

type demoAnswer struct {
	People []DemoPerson `json:"people"`
}

// signInOptions tells what may be sent, and in the demo who may sign in how.
func (d *Handler) signInOptions(w http.ResponseWriter, _ *http.Request) error {
	var answer optionsAnswer
	answer.Upload.MaxBytes, answer.Upload.MediaTypes = d.options.Uploads.MaxBytes, append([]string{}, d.options.Uploads.MediaTypes...)
	if d.options.DemoPeople != nil {
		people, err := d.options.DemoPeople()
		if err != nil {
			return err
		}
		answer.Demo = &demoAnswer{People: append([]DemoPerson{}, people...)}
	}
	d.writeJSON(w, http.StatusOK, answer)
	return nil
}

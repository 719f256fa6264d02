package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"countersign/cmd/countersign/sampledocs"
	"countersign/domain"
	"countersign/internal/modelvendor"
)

// The stub of a language model that the demo starts. The case page explains the name of the model.
const (
	demoModelName    = "demo-stub"
	demoModelProcess = "document_approval_model"
	demoModelLog     = "model-stub.log"
)

// demoModel is the stub; endpoint is "" if the settings name a model, and sample is the document to
// submit once.
type demoModel struct{ endpoint, sample, reference, address string }

// startModel starts the stub, unless the settings name a language model.
func (d *demo) startModel() error {
	if d.settings.Model.Endpoint != "" {
		d.printNote("NOTE: the demo uses the language model from COUNTERSIGN_MODEL_ENDPOINT.")
		return nil
	}
	file, err := os.OpenFile(filepath.Join(d.folder, "log", demoModelLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(file, nil))
	vendor, err := modelvendor.Start(modelvendor.Options{OnRequest: func(seen modelvendor.Seen) {
		log.Info("the stub answers from the text of the page; this is no language model", "bytes", len(seen.Body))
	}})
	if err != nil {
		_ = file.Close()
		return err
	}
	d.addCleanup(func() { vendor.Close(); _ = file.Close() })
	d.model.endpoint = vendor.URL
	return nil
}

// modelSettings returns the settings with which the worker uses the stub.
func (d *demo) modelSettings() []string {
	if d.model.endpoint == "" {
		return nil
	}
	return []string{"COUNTERSIGN_MODEL_ENDPOINT=" + d.model.endpoint, "COUNTERSIGN_MODEL_NAME=" + demoModelName,
		"COUNTERSIGN_MODEL_KEY=", "COUNTERSIGN_MODEL_DOCUMENT_TYPES=invoice,receipt"}
}

// drawModelSample draws the document for the stub if it is missing. It is submitted when it was drawn.
func (d *demo) drawModelSample(ctx context.Context) error {
	sample := sampledocs.ModelSample(d.clock.Now())
	path := filepath.Join(d.folder, "samples", sample.File)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	_, err := sampledocs.Write(ctx, filepath.Dir(path), []sampledocs.Sample{sample})
	d.model.sample = path
	return err
}

// submitModelSample submits the document for the stub. The demo continues without it.
func (d *demo) submitModelSample(ctx context.Context) {
	if d.model.sample == "" || d.model.endpoint == "" {
		return
	}
	client, err := d.apiOf("submitter2@demo.test")
	if err == nil {
		var answer *submitDocumentResponse
		answer, err = submitDocument(ctx, client, upload(d.model.sample), demoModelProcess, "invoice", "", nil, nil, nil, nil,
			newKey())
		switch {
		case err != nil:
		case len(answer.Done.UserErrors) > 0:
			err = refused(answer.Done.UserErrors)
		case answer.Done.Case == nil:
			err = domain.Errorf(domain.Internal, "The server returned no case.")
		default:
			d.model.reference, d.model.address = answer.Done.Case.Reference, "/cases/"+answer.Done.Case.Id
			return
		}
	}
	_ = os.Remove(d.model.sample) // the next start draws and submits it again
	if ctx.Err() == nil {
		d.printNote("NOTE: the sample for the language model was not submitted: %v", err)
	}
}

// printModel prints what the language model of the demo is.
func (d *demo) printModel(address string) {
	if d.model.endpoint == "" {
		return
	}
	d.printLine("Language model %s: a stub that answers from the text of the page. It is no real model.", demoModelName)
	if d.model.reference != "" {
		d.printLine("  %s was submitted to the process %s, which asks it: %s", d.model.reference, demoModelProcess,
			address+d.model.address)
	}
}

package casework

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"path"
	"slices"

	"countersign/audit"
	"countersign/domain"
	"countersign/workflow"
)

// maxManifest bounds the manifest that is read back.
const maxManifest = 16 << 20

// sealing is the work of archiving a case.
type sealing struct {
	pass     *pass
	node     *workflow.Node
	manifest audit.Manifest
	key      string
}

// archiveSteps write the case's manifest once to the blobs, read it back and verify it. Only then may the case be final,
// however it ended.
func archiveSteps(h *Hall) steps[*sealing] {
	return steps[*sealing]{
		begin:      func(p *pass, node *workflow.Node) *sealing { return &sealing{pass: p, node: node} },
		parameters: []check[*sealing]{{name: "outcome", run: settling}},
		prepare: func(ctx context.Context, work *sealing) (err error) {
			work.manifest, err = h.manifest(ctx, work.pass)
			return err
		},
		act: func(ctx context.Context, work *sealing) error { return h.seal(ctx, work) },
		save: func(work *sealing, t *transition) {
			t.change.Case.ManifestKey, t.why = work.key, t.change.Case.OutcomeReason
		},
		after: func(ctx context.Context, work *sealing) {
			c := work.pass.kase
			h.log.DebugContext(ctx, "case sealed", "case", c.ID, "outcome", c.Outcome, "manifest", work.key, "correlation_id", c.CorrelationID)
		},
	}
}

// settling refuses to seal a case that is settling to something else.
func settling(_ context.Context, work *sealing) (report[*sealing], error) {
	if work.node.Outcome == "" || work.node.Outcome == work.pass.kase.Outcome {
		return nil, nil
	}
	return nil, domain.Fail(domain.StateMismatch, "The case is settling as %q, not as %q.", work.pass.kase.Outcome, work.node.Outcome).
		WithDetail("status", string(work.pass.kase.Status))
}

// seal writes the manifest and verifies what was written.
func (h *Hall) seal(ctx context.Context, work *sealing) error {
	text, hash, err := work.manifest.Seal()
	if err != nil {
		return err
	}
	key, kept, _, err := h.ports.Blobs.Put(ctx, work.pass.kase.ID, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if hex.EncodeToString(kept) != hash {
		return domain.Fail(domain.Unavailable, "the archive holds other bytes than were written")
	}
	work.key = key
	return h.readBack(ctx, key, hash)
}

// readBack opens what was written and checks that it is what is on record.
func (h *Hall) readBack(ctx context.Context, key, hash string) error {
	content, size, err := h.ports.Blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	text := make([]byte, min(size, maxManifest))
	if _, err := io.ReadFull(content, text); err != nil {
		return domain.Fail(domain.Unavailable, "the archive's manifest could not be read back").Because(err)
	}
	if err := audit.CheckManifest(text, hash); err != nil {
		return domain.Fail(domain.Unavailable, "the archive's manifest could not be verified").Because(err)
	}
	return nil
}

// manifestHash is the SHA-256 in a manifest's key.
func manifestHash(key string) string { return path.Base(key) }

// manifest puts together what the archive says of the case.
func (h *Hall) manifest(ctx context.Context, p *pass) (audit.Manifest, error) {
	r, c := h.db.Reader(), p.kase
	if err := h.loadJudgement(ctx, p); err != nil {
		return audit.Manifest{}, err
	}
	documents, err := h.revisions(ctx, p)
	if err != nil {
		return audit.Manifest{}, err
	}
	held, err := h.heldNow(ctx) // one that is held from before may be stale, and a worker may hold none
	if err != nil {
		return audit.Manifest{}, err
	}
	decisions, err := r.Decisions(ctx, c.ID)
	if err != nil {
		return audit.Manifest{}, err
	}
	m := audit.Manifest{CaseID: c.ID, Reference: c.Reference, Outcome: c.Outcome, Submitter: c.Submitter, Risk: c.Risk, BaseMinor: c.BaseMinor,
		HeadSeq: c.LastSeq, HeadHash: hex.EncodeToString(c.HeadHash), DefinitionKey: c.ProcessKey, DefinitionVersion: c.ProcessVersion,
		PolicyVersion: held.policy, SubmittedAt: c.CreatedAt, SealedAt: p.now}
	if c.AmountKnown {
		m.Amount, m.Currency = c.Amount.Decimal(), c.Amount.Currency
	}
	for _, d := range slices.Backward(documents) {
		m.Documents = append(m.Documents, audit.ManifestFile{Revision: d.Revision, FileName: d.FileName, MediaType: d.MediaType, Size: d.Size,
			SHA256: hex.EncodeToString(d.SHA256), BlobKey: d.BlobKey})
	}
	for _, f := range p.fields {
		m.Fields = append(m.Fields, audit.ManifestField{Name: f.Name, Value: f.Normalised, Raw: f.Raw, Source: f.Source, Page: f.Page,
			Confidence: f.Confidence, SetBy: f.SetBy})
	}
	m.Findings = manifestRules(p.findings)
	for _, decision := range decisions {
		verdict, err := audit.NewManifestVerdict(decision)
		if err != nil {
			return m, err
		}
		m.Decisions = append(m.Decisions, verdict)
	}
	return m, nil
}

// revisions are all of the document, newest first. The lease has brought the newest, and before a first one is none: a
// replacement after the lease takes the lease away.
func (h *Hall) revisions(ctx context.Context, p *pass) ([]domain.Document, error) {
	if p.document != nil && p.document.Revision == 1 {
		return []domain.Document{*p.document}, nil
	}
	return h.db.Reader().Documents(ctx, p.kase.ID)
}

// manifestRules lists the findings by stage, so that the same case always gives the same manifest.
func manifestRules(found map[string][]domain.Finding) []audit.ManifestRule {
	stages := make([]string, 0, len(found))
	for stage := range found {
		stages = append(stages, stage)
	}
	slices.Sort(stages)
	var list []audit.ManifestRule
	for _, stage := range stages {
		for _, f := range found[stage] {
			list = append(list, audit.ManifestRule{Rule: f.Rule, Version: f.RuleVersion, Severity: f.Severity, Score: f.Score, Message: f.Message})
		}
	}
	return list
}

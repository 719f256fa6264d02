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

// maxManifestBytes bounds the manifest that is read back.
const maxManifestBytes = 16 << 20

// archiveWork is the work of archiving a case.
type archiveWork struct {
	session  *stageSession
	node     *workflow.Node
	manifest audit.Manifest
	key      string
}

// newArchiveProcessor write the case's manifest once to the blobs, read it back and verify it. Only then may the case be final,
// however it ended.
func newArchiveProcessor(svc *Service) stageProcessor[*archiveWork] {
	return stageProcessor[*archiveWork]{
		newWork:         func(p *stageSession, node *workflow.Node) *archiveWork { return &archiveWork{session: p, node: node} },
		parameterChecks: []check[*archiveWork]{{name: "outcome", run: checkArchiveOutcome}},
		prepare: func(ctx context.Context, work *archiveWork) (err error) {
			work.manifest, err = svc.buildManifest(ctx, work.session)
			return err
		},
		execute: func(ctx context.Context, work *archiveWork) error { return svc.writeManifest(ctx, work) },
		save: func(work *archiveWork, t *transition) {
			t.change.Case.ManifestKey, t.reason = work.key, t.change.Case.OutcomeReason
		},
		afterCommit: func(ctx context.Context, work *archiveWork) {
			c := work.session.record
			svc.log.DebugContext(ctx, "case sealed", "case", c.ID, "outcome", c.Outcome, "manifest", work.key, "correlation_id", c.CorrelationID)
		},
	}
}

// checkArchiveOutcome refuses to seal a case that is settling to something else.
func checkArchiveOutcome(_ context.Context, work *archiveWork) (workUpdate[*archiveWork], error) {
	if work.node.Outcome == "" || work.node.Outcome == work.session.record.Outcome {
		return nil, nil
	}
	return nil, domain.Errorf(domain.StateMismatch, "The case is settling as %q, not as %q.", work.session.record.Outcome, work.node.Outcome).
		WithDetail("status", string(work.session.record.Status))
}

// writeManifest writes the manifest and verifies what was written.
func (svc *Service) writeManifest(ctx context.Context, work *archiveWork) error {
	text, hash, err := work.manifest.Seal()
	if err != nil {
		return err
	}
	key, kept, _, err := svc.ports.Blobs.Put(ctx, work.session.record.ID, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if hex.EncodeToString(kept) != hash {
		return domain.Errorf(domain.Unavailable, "the archive holds other bytes than were written")
	}
	work.key = key
	return svc.verifyManifest(ctx, key, hash)
}

// verifyManifest opens what was written and checks that it is what is on record.
func (svc *Service) verifyManifest(ctx context.Context, key, hash string) error {
	content, size, err := svc.ports.Blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	text := make([]byte, min(size, maxManifestBytes))
	if _, err := io.ReadFull(content, text); err != nil {
		return domain.Errorf(domain.Unavailable, "the archive's manifest could not be read back").WithCause(err)
	}
	if err := audit.CheckManifest(text, hash); err != nil {
		return domain.Errorf(domain.Unavailable, "the archive's manifest could not be verified").WithCause(err)
	}
	return nil
}

// manifestHash is the SHA-256 in a manifest's key.
func manifestHash(key string) string { return path.Base(key) }

// buildManifest puts together what the archive says of the case.
func (svc *Service) buildManifest(ctx context.Context, p *stageSession) (audit.Manifest, error) {
	r, c := svc.db.Reader(), p.record
	if err := svc.loadFieldsAndFindings(ctx, p); err != nil {
		return audit.Manifest{}, err
	}
	documents, err := svc.documentRevisions(ctx, p)
	if err != nil {
		return audit.Manifest{}, err
	}
	held, err := svc.currentAuthority(ctx) // one that is held from before may be stale, and a worker may hold none
	if err != nil {
		return audit.Manifest{}, err
	}
	decisions, err := r.Decisions(ctx, c.ID)
	if err != nil {
		return audit.Manifest{}, err
	}
	m := audit.Manifest{CaseID: c.ID, Reference: c.Reference, Outcome: c.Outcome, Submitter: c.Submitter, Risk: c.Risk, BaseMinor: c.BaseMinor,
		HeadSeq: c.LastSeq, HeadHash: hex.EncodeToString(c.HeadHash), DefinitionKey: c.ProcessKey, DefinitionVersion: c.ProcessVersion,
		PolicyVersion: held.policyVersion, SubmittedAt: c.CreatedAt, SealedAt: p.now}
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
	m.Findings = manifestFindings(p.findings)
	for _, decision := range decisions {
		verdict, err := audit.NewManifestDecision(decision)
		if err != nil {
			return m, err
		}
		m.Decisions = append(m.Decisions, verdict)
	}
	return m, nil
}

// documentRevisions are all of the document, newest first. The lease has brought the newest, and before a first one is none: a
// replacement after the lease takes the lease away.
func (svc *Service) documentRevisions(ctx context.Context, p *stageSession) ([]domain.Document, error) {
	if p.document != nil && p.document.Revision == 1 {
		return []domain.Document{*p.document}, nil
	}
	return svc.db.Reader().Documents(ctx, p.record.ID)
}

// manifestFindings lists the findings by stage, so that the same case always gives the same manifest.
func manifestFindings(found map[string][]domain.Finding) []audit.ManifestFinding {
	stages := make([]string, 0, len(found))
	for stage := range found {
		stages = append(stages, stage)
	}
	slices.Sort(stages)
	var list []audit.ManifestFinding
	for _, stage := range stages {
		for _, f := range found[stage] {
			list = append(list, audit.ManifestFinding{Rule: f.Rule, Version: f.RuleVersion, Severity: f.Severity, Score: f.Score, Message: f.Message})
		}
	}
	return list
}

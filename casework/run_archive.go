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

// maxManifestBytes is the maximum size of a manifest that is read back.
const maxManifestBytes = 16 << 20

// archiveWork is the state of archiving a case.
type archiveWork struct {
	session  *stageSession
	node     *workflow.Node
	manifest audit.Manifest
	key      string
}

// newArchiveProcessor returns the processor that writes the manifest of the case to the blob store,
// reads it back and verifies it. Only then can the case reach a final status.
func newArchiveProcessor(svc *Service) stageProcessor[*archiveWork] {
	return stageProcessor[*archiveWork]{
		newWork: func(p *stageSession, node *workflow.Node) *archiveWork {
			return &archiveWork{session: p, node: node}
		},
		parameterChecks: []check[*archiveWork]{{name: "outcome", run: checkArchiveOutcome}},
		prepare: func(ctx context.Context, work *archiveWork) (err error) {
			if work.node.Outcome == domain.Archived {
				if err := svc.stopRelease(ctx, work.session); err != nil {
					return err
				}
			}
			work.manifest, err = svc.buildManifest(ctx, work.session)
			return err
		},
		execute: func(ctx context.Context, work *archiveWork) error {
			return svc.writeManifest(ctx, work)
		},
		save: func(work *archiveWork, t *transition) {
			t.change.Case.ManifestKey, t.reason = work.key, t.change.Case.OutcomeReason
		},
		afterCommit: func(ctx context.Context, work *archiveWork) {
			c := work.session.record
			svc.log.DebugContext(ctx, "case sealed", "case", c.ID, "outcome", c.Outcome,
				"manifest", work.key, "correlation_id", c.CorrelationID)
			if c.Outcome != domain.Abandoned && len(work.manifest.Findings) > 0 {
				svc.reevaluateDuplicates(ctx, c.ID)
			}
		},
	}
}

// checkArchiveOutcome refuses to archive a case whose outcome differs from that of the node.
func checkArchiveOutcome(_ context.Context, work *archiveWork) (workUpdate[*archiveWork], error) {
	if work.node.Outcome == "" || work.node.Outcome == work.session.record.Outcome {
		return nil, nil
	}
	return nil, domain.Errorf(domain.StateMismatch,
		"The case has the outcome %q, but this step archives cases with the outcome %q.",
		work.session.record.Outcome, work.node.Outcome).
		WithDetail("status", string(work.session.record.Status))
}

// writeManifest stores the manifest and verifies the stored bytes.
func (svc *Service) writeManifest(ctx context.Context, work *archiveWork) error {
	text, hash, err := work.manifest.Seal()
	if err != nil {
		return err
	}
	key, storedHash, _, err := svc.ports.Blobs.Put(ctx, work.session.record.ID,
		bytes.NewReader(text))
	if err != nil {
		return err
	}
	if hex.EncodeToString(storedHash) != hash {
		return domain.Errorf(domain.Unavailable,
			"The archived manifest differs from the bytes that were written.")
	}
	work.key = key
	return svc.verifyManifest(ctx, key, hash)
}

// verifyManifest reads the stored manifest back and checks it against its hash.
func (svc *Service) verifyManifest(ctx context.Context, key, hash string) error {
	content, size, err := svc.ports.Blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	text := make([]byte, min(size, maxManifestBytes))
	if _, err := io.ReadFull(content, text); err != nil {
		return domain.Errorf(domain.Unavailable, "The archived manifest could not be read back.").
			WithCause(err)
	}
	if err := audit.CheckManifest(text, hash); err != nil {
		return domain.Errorf(domain.Unavailable, "The archived manifest could not be verified.").
			WithCause(err)
	}
	return nil
}

// manifestHash returns the SHA-256 in the key of a manifest.
func manifestHash(key string) string { return path.Base(key) }

// buildManifest collects the contents of the manifest.
func (svc *Service) buildManifest(ctx context.Context, p *stageSession) (audit.Manifest, error) {
	r, c := svc.db.Reader(), p.record
	if err := svc.loadFieldsAndFindings(ctx, p); err != nil {
		return audit.Manifest{}, err
	}
	documents, err := svc.documentRevisions(ctx, p)
	if err != nil {
		return audit.Manifest{}, err
	}
	authority, err := svc.currentAuthority(ctx) // a cached snapshot may be stale
	if err != nil {
		return audit.Manifest{}, err
	}
	decisions, err := r.Decisions(ctx, c.ID)
	if err != nil {
		return audit.Manifest{}, err
	}
	supporting, err := r.Supporting(ctx, c.ID)
	if err != nil {
		return audit.Manifest{}, err
	}
	m := audit.Manifest{CaseID: c.ID, Reference: c.Reference, Outcome: c.Outcome,
		Submitter: c.Submitter, Attributes: c.Attributes, Risk: c.Risk, BaseMinor: c.BaseMinor,
		HeadSeq: c.LastSeq, HeadHash: hex.EncodeToString(c.HeadHash), DefinitionKey: c.ProcessKey,
		DefinitionVersion: c.ProcessVersion,
		PolicyVersion:     authority.policyVersion, SubmittedAt: c.CreatedAt, SealedAt: p.now}
	if part := c.Part; part.IsPart() {
		m.Part = &audit.ManifestPart{ParentCaseID: part.Parent, FirstPage: part.First,
			LastPage: part.Last}
	}
	if c.AmountKnown {
		m.Amount, m.Currency = c.Amount.Decimal(), c.Amount.Currency
	}
	for _, d := range slices.Backward(documents) {
		m.Documents = append(m.Documents,
			audit.ManifestFile{Revision: d.Revision, FileName: d.FileName, MediaType: d.MediaType,
				Size:   d.Size,
				SHA256: hex.EncodeToString(d.SHA256), BlobKey: d.BlobKey})
	}
	m.Supporting = manifestSupporting(supporting)
	for _, f := range p.fields {
		m.Fields = append(m.Fields,
			audit.ManifestField{Name: f.Name, Value: f.Normalised, Raw: f.Raw, Source: f.Source,
				Page:       f.Page,
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

// manifestSupporting lists the supporting documents.
func manifestSupporting(all []domain.SupportingDocument) []audit.ManifestSupporting {
	var list []audit.ManifestSupporting
	for i := range all {
		d := &all[i]
		list = append(list, audit.ManifestSupporting{Number: d.Number, Kind: d.Kind, Replaces: d.Replaces,
			FileName: d.FileName, MediaType: d.MediaType, Size: d.Size,
			SHA256: hex.EncodeToString(d.SHA256), BlobKey: d.BlobKey})
	}
	return list
}

// documentRevisions returns all revisions of the document, newest first. The lease returned the
// newest one; if that is the first, there are no others, because a replacement cancels the run.
func (svc *Service) documentRevisions(ctx context.Context,
	p *stageSession) ([]domain.Document, error) {
	if p.document != nil && p.document.Revision == 1 {
		return []domain.Document{*p.document}, nil
	}
	return svc.db.Reader().Documents(ctx, p.record.ID)
}

// manifestFindings lists the findings ordered by stage, so that the manifest is deterministic.
func manifestFindings(found map[string][]domain.Finding) []audit.ManifestFinding {
	stages := make([]string, 0, len(found))
	for stage := range found {
		stages = append(stages, stage)
	}
	slices.Sort(stages)
	var list []audit.ManifestFinding
	for _, stage := range stages {
		for _, f := range found[stage] {
			list = append(list, audit.ManifestFinding{Rule: f.Rule, Version: f.RuleVersion,
				Severity: f.Severity, Score: f.Score, Message: f.Message})
		}
	}
	return list
}

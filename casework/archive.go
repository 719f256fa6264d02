package casework

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"

	"countersign/audit"
	"countersign/domain"
	"countersign/workflow"
)

// maxManifest bounds the manifest that is read back.
const maxManifest = 16 << 20

// archiveStage writes the case's manifest once to the blobs, reads it back and verifies it. Only then may the case be
// final, however it ended.
type archiveStage struct{ hall *Hall }

func (s archiveStage) run(ctx context.Context, p *pass, _ *workflow.Node) (*stageResult, error) {
	manifest, err := s.hall.manifest(ctx, p)
	if err != nil {
		return nil, err
	}
	text, hash, err := manifest.Seal()
	if err != nil {
		return nil, err
	}
	key, kept, _, err := s.hall.ports.Blobs.Put(ctx, p.kase.ID, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if hex.EncodeToString(kept) != hash {
		return nil, domain.Fail(domain.Unavailable, "the archive holds other bytes than were written")
	}
	if err := s.hall.readBack(ctx, key, hash); err != nil {
		return nil, err
	}
	return &stageResult{Outcome: workflow.OutcomeDone, edits: func(t *transition) {
		t.change.Case.ManifestKey, t.why = key, t.change.Case.OutcomeReason
	}}, nil
}

// readBack opens what was written and checks that it is what is on record.
func (h *Hall) readBack(ctx context.Context, key, hash string) error {
	content, _, err := h.ports.Blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(io.LimitReader(content, maxManifest))
	if err != nil {
		return fmt.Errorf("casework: read manifest back: %w", err)
	}
	if _, err := audit.OpenManifest(text, hash); err != nil {
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
	documents, err := r.Documents(ctx, c.ID)
	if err != nil {
		return audit.Manifest{}, err
	}
	decisions, err := r.Decisions(ctx, c.ID)
	if err != nil {
		return audit.Manifest{}, err
	}
	m := audit.Manifest{CaseID: c.ID, Reference: c.Reference, Outcome: c.Outcome, Submitter: c.Submitter, Risk: c.Risk, BaseMinor: c.BaseMinor,
		HeadSeq: c.LastSeq, HeadHash: hex.EncodeToString(c.HeadHash), DefinitionKey: c.ProcessKey, DefinitionVersion: c.ProcessVersion,
		SubmittedAt: c.CreatedAt, SealedAt: p.now}
	if c.AmountKnown {
		m.Amount, m.Currency = c.Amount.Decimal(), c.Amount.Currency
	}
	if held := h.authority.Load(); held != nil {
		m.PolicyVersion = held.policy
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

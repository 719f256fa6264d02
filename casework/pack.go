package casework

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// WritePack writes the evidence pack of a case, for people who may verify the audit log and read the
// case with its confidential parts. The access is recorded before the first byte. Keys are the public
// keys of the log; without keys the pack has no proofs.
func (svc *Service) WritePack(ctx context.Context, actor domain.Actor, caseID domain.ID,
	keys audit.Keys, begin func(reference string) io.Writer) error {
	if err := svc.authorizePack(ctx, actor, caseID); err != nil {
		svc.logRefusal(ctx, actor, "pack", caseID, err)
		return err
	}
	pack, err := svc.CasePack(ctx, caseID, keys)
	if err != nil {
		return err
	}
	svc.accessLog.write(ctx, store.AccessEntry{Actor: actor.UserID, Action: store.AccessOpen,
		CaseID: caseID, Object: "pack", RequestID: actor.RequestID})
	return audit.WritePack(begin(pack.Reference), pack)
}

func (svc *Service) authorizePack(ctx context.Context, actor domain.Actor, caseID domain.ID) error {
	if err := svc.inScope(ctx, actor, "pack", domain.ActVerify); err != nil {
		return err
	}
	if err := svc.Authorize(ctx, actor, domain.ActVerify); err != nil {
		return err
	}
	if err := svc.MayRead(ctx, actor, caseID); err != nil {
		return err
	}
	return svc.authorizeManifest(ctx, actor, caseID)
}

// CasePack collects the evidence pack of a case, without an access check, for the operator's command
// line.
func (svc *Service) CasePack(ctx context.Context, caseID domain.ID, keys audit.Keys) (*audit.Pack,
	error) {
	r := svc.db.Reader()
	head, rows, err := r.CaseRecord(ctx, caseID)
	if err != nil {
		return nil, err
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return nil, err
	}
	pack := &audit.Pack{Reference: head.Name, Case: caseID, MadeAt: now.UnixMicro(), Rows: rows,
		Head: audit.ChainHead{Seq: head.Seq, Hash: head.Hash}}
	for event, err := range r.EventsUpTo(ctx, head) {
		if err != nil {
			return nil, err
		}
		pack.Events = append(pack.Events, event)
	}
	for _, collect := range []func(context.Context, store.Reader, *audit.Pack) error{svc.packFiles,
		svc.packDefinitions, packPeople, packPasskeys} {
		if err := collect(ctx, r, pack); err != nil {
			return nil, err
		}
	}
	audit.SortPackSources(pack.Files)
	if keys.Origin() == "" {
		return pack, nil
	}
	return pack, svc.packProofs(ctx, r, pack, keys)
}

// packFiles adds the originals, the page images and the archive manifest.
func (svc *Service) packFiles(ctx context.Context, r store.Reader, pack *audit.Pack) error {
	c, err := r.Case(ctx, pack.Case)
	if err != nil {
		return err
	}
	if !c.ErasedAt.IsZero() {
		return nil
	}
	documents, err := r.Documents(ctx, pack.Case)
	if err != nil {
		return err
	}
	for _, d := range documents {
		svc.packFile(ctx, pack, fmt.Sprintf("revision-%d/%s", d.Revision, safeFileName(d.FileName)),
			audit.RoleOriginal, d.BlobKey)
		pages, err := r.Pages(ctx, pack.Case, d.Revision)
		if err != nil {
			return err
		}
		for i := range pages {
			if pages[i].RasterKey != "" {
				svc.packFile(ctx, pack, fmt.Sprintf("revision-%d/page-%d.png", d.Revision, pages[i].Number),
					audit.RolePage, pages[i].RasterKey)
			}
		}
	}
	supporting, err := r.Supporting(ctx, pack.Case)
	if err != nil {
		return err
	}
	for i := range supporting {
		d := &supporting[i]
		svc.packFile(ctx, pack, fmt.Sprintf("supporting-%d/%s", d.Number, safeFileName(d.FileName)),
			audit.RoleOriginal, d.BlobKey)
	}
	read, _, err := r.SupportingPages(ctx, pack.Case)
	if err != nil {
		return err
	}
	for i := range read {
		if page := &read[i]; page.RasterKey != "" {
			svc.packFile(ctx, pack, fmt.Sprintf("supporting-%d/page-%d.png", page.Supporting, page.Number),
				audit.RoleSupportingPage, page.RasterKey)
		}
	}
	if c.ManifestKey != "" {
		svc.packFile(ctx, pack, "manifest.json", audit.RoleManifest, c.ManifestKey)
	}
	return nil
}

func (svc *Service) packFile(ctx context.Context, pack *audit.Pack, name string, role audit.Role,
	key string) {
	pack.Files = append(pack.Files, audit.PackSource{Name: name, Role: role,
		Open: func() (io.ReadCloser, error) {
			content, _, err := svc.ports.Blobs.Open(ctx, key)
			return content, err
		}})
}

// packDefinitions adds the texts of the versions that applied: process, document type, rule sets of
// the findings, and policies of the decisions.
func (svc *Service) packDefinitions(ctx context.Context, r store.Reader, pack *audit.Pack) error {
	c, err := r.Case(ctx, pack.Case)
	if err != nil {
		return err
	}
	added := map[string]bool{}
	add := func(name, text string) {
		if !added[name] {
			added[name] = true
			pack.Files = append(pack.Files, audit.PackSource{Name: path.Join("definitions", name),
				Role: audit.RoleDefinition,
				Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		}
	}
	process, err := r.Definition(ctx, c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return err
	}
	add(fmt.Sprintf("process-%s-%d.yaml", process.Key, process.Version), process.Document)
	kind, err := r.DocumentType(ctx, c.DocumentType, c.DocumentTypeVersion)
	switch {
	case err == nil:
		add(fmt.Sprintf("document-type-%s-%d.yaml", kind.Key, kind.Version), kind.Document)
	case !domain.HasCode(err, domain.NotFound):
		return err
	}
	findings, err := r.Findings(ctx, pack.Case)
	if err != nil {
		return err
	}
	for i := range findings {
		f := &findings[i]
		set, err := r.RuleSet(ctx, f.RuleSet, f.RuleVersion)
		switch {
		case err == nil:
			add(fmt.Sprintf("rules-%s-%d.yaml", set.Key, set.Version), set.Document)
		case !domain.HasCode(err, domain.NotFound):
			return err
		}
	}
	for i := range pack.Rows.Decisions {
		if pack.Rows.Decisions[i].Erased != nil || pack.Rows.Decisions[i].Hidden {
			continue // the evidence, with the version, was erased or is hidden
		}
		policy, err := r.PolicyVersion(ctx, pack.Rows.Decisions[i].Evidence.PolicyVersion)
		if err != nil {
			return err
		}
		add(fmt.Sprintf("policy-%d.json", policy.Version), string(policy.Rules))
	}
	return nil
}

// packPeople adds the names of the people in the record.
func packPeople(ctx context.Context, r store.Reader, pack *audit.Pack) error {
	ids := map[domain.ID]bool{}
	for _, event := range pack.Events {
		ids[event.Actor], ids[event.OnBehalfOf] = true, true
	}
	var list []domain.ID
	for id := range ids {
		list = append(list, id)
	}
	users, err := r.Users(ctx, list)
	pack.People = map[string]string{}
	for _, user := range users {
		if ids[user.ID] {
			pack.People[user.ID.String()] = user.Name
		}
	}
	return err
}

// packPasskeys adds the keys by which the approvals are signed.
func packPasskeys(ctx context.Context, r store.Reader, pack *audit.Pack) error {
	var ids []domain.ID
	for i := range pack.Rows.Decisions {
		if signature := pack.Rows.Decisions[i].Signature; signature != nil {
			ids = append(ids, signature.PasskeyID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	passkeys, err := r.Passkeys(ctx, ids)
	for _, p := range passkeys {
		pack.Passkeys = append(pack.Passkeys, audit.KeyOf(p))
	}
	return err
}

// packProofs adds the newest checkpoint and the proofs of all leaves of the case in it.
func (svc *Service) packProofs(ctx context.Context, r store.Reader, pack *audit.Pack,
	keys audit.Keys) error {
	log, err := r.CheckpointLog(ctx, keys.Origin())
	if domain.HasCode(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	newest, err := r.NewestCheckpoint(ctx, log.ID)
	if domain.HasCode(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	leaves, err := r.CheckpointLeavesOf(ctx, log.ID, pack.Case)
	if err != nil {
		return err
	}
	var passkeys []domain.ID
	for _, key := range pack.Passkeys {
		passkeys = append(passkeys, key.ID)
	}
	registrations, err := r.PasskeyLeaves(ctx, log.ID, passkeys)
	if err != nil {
		return err
	}
	leaves = append(registrations, leaves...)
	pack.Origin, pack.Keys, pack.Note = log.Origin, keys.String(), []byte(newest.Note)
	for _, leaf := range leaves {
		if leaf.Index >= newest.Size || leaf.Kind == audit.LeafHead && leaf.Seq > pack.Head.Seq {
			continue // later than the pack
		}
		proof, err := audit.InclusionProof(uint64(leaf.Index), uint64(newest.Size),
			func(level uint, index uint64, count int) ([][]byte, error) {
				return r.CheckpointHashes(ctx, log.ID, level, index, count)
			})
		if err != nil {
			return err
		}
		pack.Proofs = append(pack.Proofs, audit.LeafProof{Leaf: leaf.Leaf, Index: uint64(leaf.Index),
			Path: proof})
	}
	return nil
}

package casework_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

// packOf returns the evidence pack of a case that two people decided.
func (env *checkpointEnv) packOf(by domain.Actor, id domain.ID, keys audit.Keys) ([]byte, error) {
	env.t.Helper()
	var out bytes.Buffer
	err := env.svc.WritePack(env.ctx, by, id, keys, func(string) io.Writer { return &out })
	return out.Bytes(), err
}

func (env *checkpointEnv) decidedCase() domain.ID {
	env.t.Helper()
	id, err := domain.ParseID(env.queryTexts(`SELECT case_id::text FROM decisions GROUP BY case_id
		ORDER BY count(*) DESC, case_id LIMIT 1`)[0])
	must(env.t, err)
	return id
}

func verifyPack(pack []byte, keys audit.Keys) (audit.PackReport, error) {
	return audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)), audit.ExportCheck{Keys: keys})
}

// wantAltered requires that a pack is refused.
func wantAltered(t *testing.T, what string, pack []byte, keys audit.Keys) {
	t.Helper()
	report, err := verifyPack(pack, keys)
	if err == nil && report.Break == nil {
		t.Errorf("%s: verified", what)
	}
	if err != nil && !domain.HasCode(err, domain.ValidationFailed) {
		t.Errorf("%s: %v", what, err)
	}
}

// A pack verifies with nothing else. A pack with any byte altered, and one that was made again after a
// change, does not.
func TestEvidencePack(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.fill()
	env.sign()
	auditor := env.person("ann", domain.RoleAuditor)
	id := env.decidedCase()
	pack, err := env.packOf(auditor, id, env.signer.Keys())
	must(t, err)
	report, err := verifyPack(pack, env.signer.Keys())
	must(t, err)
	if report.Break != nil || report.OwnKeys || report.Covered == 0 || report.Covered != report.Events ||
		len(report.Proved) == 0 {
		t.Fatalf("%+v %v", report, report.Break)
	}
	own, err := verifyPack(pack, audit.Keys{})
	must(t, err)
	if own.Break != nil || !own.OwnKeys {
		t.Fatalf("with its own key: %+v", own)
	}
	step := max(1, len(pack)/700)
	for at := 0; at < len(pack); at += step {
		forged := slices.Clone(pack)
		forged[at] ^= 4
		if report, err := verifyPack(forged, env.signer.Keys()); err == nil && report.Break == nil {
			t.Fatalf("byte %d of %d was altered: verified", at, len(pack))
		}
	}
	wantAltered(t, "cut", pack[:len(pack)-1], env.signer.Keys())
	wantAltered(t, "longer", append(slices.Clone(pack), 0), env.signer.Keys())
	wantAltered(t, "empty", nil, env.signer.Keys())
	wantAltered(t, "the key of another log", pack, parseSigner(t, newLogKey(t, "another")).Keys())
	wantAltered(t, "another key of the same name", pack,
		parseSigner(t, newLogKey(t, env.signer.Origin())).Keys())
}

// A pack whose maker changed the record and made everything else again is refused.
func TestForgedPacks(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.fill()
	env.sign()
	id := env.decidedCase()
	keys := env.signer.Keys()
	for name, forge := range map[string]func(*audit.Pack){
		"the reason of a decision":   func(p *audit.Pack) { p.Rows.Decisions[0].Reason += "!" },
		"the evidence of a decision": func(p *audit.Pack) { p.Rows.Decisions[0].Evidence.Risk = 1 },
		"no decision":                func(p *audit.Pack) { p.Rows.Decisions = nil },
		"no votes":                   func(p *audit.Pack) { p.Rows.Votes = nil },
		"another status":             func(p *audit.Pack) { p.Rows.Status = domain.Processing },
		"the tail of the events": func(p *audit.Pack) {
			p.Events = p.Events[:len(p.Events)-1]
			last := p.Events[len(p.Events)-1]
			p.Head = audit.ChainHead{Seq: last.Seq, Hash: last.Hash}
		},
		"a rewritten chain": func(p *audit.Pack) {
			p.Events[0].Body = []byte(strings.Replace(string(p.Events[0].Body), "{", `{"x":1,`, 1))
			head, err := audit.Chain(audit.ChainHead{}, strings.NewReader(strings.Repeat("s",
				16*len(p.Events))), p.Events...)
			must(t, err)
			p.Head = head
		},
		"another original": func(p *audit.Pack) {
			for i := range p.Files {
				if p.Files[i].Role == audit.RoleOriginal {
					p.Files[i].Open = func() (io.ReadCloser, error) {
						return io.NopCloser(strings.NewReader("%PDF-forged")), nil
					}
				}
			}
		},
		"another page image": func(p *audit.Pack) {
			for i := range p.Files {
				if p.Files[i].Role == audit.RolePage {
					p.Files[i].Open = func() (io.ReadCloser, error) {
						return io.NopCloser(strings.NewReader("another image")), nil
					}
				}
			}
		},
		"a proof of another leaf": func(p *audit.Pack) { p.Proofs[0].Index++ },
		"a proof left out with its decision": func(p *audit.Pack) {
			p.Proofs = slices.DeleteFunc(p.Proofs,
				func(l audit.LeafProof) bool { return l.Leaf.Kind == audit.LeafDecision })
			p.Rows.Decisions = nil
		},
	} {
		pack, err := env.svc.CasePack(env.ctx, id, keys)
		must(t, err)
		forge(pack)
		var out bytes.Buffer
		must(t, audit.WritePack(&out, pack))
		wantAltered(t, name, out.Bytes(), keys)
	}
	// A page that shows something else, with its hash in the index.
	pack, err := env.svc.CasePack(env.ctx, id, keys)
	must(t, err)
	var out bytes.Buffer
	must(t, audit.WritePack(&out, pack))
	wantAltered(t, "another page", rezip(t, out.Bytes(), "index.html", "checked", "careful"), keys)
}

// rezip replaces a text in one file of a pack, and the hash of the file in the index.
func rezip(t *testing.T, pack []byte, name, old, text string) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	must(t, err)
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	sumOf := func(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
	hashes := map[string]string{}
	for _, file := range archive.File {
		content, err := file.Open()
		must(t, err)
		bytesOf, err := io.ReadAll(content)
		must(t, err)
		if file.Name == name {
			changed := bytes.ReplaceAll(bytesOf, []byte(old), []byte(text))
			if bytes.Equal(changed, bytesOf) {
				t.Fatalf("%s has no %q", name, old)
			}
			hashes[sumOf(bytesOf)] = sumOf(changed)
			bytesOf = changed
		}
		if file.Name == "pack.json" {
			for was, is := range hashes {
				bytesOf = bytes.ReplaceAll(bytesOf, []byte(was), []byte(is))
			}
		}
		into, err := writer.CreateHeader(&zip.FileHeader{Name: file.Name, Method: zip.Store})
		must(t, err)
		_, err = into.Write(bytesOf)
		must(t, err)
	}
	must(t, writer.Close())
	return out.Bytes()
}

// Reviewers and submitters get no pack, nor does an auditor's token without the scope.
func TestPacksAreForAuditors(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.fill()
	id := env.decidedCase()
	for _, role := range []domain.Role{domain.RoleL1, domain.RoleSubmitter, domain.RoleAdmin} {
		if _, err := env.packOf(env.person("x"+string(role), role), id, audit.Keys{}); err == nil {
			t.Errorf("%s got a pack", role)
		}
	}
	auditor := env.person("ann", domain.RoleAuditor)
	pack, err := env.packOf(auditor, id, audit.Keys{})
	must(t, err)
	report, err := verifyPack(pack, audit.Keys{})
	must(t, err)
	if report.Break != nil || report.Checkpoint.Size != 0 {
		t.Errorf("a pack without a checkpoint: %+v", report)
	}
	auditor.TokenID, auditor.Scopes = domain.NewID(), []string{string(domain.ActRead)}
	_, err = env.packOf(auditor, id, audit.Keys{})
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.CasePack(env.ctx, domain.NewID(), audit.Keys{})
	wantCode(t, err, domain.NotFound)
}

package casework_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"testing"

	"countersign/audit"
	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// readManifest reads the manifest of the case and compares its bytes with the hash in its key and
// in the event.
func (env *testEnv) readManifest(id domain.ID) audit.Manifest {
	env.t.Helper()
	key := env.caseByID(id).ManifestKey
	text := env.readBlob(key)
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	recorded := env.queryTexts(
		`SELECT (body::jsonb)->>'manifestKey' || ' ' || ((body::jsonb)->>'manifestSha256') FROM events WHERE case_id = $1 AND type = $2`,
		id, domain.CaseArchived)
	if key != id.String()+"/"+hash || !slices.Equal(recorded, []string{key + " " + hash}) {
		env.t.Errorf("the manifest with hash %s is stored as %s and recorded as %v", hash, key,
			recorded)
	}
	var m audit.Manifest
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	must(env.t, strict.Decode(&m))
	return m
}

// readBlob reads a file from the blob store of the test environment.
func (env *testEnv) readBlob(key string) []byte {
	env.t.Helper()
	content, _, err := env.blobs.Open(env.ctx, key)
	must(env.t, err)
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	must(env.t, err)
	return text
}

// publishPolicy publishes the next policy version: one user proposes, another publishes.
func (env *testEnv) publishPolicy(by, other domain.Actor) {
	env.t.Helper()
	proposed, err := env.svc.ProposePolicy(env.ctx, by,
		casework.Propose{Document: policyText(env.t, func(*authz.Document) {})})
	must(env.t, err)
	_, err = env.svc.PublishPolicy(env.ctx, other,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(env.t, err)
}

// TestManifestNamesCurrentPolicy checks that a manifest contains the policy version that is current
// when the case is archived, even if the worker has cached another one or none.
func TestManifestNamesCurrentPolicy(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	env.publishPolicy(ada, abe)
	inForce := env.queryInt(`SELECT max(version) FROM policies`)

	// One process submits the cases and another executes them; that one authorizes no user, so it
	// need not have loaded the policy.
	submitter, worker := env.svc, env.newService(env.blobs, casework.Settings{})
	small := func(number string) domain.ID {
		env.svc, env.reader.xml = submitter, invoiceXML("120.00", number)
		id := env.submit(sam, number)
		env.svc = worker
		env.drainQueue()
		env.svc = submitter
		env.requireState(id, domain.Archived)
		return id
	}
	cold := small("R-1")
	if got := env.verifyManifest(cold).PolicyVersion; got != int64(inForce) || got < 1 {
		t.Errorf("a worker without a cached policy archives policy version %d, want %d", got,
			inForce)
	}
	_, err := worker.Authorizer(env.ctx) // caches this version
	must(t, err)
	env.publishPolicy(abe, ada)
	if got := env.verifyManifest(small("R-2")).PolicyVersion; got != int64(inForce)+1 {
		t.Errorf("a worker that has cached version %d archives policy version %d, want %d", inForce,
			got, inForce+1)
	}
}

// TestManifestMatchesRows compares the manifest with the rows, for a case whose first file was
// damaged and whose reviewer corrected a value.
func TestManifestMatchesRows(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, rob := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1),
		env.person("rob", domain.RoleL1)
	env.reader.xml = invoiceXML("120000.00", "R-2")
	env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	id := env.submit(sam, "damaged")
	env.drainQueue()
	env.reader.err = nil
	original := upload("whole")
	must(t, errOf(env.svc.ReplaceDocument(env.ctx, sam,
		casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id}, File: original})))
	env.drainQueue()
	review := env.claim(rita, id)
	must(t, errOf(env.svc.CorrectFields(env.ctx, rita,
		casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
			Fields: []casework.FieldInput{{Name: domain.FieldNumber, Value: "R-2b"}}})))
	env.release(rita, id)
	env.claim(rob, id)
	must(t, env.decide(rob, review.ID, domain.Approve, "seen"))
	env.drainQueue()
	env.requireState(id, domain.Archived)

	m := env.verifyManifest(id)
	if frozen := m.Decisions[0]; !slices.Equal(frozen.Differences[domain.FieldNumber],
		[]string{"R-2b", "R-2"}) || len(frozen.Assertions) < 2 ||
		!slices.Equal(frozen.RiskBasis.Numbers, []string{"R-2b", "R-2"}) ||
		!slices.Contains(frozen.RiskBasis.CountryRoles, domain.CountryAtRisk{Code: "DE",
			Role: domain.CountryOfPayeeBank, Field: domain.FieldIBAN, Source: domain.SourceXML}) {
		t.Errorf("the decision rested on %+v", frozen)
	}
	if len(m.Documents) != 2 || m.Documents[1].SHA256 != hex.EncodeToString(original.SHA256) ||
		m.Documents[1].Size != original.Size {
		t.Errorf("the documents are %+v, the newest is %x", m.Documents, original.SHA256)
	}
	number := slices.IndexFunc(m.Fields,
		func(f audit.ManifestField) bool { return f.Name == domain.FieldNumber })
	if number < 0 || m.Fields[number].Value != "R-2b" || m.Fields[number].SetBy != rita.UserID {
		t.Errorf("the fields are %+v", m.Fields)
	}
	if len(m.Findings) == 0 || len(m.Decisions) != 1 || m.Decisions[0].Actor != rob.UserID ||
		m.Decisions[0].Reason != "seen" || m.Decisions[0].At.After(m.SealedAt) {
		t.Errorf("findings %+v, decisions %+v, sealed at %s", m.Findings, m.Decisions, m.SealedAt)
	}
	env.verifyCaseLog(id)
}

// verifyManifest compares the manifest of a closed case with the rows that it is built from.
func (env *testEnv) verifyManifest(id domain.ID) audit.Manifest {
	env.t.Helper()
	m, c := env.readManifest(id), env.caseByID(id)
	want := audit.Manifest{Format: audit.ManifestFormat, CaseID: id, Reference: c.Reference,
		Outcome: c.Outcome, Submitter: c.Submitter, Attributes: c.Attributes, Risk: c.Risk,
		Amount: c.Amount.Decimal(), Currency: c.Amount.Currency, BaseMinor: c.BaseMinor,
		DefinitionKey: c.ProcessKey, DefinitionVersion: c.ProcessVersion,
		HeadSeq: m.HeadSeq, HeadHash: m.HeadHash, PolicyVersion: m.PolicyVersion,
		SubmittedAt: c.CreatedAt, SealedAt: m.SealedAt}
	env.fillManifestFromRows(&want)
	byRule := func(a, b audit.ManifestFinding) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	}
	byName := func(a, b audit.ManifestField) int { return cmp.Compare(a.Name, b.Name) }
	got := m
	got.Findings, got.Fields = slices.SortedFunc(slices.Values(m.Findings), byRule),
		slices.SortedFunc(slices.Values(m.Fields), byName)
	slices.SortFunc(want.Findings, byRule)
	slices.SortFunc(want.Fields, byName)
	archived, _, err := got.Seal()
	must(env.t, err)
	expected, _, err := want.Seal()
	must(env.t, err)
	if !bytes.Equal(archived, expected) {
		env.t.Errorf("the manifest is\n%s\nwant\n%s", archived, expected)
	}
	env.verifyManifestHead(m)
	return m
}

// fillManifestFromRows fills in the rows of the case and compares every file with its hash.
func (env *testEnv) fillManifestFromRows(m *audit.Manifest) {
	env.t.Helper()
	r := env.db.Reader()
	documents, err := r.Documents(env.ctx, m.CaseID)
	must(env.t, err)
	for _, d := range slices.Backward(documents) {
		m.Documents = append(m.Documents,
			audit.ManifestFile{Revision: d.Revision, FileName: d.FileName, MediaType: d.MediaType,
				Size:   d.Size,
				SHA256: hex.EncodeToString(d.SHA256), BlobKey: d.BlobKey})
		if sum := sha256.Sum256(env.readBlob(d.BlobKey)); !bytes.Equal(sum[:], d.SHA256) {
			env.t.Errorf("the file of revision %d has the hash %x, its row says %x", d.Revision,
				sum, d.SHA256)
		}
	}
	fields, err := r.Fields(env.ctx, m.CaseID)
	must(env.t, err)
	for _, f := range fields {
		m.Fields = append(m.Fields,
			audit.ManifestField{Name: f.Name, Value: f.Normalised, Raw: f.Raw, Source: f.Source,
				Page:       f.Page,
				Confidence: f.Confidence, SetBy: f.SetBy})
	}
	findings, err := r.Findings(env.ctx, m.CaseID)
	must(env.t, err)
	for _, f := range findings {
		m.Findings = append(m.Findings,
			audit.ManifestFinding{Rule: f.Rule, Version: f.RuleVersion, Severity: f.Severity,
				Score: f.Score, Message: f.Message})
	}
	decisions, err := r.Decisions(env.ctx, m.CaseID)
	must(env.t, err)
	for _, d := range decisions {
		evidence, err := audit.EvidenceHash(d.Evidence)
		must(env.t, err)
		m.Decisions = append(m.Decisions,
			audit.ManifestDecision{ReviewID: d.ReviewID, Actor: d.Actor, OnBehalfOf: d.OnBehalfOf,
				Verdict: d.Verdict,
				Reason:  d.Reason, EvidenceSHA256: evidence, At: d.At, Fields: d.Evidence.Fields,
				RiskBasis: d.Evidence.RiskBasis, Differences: d.Evidence.Differences,
				Assertions: d.Evidence.Assertions})
		if d.Evidence.PolicyVersion != m.PolicyVersion {
			env.t.Errorf("decided by policy version %d, sealed by %d", d.Evidence.PolicyVersion,
				m.PolicyVersion)
		}
	}
}

// verifyManifestHead compares the head of the manifest with the log: only the end of the archive
// stage and its result may follow.
func (env *testEnv) verifyManifestHead(m audit.Manifest) {
	env.t.Helper()
	reading, err := env.db.Reader().EventsAfter(env.ctx, m.CaseID, m.HeadSeq-1, 100)
	must(env.t, err)
	if at := reading.Events[0]; at.Seq != m.HeadSeq || hex.EncodeToString(at.Hash) != m.HeadHash {
		env.t.Errorf("the manifest's head is %d %s, the event %d %x", m.HeadSeq, m.HeadHash, at.Seq,
			at.Hash)
	}
	var after []domain.EventType
	for _, event := range reading.Events[1:] {
		after = append(after, event.Type)
	}
	if !slices.Equal(after, []domain.EventType{domain.StageCompleted, domain.CaseArchived}) {
		env.t.Errorf("after the head of the manifest the log has %v", after)
	}
}

// corruptingBlobs is a blob store that returns corrupted manifests while corrupt is set.
type corruptingBlobs struct {
	dirBlobs
	mu      sync.Mutex
	corrupt func(text []byte) (content []byte, size int)
}

func (l *corruptingBlobs) setCorruption(corrupt func([]byte) ([]byte, int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.corrupt = corrupt
}

func (l *corruptingBlobs) Open(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	content, size, err := l.dirBlobs.Open(ctx, key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || l.corrupt == nil {
		return content, size, err
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil || !bytes.Contains(text, []byte(audit.ManifestFormat)) {
		return io.NopCloser(bytes.NewReader(text)), size, err
	}
	corrupted, length := l.corrupt(text)
	return io.NopCloser(bytes.NewReader(corrupted)), int64(length), nil
}

// TestNoArchiveOnCorruptStore uses a store that returns other bytes than it stored. The stage is
// retried, then an incident opens. The case becomes final only after the manifest was read back
// intact.
func TestNoArchiveOnCorruptStore(t *testing.T) {
	t.Parallel()
	for name, corrupt := range map[string]func([]byte) ([]byte, int){
		"one byte differs": func(text []byte) ([]byte, int) {
			text[len(text)/2] ^= 1
			return text, len(text)
		},
		"truncated, with the actual size": func(text []byte) ([]byte, int) {
			return text[:len(text)/2], len(text) / 2
		},
		"truncated, with the original size": func(text []byte) ([]byte, int) {
			return text[:len(text)/2], len(text)
		},
		"empty": func([]byte) ([]byte, int) { return nil, 0 },
		"too long": func(text []byte) ([]byte, int) {
			return append(text, ' '), len(text) + 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.knowVendors()
			store := &corruptingBlobs{dirBlobs: env.blobs, corrupt: corrupt}
			env.svc = env.newService(store, casework.Settings{})
			sam, mia := env.person("sam", domain.RoleSubmitter),
				env.person("mia", domain.RoleManager)
			id := env.submit(sam, "sealed")
			env.drainQueue()
			if c := env.caseByID(id); c.Status != domain.Incident || c.ManifestKey != "" {
				t.Fatalf("the case is %s with the manifest %q", c.Status, c.ManifestKey)
			}
			runs, err := env.db.Reader().RunsOf(env.ctx, id)
			must(t, err)
			var ends []domain.RunStatus
			for _, run := range runs {
				if run.Node == "archive" {
					ends = append(ends, run.Status)
					if run.ErrorCode != domain.Unavailable {
						t.Errorf("attempt %d ended with %q: %s", run.Attempt, run.ErrorCode,
							run.ErrorText)
					}
				}
			}
			if !slices.Equal(ends, []domain.RunStatus{domain.RunFailed, domain.RunFailed,
				domain.RunIncident}) {
				t.Errorf("the attempts ended as %v", ends)
			}
			if env.countEvents(id, domain.StageRetrying) != 2 ||
				env.countEvents(id, domain.IncidentOpened) != 1 ||
				env.countEvents(id, domain.CaseArchived) != 0 {
				t.Errorf("events %v", env.eventTypes(id))
			}
			store.setCorruption(nil)
			must(t, errOf(env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id})))
			env.drainQueue()
			env.requireState(id, domain.Archived)
			env.verifyManifest(id)
			env.verifyCaseLog(id)
		})
	}
}

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

// manifest reads the case's manifest from the blobs, and holds its bytes against the hash in its key and in the event.
func (w *world) manifest(id domain.ID) audit.Manifest {
	w.t.Helper()
	key := w.kase(id).ManifestKey
	text := w.blob(key)
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	told := w.texts(`SELECT (body::jsonb)->>'manifestKey' || ' ' || ((body::jsonb)->>'manifestSha256') FROM events WHERE case_id = $1 AND type = $2`,
		id, domain.CaseArchived)
	if key != id.String()+"/"+hash || !slices.Equal(told, []string{key + " " + hash}) {
		w.t.Errorf("the manifest of hash %s is kept as %s and told as %v", hash, key, told)
	}
	var m audit.Manifest
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	must(w.t, strict.Decode(&m))
	return m
}

// blob reads what the world's blobs keep.
func (w *world) blob(key string) []byte {
	w.t.Helper()
	content, _, err := w.blobs.Open(w.ctx, key)
	must(w.t, err)
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	must(w.t, err)
	return text
}

// publishPolicy puts the next version of the policy in force, by two people.
func (w *world) publishPolicy(by, other domain.Actor) {
	w.t.Helper()
	proposed, err := w.hall.ProposePolicy(w.ctx, by, casework.Propose{Document: policyText(w.t, func(*authz.Document) {})})
	must(w.t, err)
	_, err = w.hall.PublishPolicy(w.ctx, other, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(w.t, err)
}

// A manifest names the policy in force when the case was sealed, whatever the worker that seals it has loaded before.
func TestAManifestNamesThePolicyInForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	ada, abe := w.admins()
	w.publishPolicy(ada, abe)
	inForce := w.number(`SELECT max(version) FROM policies`)

	// The cases come in by one process and are worked by another, which so judges nobody and need not know the policy.
	door, worker := w.hall, w.hallOn(w.blobs, casework.Settings{})
	small := func(number string) domain.ID {
		w.hall, w.desk.xml = door, invoiceXML("120.00", number)
		id := w.submit(sam, number)
		w.hall = worker
		w.work()
		w.hall = door
		w.at(id, domain.Archived)
		return id
	}
	cold := small("R-1")
	if got := w.sealed(cold).PolicyVersion; got != int64(inForce) || got < 1 {
		t.Errorf("a cold worker seals policy version %d, in force is %d", got, inForce)
	}
	_, err := worker.Judge(w.ctx) // it holds this version from here on
	must(t, err)
	w.publishPolicy(abe, ada)
	if got := w.sealed(small("R-2")).PolicyVersion; got != int64(inForce)+1 {
		t.Errorf("a worker that holds version %d seals policy version %d, in force is %d", inForce, got, inForce+1)
	}
}

// What the archive says of a case is what the rows say: here of one whose first file was damaged, with a value corrected by
// its reviewer.
func TestTheManifestIsWhatTheRowsSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, rita := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1)
	w.desk.xml = invoiceXML("120000.00", "R-2")
	w.desk.err = domain.Fail(domain.DamagedFile, "The file is damaged.")
	id := w.submit(sam, "damaged")
	w.work()
	w.desk.err = nil
	original := upload("whole")
	must(t, first(w.hall.ReplaceDocument(w.ctx, sam, casework.ReplaceDocument{OnCase: casework.OnCase{CaseID: id}, File: original})))
	w.work()
	review := w.claim(rita, id)
	must(t, first(w.hall.CorrectFields(w.ctx, rita, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID},
		Fields: []casework.FieldInput{{Name: domain.FieldNumber, Value: "R-2b"}}})))
	must(t, w.decide(rita, review.ID, domain.Approve, "seen"))
	w.work()
	w.at(id, domain.Archived)

	m := w.sealed(id)
	if len(m.Documents) != 2 || m.Documents[1].SHA256 != hex.EncodeToString(original.SHA256) || m.Documents[1].Size != original.Size {
		t.Errorf("the documents are %+v, the newest is %x", m.Documents, original.SHA256)
	}
	number := slices.IndexFunc(m.Fields, func(f audit.ManifestField) bool { return f.Name == domain.FieldNumber })
	if number < 0 || m.Fields[number].Value != "R-2b" || m.Fields[number].SetBy != rita.UserID {
		t.Errorf("the fields are %+v", m.Fields)
	}
	if len(m.Findings) == 0 || len(m.Decisions) != 1 || m.Decisions[0].Actor != rita.UserID || m.Decisions[0].Reason != "seen" || m.Decisions[0].At.After(m.SealedAt) {
		t.Errorf("findings %+v, decisions %+v, sealed at %s", m.Findings, m.Decisions, m.SealedAt)
	}
	w.verify(id)
}

// sealed holds the manifest of a final case against every row that it tells of.
func (w *world) sealed(id domain.ID) audit.Manifest {
	w.t.Helper()
	m, c := w.manifest(id), w.kase(id)
	want := audit.Manifest{Format: audit.ManifestFormat, CaseID: id, Reference: c.Reference, Outcome: c.Outcome, Submitter: c.Submitter, Risk: c.Risk,
		Amount: c.Amount.Decimal(), Currency: c.Amount.Currency, BaseMinor: c.BaseMinor, DefinitionKey: c.ProcessKey, DefinitionVersion: c.ProcessVersion,
		HeadSeq: m.HeadSeq, HeadHash: m.HeadHash, PolicyVersion: m.PolicyVersion, SubmittedAt: c.CreatedAt, SealedAt: m.SealedAt}
	w.rowsOf(&want)
	byRule := func(a, b audit.ManifestRule) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	}
	byName := func(a, b audit.ManifestField) int { return cmp.Compare(a.Name, b.Name) }
	got := m
	got.Findings, got.Fields = slices.SortedFunc(slices.Values(m.Findings), byRule), slices.SortedFunc(slices.Values(m.Fields), byName)
	slices.SortFunc(want.Findings, byRule)
	slices.SortFunc(want.Fields, byName)
	said, _, err := got.Seal()
	must(w.t, err)
	held, _, err := want.Seal()
	must(w.t, err)
	if !bytes.Equal(said, held) {
		w.t.Errorf("the manifest says\n%s\nand the rows\n%s", said, held)
	}
	w.sealedHead(m)
	return m
}

// rowsOf fills in what the rows of the case say, and holds every file that is named against its hash.
func (w *world) rowsOf(m *audit.Manifest) {
	w.t.Helper()
	r := w.db.Reader()
	documents, err := r.Documents(w.ctx, m.CaseID)
	must(w.t, err)
	for _, d := range slices.Backward(documents) {
		m.Documents = append(m.Documents, audit.ManifestFile{Revision: d.Revision, FileName: d.FileName, MediaType: d.MediaType, Size: d.Size,
			SHA256: hex.EncodeToString(d.SHA256), BlobKey: d.BlobKey})
		if sum := sha256.Sum256(w.blob(d.BlobKey)); !bytes.Equal(sum[:], d.SHA256) {
			w.t.Errorf("the file of revision %d has the hash %x, its row says %x", d.Revision, sum, d.SHA256)
		}
	}
	fields, err := r.Fields(w.ctx, m.CaseID)
	must(w.t, err)
	for _, f := range fields {
		m.Fields = append(m.Fields, audit.ManifestField{Name: f.Name, Value: f.Normalised, Raw: f.Raw, Source: f.Source, Page: f.Page,
			Confidence: f.Confidence, SetBy: f.SetBy})
	}
	findings, err := r.Findings(w.ctx, m.CaseID)
	must(w.t, err)
	for _, f := range findings {
		m.Findings = append(m.Findings, audit.ManifestRule{Rule: f.Rule, Version: f.RuleVersion, Severity: f.Severity, Score: f.Score, Message: f.Message})
	}
	decisions, err := r.Decisions(w.ctx, m.CaseID)
	must(w.t, err)
	for _, d := range decisions {
		evidence, err := audit.EvidenceHash(d.Evidence)
		must(w.t, err)
		m.Decisions = append(m.Decisions, audit.ManifestVerdict{ReviewID: d.ReviewID, Actor: d.Actor, OnBehalfOf: d.OnBehalfOf, Verdict: d.Verdict,
			Reason: d.Reason, EvidenceSHA256: evidence, At: d.At})
		if d.Evidence.PolicyVersion != m.PolicyVersion {
			w.t.Errorf("decided by policy version %d, sealed by %d", d.Evidence.PolicyVersion, m.PolicyVersion)
		}
	}
}

// sealedHead holds the manifest's head against the log: it is the event before the archive stage ended, which nothing but
// that stage's end and what it led to comes after.
func (w *world) sealedHead(m audit.Manifest) {
	w.t.Helper()
	reading, err := w.db.Reader().EventsAfter(w.ctx, m.CaseID, m.HeadSeq-1, 100)
	must(w.t, err)
	if at := reading.Events[0]; at.Seq != m.HeadSeq || hex.EncodeToString(at.Hash) != m.HeadHash {
		w.t.Errorf("the manifest's head is %d %s, the event %d %x", m.HeadSeq, m.HeadHash, at.Seq, at.Hash)
	}
	var after []domain.EventType
	for _, event := range reading.Events[1:] {
		after = append(after, event.Type)
	}
	if !slices.Equal(after, []domain.EventType{domain.StageCompleted, domain.CaseArchived}) {
		w.t.Errorf("after the manifest's head come %v", after)
	}
}

// liar is a folder that gives other manifests back than were put, while it is told to.
type liar struct {
	folder
	mu  sync.Mutex
	lie func(text []byte) (told []byte, size int)
}

func (l *liar) tell(lie func([]byte) ([]byte, int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lie = lie
}

func (l *liar) Open(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	content, size, err := l.folder.Open(ctx, key)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || l.lie == nil {
		return content, size, err
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil || !bytes.Contains(text, []byte(audit.ManifestFormat)) {
		return io.NopCloser(bytes.NewReader(text)), size, err
	}
	told, length := l.lie(text)
	return io.NopCloser(bytes.NewReader(told)), int64(length), nil
}

// A store that gives back other bytes than it took holds no archive: the stage is tried again, then a person is asked, and
// the case is not final before the manifest was read back whole.
func TestNoCaseIsArchivedOnAStoreThatLies(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]func([]byte) ([]byte, int){
		"one letter is another":       func(text []byte) ([]byte, int) { text[len(text)/2] ^= 1; return text, len(text) },
		"cut short, as it says":       func(text []byte) ([]byte, int) { return text[:len(text)/2], len(text) / 2 },
		"cut short, and does not say": func(text []byte) ([]byte, int) { return text[:len(text)/2], len(text) },
		"nothing":                     func([]byte) ([]byte, int) { return nil, 0 },
		"more than was written":       func(text []byte) ([]byte, int) { return append(text, ' '), len(text) + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			store := &liar{folder: w.blobs, lie: lie}
			w.hall = w.hallOn(store, casework.Settings{})
			sam, mia := w.person("sam", domain.RoleSubmitter), w.person("mia", domain.RoleManager)
			id := w.submit(sam, "sealed")
			w.work()
			if c := w.kase(id); c.Status != domain.Incident || c.ManifestKey != "" {
				t.Fatalf("the case is %s with the manifest %q", c.Status, c.ManifestKey)
			}
			runs, err := w.db.Reader().RunsOf(w.ctx, id)
			must(t, err)
			var ends []domain.RunStatus
			for _, run := range runs {
				if run.Node == "archive" {
					ends = append(ends, run.Status)
					if run.ErrorCode != domain.Unavailable {
						t.Errorf("attempt %d ended with %q: %s", run.Attempt, run.ErrorCode, run.ErrorText)
					}
				}
			}
			if !slices.Equal(ends, []domain.RunStatus{domain.RunFailed, domain.RunFailed, domain.RunIncident}) {
				t.Errorf("the attempts ended as %v", ends)
			}
			if w.count(id, domain.StageRetrying) != 2 || w.count(id, domain.IncidentOpened) != 1 || w.count(id, domain.CaseArchived) != 0 {
				t.Errorf("events %v", w.types(id))
			}
			store.tell(nil)
			must(t, first(w.hall.RetryIncident(w.ctx, mia, casework.OnCase{CaseID: id})))
			w.work()
			w.at(id, domain.Archived)
			w.sealed(id)
			w.verify(id)
		})
	}
}

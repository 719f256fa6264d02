package casework_test

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
)

const gracePeriod = time.Hour

// stored is a file store on a real folder, with a service that sweeps it.
type stored struct {
	*blob.Folder
	dir   string
	onPut func() // called after a file is stored
}

func (s *stored) Put(
	ctx context.Context, caseID domain.ID, content io.Reader,
) (string, []byte, int64, error) {
	key, sum, size, err := s.Folder.Put(ctx, caseID, content)
	if s.onPut != nil {
		s.onPut()
	}
	return key, sum, size, err
}

// files returns the paths of the stored files.
func (s *stored) files(t *testing.T) (paths []string) {
	t.Helper()
	must(t, filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.Contains(path, ".journal") {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

func (s *stored) age(t *testing.T, by time.Duration) {
	t.Helper()
	for _, path := range s.files(t) {
		must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-by)))
	}
}

// sweeping replaces the environment's service with one that stores real files and sweeps them.
func (env *testEnv) sweeping() *stored {
	env.t.Helper()
	s := &stored{dir: env.t.TempDir()}
	var err error
	s.Folder, err = blob.OpenFolder(s.dir)
	must(env.t, err)
	env.t.Cleanup(func() { _ = s.Close() })
	env.svc, err = casework.New(env.db,
		casework.Ports{Reader: env.reader, Blobs: s, Notifier: env.notifier,
			Aged: s.Aged(gracePeriod)}, casework.Settings{}, slog.New(slog.DiscardHandler))
	must(env.t, err)
	env.t.Cleanup(func() { env.svc.Close(context.WithoutCancel(env.ctx)) })
	return s
}

// sweep sweeps all files once.
func (env *testEnv) sweep() (removed int) {
	env.t.Helper()
	for range 1000 {
		n, done, err := env.svc.SweepFiles(env.ctx)
		must(env.t, err)
		if removed += n; done {
			return removed
		}
	}
	env.t.Fatal("the sweep does not end")
	return 0
}

// A crash between storing a file and the commit leaves an orphan. The sweep removes it after the
// grace period, not earlier, and removes nothing else.
func TestOrphansAreSweptAfterTheGracePeriod(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	files := env.sweeping()
	sam := env.person("sam", domain.RoleSubmitter)
	archived := env.submit(sam, "archived")
	env.drainQueue()
	returned := env.returned(sam)
	referenced := len(files.files(t))
	for _, size := range []int{10, 300 << 10} { // in the journal, and as a file of its own
		ctx, crash := context.WithCancel(env.ctx)
		files.onPut = crash
		if _, err := env.svc.SubmitDocument(ctx, sam,
			casework.SubmitDocument{File: upload(strings.Repeat("x", size)),
				Once: casework.Once{Key: "k"}}); err == nil {
			t.Fatal("a submission succeeded in spite of the crash")
		}
	}
	ctx, crash := context.WithCancel(env.ctx)
	files.onPut = crash
	if _, err := env.svc.ReplaceDocument(ctx, sam,
		casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: returned},
			File: upload("second")}); err == nil {
		t.Fatal("a replacement succeeded in spite of the crash")
	} else if !domain.HasCode(err, domain.Unavailable) && ctx.Err() == nil {
		t.Fatal(err)
	}
	files.onPut = nil
	orphans := len(files.files(t)) - referenced
	if orphans != 3 {
		t.Fatalf("%d orphans", orphans)
	}
	if n := env.sweep(); n != 0 {
		t.Errorf("%d new files were swept", n)
	}
	files.age(t, gracePeriod/2)
	if n := env.sweep(); n != 0 {
		t.Errorf("%d files were swept within the grace period", n)
	}
	files.age(t, gracePeriod+time.Minute)
	if n := env.sweep(); n != 3 {
		t.Errorf("%d of 3 orphans were swept", n)
	}
	if n := env.sweep(); n != 0 {
		t.Errorf("a second sweep removed %d files", n)
	}
	document, err := env.db.Reader().Document(env.ctx, archived)
	must(t, err)
	for _, key := range []string{document.BlobKey, env.caseByID(archived).ManifestKey} {
		if exists, err := files.Verify(env.ctx, key); err != nil || !exists {
			t.Errorf("%s is missing: %v", key, err)
		}
	}
}

// returned creates a case whose submitter may replace its document.
func (env *testEnv) returned(by domain.Actor) domain.ID {
	env.t.Helper()
	env.reader.xml = invoiceXML("12000.00", "R-"+domain.NewID().String()[30:])
	id := env.submit(by, "returned")
	env.drainQueue()
	reviewer := env.person("rita"+domain.NewID().String()[30:], domain.RoleManager, domain.RoleL1)
	review := env.claim(reviewer, id)
	must(env.t, env.decide(reviewer, review.ID, domain.Return, "unreadable"))
	env.drainQueue()
	return id
}

// The sweep removes an orphan from a case's folder while the same bytes are submitted there again.
func TestSweepDuringSubmission(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	files := env.sweeping()
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.returned(sam)
	for round := range 20 {
		content := strings.Repeat("again", round+1)
		// An orphan with the same bytes as the next submission.
		_, _, _, err := files.Folder.Put(env.ctx, id, strings.NewReader("%PDF-1.7\n"+content))
		must(t, err)
		files.age(t, 2*gracePeriod)
		var group sync.WaitGroup
		group.Go(func() { env.sweep() })
		group.Go(func() {
			if _, err := env.svc.ReplaceDocument(env.ctx, sam,
				casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id},
					File: upload(content)}); err != nil {
				t.Error(err)
			}
		})
		group.Wait()
		document, err := env.db.Reader().Document(env.ctx, id)
		must(t, err)
		if exists, err := files.Verify(env.ctx, document.BlobKey); err != nil || !exists {
			t.Fatalf("round %d: the case's file is missing: %v", round, err)
		}
	}
}

// Reopening a case clears the manifest key in its row; the manifest file stays as evidence.
func TestReopenedCaseKeepsItsManifestFile(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	files := env.sweeping()
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("12000.00", "R-9")
	id := env.submit(sam, "to be reopened")
	env.drainQueue()
	must(t, env.decide(mia, env.claim(mia, id).ID, domain.Reject, "no order"))
	env.drainQueue()
	manifest := env.caseByID(id).ManifestKey
	if manifest == "" {
		t.Fatalf("not sealed: %s", env.caseByID(id).Status)
	}
	_, err := env.svc.ReopenCase(env.ctx, mia,
		casework.ReopenCase{CaseTarget: casework.CaseTarget{CaseID: id},
			Reason: "the order was found"})
	must(t, err)
	files.age(t, 2*gracePeriod)
	env.sweep()
	if exists, err := files.Verify(env.ctx, manifest); err != nil || !exists {
		t.Errorf("the manifest is missing: %v", err)
	}
}

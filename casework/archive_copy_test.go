package casework_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/pdfacheck"
)

// copyEnv has a case with a document of two pages whose images exist.
type copyEnv struct {
	*testEnv
	sam, ann domain.Actor
	caseID   domain.ID
}

func newCopyEnv(t *testing.T) *copyEnv {
	t.Helper()
	env := &copyEnv{testEnv: newTestEnv(t)}
	env.sam, env.ann = env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleAuditor)
	env.reader.rasters = true
	env.reader.others = [][]string{{"Seite zwei", "总计 120.00"}}
	env.caseID = env.submit(env.sam, "copied")
	env.drainQueue()
	return env
}

func (env *copyEnv) openCopy(by domain.Actor, revision int) (casework.OpenedBlob, error) {
	return env.svc.OpenBlob(env.ctx, by, casework.OpenBlob{CaseID: env.caseID,
		Kind: casework.BlobArchiveCopy, Revision: revision})
}

// copied returns the whole copy.
func (env *copyEnv) copied(by domain.Actor, revision int) []byte {
	env.t.Helper()
	opened, err := env.openCopy(by, revision)
	must(env.t, err)
	content, err := io.ReadAll(opened.Content)
	must(env.t, err)
	must(env.t, opened.Content.Close())
	if sum := sha256.Sum256(content); opened.SHA256 != hex.EncodeToString(sum[:]) ||
		opened.Size != int64(len(content)) {
		env.t.Errorf("%d bytes, %s were announced", opened.Size, opened.SHA256)
	}
	return content
}

// wantRefused requires that no copy is made, and that it is not in the access log.
func (env *copyEnv) wantRefused(what string, by domain.Actor, code domain.Code) {
	env.t.Helper()
	before := env.queryInt(`SELECT count(*) FROM access_log WHERE code = '' AND object LIKE 'archive-copy%'`)
	if _, err := env.openCopy(by, 0); !domain.HasCode(err, code) {
		env.t.Errorf("%s: %v, want %s", what, err, code)
	}
	if after := env.queryInt(`SELECT count(*) FROM access_log WHERE code = '' AND object LIKE 'archive-copy%'`); after != before {
		env.t.Errorf("%s: the access log has a copy that was not made", what)
	}
}

// imageFile returns the path of the stored image of a page.
func (env *copyEnv) imageFile(page int) string {
	env.t.Helper()
	key, err := env.db.Reader().RasterKey(env.ctx, env.caseID, 1, page)
	must(env.t, err)
	return filepath.Join(env.blobs.dir, key)
}

// The copy has the images that were read and their words, is the same each time, and every download is
// recorded.
func TestArchiveCopy(t *testing.T) {
	t.Parallel()
	env := newCopyEnv(t)
	first := env.copied(env.sam, 0)
	for _, violation := range pdfacheck.Check(first) {
		t.Errorf("the copy: %s", violation)
	}
	if again := env.copied(env.ann, 1); !bytes.Equal(first, again) {
		t.Error("the same document has two copies")
	}
	for _, actor := range []domain.Actor{env.sam, env.ann} {
		if n := env.queryInt(`SELECT count(*) FROM access_log WHERE case_id = $1 AND actor = $2
			AND action = 'open' AND object LIKE 'archive-copy/%' AND code = ''`, env.caseID, actor.UserID); n != 1 {
			t.Errorf("%d downloads by %s are recorded", n, actor.Name)
		}
	}
	for page := range 2 {
		raster, err := os.ReadFile(env.imageFile(page + 1))
		must(t, err)
		// The pixels are one chunk of the image, after its header, and are followed by 16 bytes.
		pixels := raster[8+25+8 : len(raster)-16]
		if len(pixels) < 1000 || !bytes.Contains(first, pixels) {
			t.Errorf("the copy does not contain the image of page %d", page+1)
		}
	}
	original, err := env.db.Reader().Document(env.ctx, env.caseID)
	must(t, err)
	if !bytes.Contains(first, []byte("SHA-256 "+hex.EncodeToString(original.SHA256))) {
		t.Error("the copy does not name its original")
	}
	env.wantRefusedRevision(2)
	files, err := filepath.Glob(filepath.Join(env.blobs.dir, env.caseID.String(), "*"))
	must(t, err)
	if pages := 2; len(files) != pages+2 { // original and e-invoice
		t.Errorf("the copy was stored: %v", files)
	}
}

func (env *copyEnv) wantRefusedRevision(revision int) {
	env.t.Helper()
	_, err := env.openCopy(env.ann, revision)
	wantCode(env.t, err, domain.NotFound)
}

// Who may not read the case gets no copy, and the refusal is recorded.
func TestArchiveCopyNeedsTheRightToRead(t *testing.T) {
	t.Parallel()
	env := newCopyEnv(t)
	ben := env.person("ben", domain.RoleSubmitter)
	scoped := env.ann
	scoped.Scopes = []string{string(domain.ActSubmit)}
	env.wantRefused("another submitter", ben, domain.NotFound)
	env.wantRefused("a token for submitting", scoped, domain.NotPermitted)
	if n := env.queryInt(`SELECT count(*) FROM access_log WHERE case_id = $1 AND actor = $2 AND code = 'NotFound'`,
		env.caseID, ben.UserID); n != 1 {
		t.Errorf("%d refusals are recorded", n)
	}
}

// An image whose bytes are not those that were read is never copied.
func TestArchiveCopyRefusesAlteredImages(t *testing.T) {
	t.Parallel()
	env := newCopyEnv(t)
	second := env.imageFile(2)
	raster, err := os.ReadFile(second)
	must(t, err)
	other, err := os.ReadFile(env.imageFile(1))
	must(t, err)
	for name, content := range map[string][]byte{"another image": other, "no image": []byte("text"), "empty": nil,
		"cut": raster[:len(raster)-1], "longer": append(bytes.Clone(raster), 0),
		"another pixel": append(append(bytes.Clone(raster[:60]), raster[60]^1), raster[61:]...)} {
		must(t, os.WriteFile(second, content, 0o600))
		env.wantRefused(name, env.ann, domain.DamagedFile)
	}
	must(t, os.Remove(second))
	env.wantRefused("a missing image", env.ann, domain.DamagedFile)
	must(t, os.WriteFile(second, raster, 0o600))
	env.copied(env.ann, 0)
}

// An image that is altered after the copy was announced leaves an incomplete file.
func TestArchiveCopyIsCutWhenAnImageChangesMidway(t *testing.T) {
	t.Parallel()
	env := newCopyEnv(t)
	second := env.imageFile(2)
	raster, err := os.ReadFile(second)
	must(t, err)
	other, err := os.ReadFile(env.imageFile(1))
	must(t, err)
	for name, alter := range map[string]func(){
		"another image": func() { must(t, os.WriteFile(second, other, 0o600)) },
		"no image":      func() { must(t, os.Remove(second)) },
		"other words": func() {
			env.ownerExec(fmt.Sprintf(`UPDATE pages SET words = '[]' WHERE case_id = '%s' AND number = 2`, env.caseID))
		},
	} {
		must(t, os.WriteFile(second, raster, 0o600))
		opened, err := env.openCopy(env.ann, 0)
		must(t, err)
		alter()
		content, err := io.ReadAll(opened.Content)
		if err == nil || int64(len(content)) >= opened.Size {
			t.Errorf("%s: %d of %d bytes were sent (%v)", name, len(content), opened.Size, err)
		}
		must(t, opened.Content.Close())
	}
	must(t, os.WriteFile(second, raster, 0o600))
	opened, err := env.openCopy(env.ann, 0)
	must(t, err)
	_, err = io.ReadFull(opened.Content, make([]byte, 100))
	must(t, err)
	must(t, opened.Content.Close()) // the receiver left
}

// Rows of pages that differ from the log give no copy, even if their images exist.
func TestArchiveCopyComparesRowsWithTheLog(t *testing.T) {
	t.Parallel()
	env := newCopyEnv(t)
	key, err := env.db.Reader().RasterKey(env.ctx, env.caseID, 1, 1)
	must(t, err)
	const restore = `DELETE FROM pages; INSERT INTO pages SELECT * FROM pages_before;
		UPDATE events e SET body = k.body FROM kept_events k WHERE k.case_id = e.case_id AND k.seq = e.seq`
	env.ownerExec(`CREATE TABLE pages_before AS SELECT * FROM pages`,
		`CREATE TABLE kept_events AS SELECT * FROM events`)
	const noTriggers = `ALTER TABLE events DISABLE TRIGGER USER`
	for _, c := range []struct {
		name, change string
		code         domain.Code
	}{
		{"another image", `UPDATE pages SET raster_key = '` + key + `' WHERE number = 2`, domain.DamagedFile},
		{"one page less", `DELETE FROM pages WHERE number = 2`, domain.DamagedFile},
		{"the other order", `UPDATE pages SET number = 10 - number`, domain.DamagedFile},
		{"a page more", `INSERT INTO pages (case_id, revision, number, raster_key, width, height, dpi, source, text,
			words) SELECT case_id, revision, 3, raster_key, width, height, dpi, source, text, words FROM pages
			WHERE number = 1`, domain.DamagedFile},
		{"no page", `DELETE FROM pages`, domain.StateMismatch},
		{"a page without an image", `UPDATE pages SET raster_key = '' WHERE number = 1`, domain.StateMismatch},
		{"a log without hashes", `UPDATE events SET body = replace(body, 'pageImages', 'earlier')`,
			domain.StateMismatch},
		{"no log", `UPDATE events SET body = ''`, domain.StateMismatch},
		{"a document that was not read", `UPDATE documents SET read_at = NULL`, domain.StateMismatch},
	} {
		env.ownerExec(noTriggers, c.change)
		env.wantRefused(c.name, env.ann, c.code)
		env.ownerExec(noTriggers, restore)
	}
}

// Long documents and full pages are copied too.
func TestArchiveCopyOfManyPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.person("ann", domain.RoleAuditor)
	env.reader.rasters = true
	const full = 10_000
	for page := 2; page <= 200; page++ {
		env.reader.others = append(env.reader.others, []string{fmt.Sprintf("Seite %d von 200", page)})
	}
	line := strings.Repeat("Wort 词 ", full/80)
	var lines []string
	for range 40 {
		lines = append(lines, line)
	}
	env.reader.others[0] = lines
	long := &copyEnv{testEnv: env, ann: ann,
		caseID: env.submit(env.person("sam", domain.RoleSubmitter), "long")}
	env.drainQueue()
	copied := long.copied(ann, 0)
	for _, violation := range pdfacheck.Check(copied) {
		t.Errorf("the copy: %s", violation)
	}
	if !bytes.Contains(copied, []byte("/Count 200 ")) {
		t.Error("the copy has not 200 pages")
	}
	t.Logf("%d bytes", len(copied))
}

package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/domain"
)

func openTestFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f.journal == nil {
		t.Fatalf("the file system of %s has no journal", dir)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// putSamples puts files of many lengths, for one case each, and returns their keys.
func putSamples(t *testing.T, f *Folder, n int) []string {
	t.Helper()
	keys := make([]string, n)
	for i := range keys {
		length := i % 60
		key, _, _, err := f.Put(context.Background(), domain.NewID(),
			bytes.NewReader(bytes.Repeat([]byte{byte(i), 'x'}, length*length*length)))
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = key
	}
	return keys
}

// crashImage copies a folder as a crash could leave it: the journal unchanged, and of each other
// file what the function returns, none if that is nil.
func crashImage(t *testing.T, dir string, left func(name string, content []byte) []byte) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "image")
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.Mkdir(filepath.Join(to, name), 0o700)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if content = left(name, content); content == nil {
			return nil
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// corruptFiles damages the files in turn, in each way that a crash can.
func corruptFiles() func(string, []byte) []byte {
	turn := 0
	return func(name string, content []byte) []byte {
		if strings.HasPrefix(name, journalName) {
			return content
		}
		turn++
		switch turn % 5 {
		case 0:
			return nil
		case 1:
			return []byte{}
		case 2:
			return content[:len(content)/2]
		case 3:
			return make([]byte, len(content))
		}
		return content
	}
}

func segments(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, journalName, "*"+segmentSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func requireBlobs(t *testing.T, f *Folder, keys []string) {
	t.Helper()
	for _, key := range keys {
		if same, err := f.Verify(context.Background(), key); err != nil || !same {
			t.Errorf("%s: %v, %v", key, same, err)
		}
	}
	seen := map[string]bool{}
	if err := f.Walk(context.Background(),
		func(s BlobInfo) error {
			seen[s.Key] = true
			return nil
		}); err != nil || len(seen) != len(keys) {
		t.Errorf("%d blobs are listed of %d, %v", len(seen), len(keys), err)
	}
}

func TestRecoveryAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openTestFolder(t, dir)
	keys := putSamples(t, f, 60) // up to 400 kB: the last ones are not journalled
	const large = 51             // 2*51*51*51 bytes are more than it takes
	spoil := corruptFiles()
	after := crashImage(t, dir, func(name string, content []byte) []byte {
		if !strings.HasPrefix(name, journalName) && len(content) >= largeFile {
			return content
		}
		return spoil(name, content)
	})
	if len(segments(t, after)) != 1 {
		t.Fatalf("segments: %v", segments(t, after))
	}
	if _, size, _ := f.Open(context.Background(), keys[large]); size < largeFile {
		t.Fatalf("file %d has %d bytes only", large, size)
	}
	requireBlobs(t, openTestFolder(t, after), keys)
	if left := segments(t, after); len(left) > 0 {
		t.Errorf("replayed segments are left: %v", left)
	}
}

func TestPartialTailIsIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openTestFolder(t, dir)
	keys := putSamples(t, f, 4)
	end := f.journal.segment.size
	last := int64(2*3*3*3 + recordHeader)
	// A copy, because the journal ends its segment after some seconds.
	image := crashImage(t, dir, func(_ string, content []byte) []byte { return content })
	for cut := end - last; cut < end; cut++ {
		after := crashImage(t, image, func(name string, content []byte) []byte {
			switch {
			case strings.HasSuffix(name, segmentSuffix) && cut%2 == 0:
				return content[:cut]
			case strings.HasSuffix(name, segmentSuffix):
				// as a preallocated file reads
				return append(content[:cut:cut], make([]byte, 4096)...)
			}
			return nil
		})
		requireBlobs(t, openTestFolder(t, after), keys[:3])
	}
}

func TestSegmentOfUnknownFormatIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, journalName, "x"+segmentSuffix)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("csblobs9 what is to come"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(dir); !domain.HasCode(err, domain.Unavailable) ||
		!errors.Is(err, errForeignSegment) {
		t.Errorf("opened: %v", err)
	}
	if len(segments(t, dir)) != 1 {
		t.Error("a segment of an unknown format was deleted")
	}
}

// Each process has its own segment; that of a running process is not touched, and closing removes
// it.
func TestSegmentsOfLiveProcessesAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := openTestFolder(t, dir)
	keys := putSamples(t, first, 5)
	second := openTestFolder(t, dir)
	keys = append(keys, putSamples(t, second, 5)...)
	third := openTestFolder(t, dir)
	if left := segments(t, dir); len(left) != 2 {
		t.Errorf("segments of two living owners: %v", left)
	}
	keys = append(keys, putSamples(t, first, 5)...)
	requireBlobs(t, openTestFolder(t, crashImage(t, dir, corruptFiles())), keys)
	for _, f := range []*Folder{first, second, third} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := segments(t, dir); len(left) > 0 {
		t.Errorf("after closing: %v", left)
	}
	requireBlobs(t, openTestFolder(t, dir), keys)
}

// Every process that opens the folder sees all files, whichever of them replays.
func TestConcurrentOpensAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := putSamples(t, openTestFolder(t, dir), 40)
	after := crashImage(t, dir, corruptFiles())
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			f, err := OpenFolder(after)
			if err != nil {
				t.Error(err)
				return
			}
			requireBlobs(t, f, keys)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if left := segments(t, after); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// pendingRecords counts the records that the running flush does not cover.
func pendingRecords(j *journal) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.nextBatch == nil {
		return 0
	}
	return j.nextBatch.records
}

func TestOneFlushServesManyPuts(t *testing.T) {
	t.Parallel()
	const many = 50
	f := openTestFolder(t, t.TempDir())
	flushes, begun := 0, make(chan struct{})
	f.journal.flush = func(file *os.File) error {
		if flushes++; flushes == 1 {
			close(begun)
		}
		// the first flush lasts until all others wait
		for flushes == 1 && pendingRecords(f.journal) < many-1 {
			runtime.Gosched()
		}
		return syncData(file)
	}
	var done sync.WaitGroup
	keys := make([]string, many)
	for i := range keys {
		done.Go(func() {
			var err error
			if keys[i], _, _, err = f.Put(context.Background(), domain.NewID(),
				strings.NewReader(fmt.Sprint("content ", i))); err != nil {
				t.Error(err)
			}
		})
		<-begun // by the first one only
	}
	done.Wait()
	if flushes != 2 {
		t.Errorf("%d files took %d flushes", many, flushes)
	}
	requireBlobs(t, f, keys)
}

func TestCheckpointDeletesTheSegment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openTestFolder(t, dir)
	settled := 0
	f.journal.syncfs = func(at *os.File) error { settled++; return syncFilesystem(at) }
	var keys []string
	for round, n := range []int{3, 2 * maxIndividualFlushes} {
		keys = append(keys, putSamples(t, f, n)...)
		old := f.journal.segment
		f.journal.checkpoint(old)
		f.journal.checkpoint(old) // a late call does nothing
		if settled != round {
			t.Errorf("round %d: the file system was flushed %d times", round, settled)
		}
		left := segments(t, dir)
		if len(left) != 1 || filepath.Base(left[0]) == old.name {
			t.Errorf("round %d: %v", round, left)
		}
	}
	requireBlobs(t, f, keys)
}

// A large segment is retired by itself, while others continue to put.
func TestFullSegmentsAreRetired(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openTestFolder(t, dir)
	f.journal.maxSegmentSize = 20 << 10
	var settled atomic.Int64
	f.journal.syncfs = func(at *os.File) error { settled.Add(1); return syncFilesystem(at) }
	var done sync.WaitGroup
	keys := make([]string, 2000)
	for worker := range 4 {
		done.Go(func() {
			for i := worker; i < len(keys); i += 4 {
				var err error
				if keys[i], _, _, err = f.Put(context.Background(), domain.NewID(),
					strings.NewReader(strings.Repeat(fmt.Sprint(i), 20))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	requireBlobs(t, openTestFolder(t, crashImage(t, dir,
		func(_ string, content []byte) []byte { return content })), keys)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if settled.Load() < 2 || len(segments(t, dir)) > 0 {
		t.Errorf("%d settled, left %v", settled.Load(), segments(t, dir))
	}
}

var errDiskFailure = errors.New("the disk answers no more")

// If the journal fails, files are flushed by themselves, and its records are still recovered.
func TestFailedJournalIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*journal){
		"flush": func(j *journal) { j.flush = func(*os.File) error { return errDiskFailure } },
		"settle": func(j *journal) {
			j.syncfs = func(*os.File) error { return errDiskFailure }
			j.checkpoint(j.segment)
		},
	} {
		dir := t.TempDir()
		f := openTestFolder(t, dir)
		keys := putSamples(t, f, 2*maxIndividualFlushes)
		breaks(f.journal)
		before := segments(t, dir)
		for i := range 3 {
			key, _, _, err := f.Put(context.Background(), domain.NewID(),
				strings.NewReader(fmt.Sprint("by itself ", i)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			keys = append(keys, key)
		}
		if !errors.Is(f.journal.disabledErr, errDiskFailure) || len(before) == 0 ||
			len(segments(t, dir)) != len(before) {
			t.Errorf("%s: off %v, segments before %v, now %v", name, f.journal.disabledErr, before,
				segments(t, dir))
		}
		if err := f.Close(); !errors.Is(err, errDiskFailure) {
			t.Errorf("%s: close says %v", name, err)
		}
		requireBlobs(t, openTestFolder(t, dir), keys)
		if left := segments(t, dir); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// If no segment can be created, a file is as durable as without a journal.
func TestWithoutAJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openTestFolder(t, dir)
	if err := os.WriteFile(filepath.Join(dir, journalName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keys := putSamples(t, f, 3)
	for _, key := range keys {
		if same, err := f.Verify(context.Background(), key); err != nil || !same {
			t.Errorf("%s: %v %v", key, same, err)
		}
	}
}

// A file that a crash left incomplete, for which no Put had returned, does not prevent storing the
// same bytes.
func TestPuttingAgainRepairsAPartialFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openTestFolder(t, dir)
	id, content := domain.NewID(), []byte("an upload that is tried again")
	put := func() string {
		key, _, _, err := f.Put(context.Background(), id, bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	key := put()
	for _, left := range []string{"", "an upload", string(content), "an upload that is tried agaim",
		string(content) + "!"} {
		path := filepath.Join(dir, blobPath(key))
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		if put() != key {
			t.Fatal("another key")
		}
		requireBlobs(t, f, []string{key})
	}
	stored, _, err := f.Open(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stored.Close() }()
	if text, err := io.ReadAll(stored); err != nil || !bytes.Equal(text, content) {
		t.Errorf("%q, %v", text, err)
	}
}

package audit_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/audit"
	"countersign/domain"
)

const origin = "countersign.example/log"

// newKey returns the key of a log of the test's name, as it is stored in a file.
func newKey(tb testing.TB) string {
	tb.Helper()
	private, public, err := audit.NewSigningKey(rand.Reader, origin)
	if err != nil {
		tb.Fatal(err)
	}
	return private + "\n" + public + "\n"
}

func signerOf(tb testing.TB, keys ...string) audit.Signer {
	tb.Helper()
	signer, err := audit.ParseSigner(strings.Join(keys, ""))
	if err != nil {
		tb.Fatal(err)
	}
	return signer
}

// testLog has three streams, and checkpoints sealed while they grew.
type testLog struct {
	tb     testing.TB
	events map[domain.ID][]*domain.Event
	sealed []audit.SealedCheckpoint
	key    string
	signer audit.Signer
	keys   audit.Keys
}

func newTestLog(tb testing.TB) *testLog {
	tb.Helper()
	l := &testLog{tb: tb, events: map[domain.ID][]*domain.Event{}, key: newKey(tb)}
	l.signer = signerOf(tb, l.key)
	l.keys = l.signer.Keys()
	chain := newSealer(tb)
	for minute := range 3 {
		var leaves []audit.Leaf
		for n := byte(1); n <= 3; n++ {
			if minute == 1 && n == 2 {
				continue // did not change
			}
			stream := domain.ID{n}
			l.events[stream], _ = chained(tb, stream, 2*(minute+1))
			leaves = append(leaves, headLeaf(l.events[stream]))
		}
		l.sealed = append(l.sealed, chain.seal(l.signer, minute, leaves...))
	}
	return l
}

func headLeaf(events []*domain.Event) audit.Leaf {
	head := events[len(events)-1]
	return audit.Leaf{Kind: audit.LeafHead, Subject: head.Stream, Seq: head.Seq, Hash: head.Hash}
}

// sealer seals checkpoints of one log, each from the stored state of the one before.
type sealer struct {
	tb     testing.TB
	state  []byte
	before *audit.SignedCheckpoint
}

func newSealer(tb testing.TB) *sealer {
	return &sealer{tb: tb, state: audit.NewMerkleLog().State()}
}

func (s *sealer) seal(signer audit.Signer, minute int, leaves ...audit.Leaf) audit.SealedCheckpoint {
	s.tb.Helper()
	tree, err := audit.ParseMerkleLog(s.state)
	if err != nil {
		s.tb.Fatal(err)
	}
	position := domain.FeedPosition{Era: 1, TxID: int64(minute), ID: 1}
	sealed, err := tree.Seal(signer, audit.Checkpoint{
		At:     baseTime.Add(time.Duration(minute) * time.Minute),
		Events: position, Access: position}, s.before, leaves)
	if err != nil {
		s.tb.Fatal(err)
	}
	opened, err := audit.OpenNote(sealed.Note, signer.Keys())
	if err != nil {
		s.tb.Fatal(err)
	}
	s.state, s.before = sealed.State, &opened
	return sealed
}

// compare compares the heads with the present events.
func (l *testLog) compare(_, _ audit.Checkpoint, leaves []audit.Leaf) (*audit.Break, error) {
	for _, leaf := range leaves {
		events := l.events[leaf.Subject]
		if leaf.Seq > int64(len(events)) || !bytes.Equal(events[leaf.Seq-1].Hash, leaf.Hash) {
			return audit.MissingLeaf(leaf), nil
		}
	}
	return nil, nil
}

func (l *testLog) check(outside ...[]byte) (audit.LogReport, error) {
	var external []audit.ExternalNote
	for _, note := range outside {
		external = append(external, audit.ExternalNote{Place: "a folder", Note: note})
	}
	return audit.VerifyLog(audit.LogVerification{Keys: l.keys, External: external,
		Compare: l.compare}, checkpointSeq(l.sealed))
}

func checkpointSeq(sealed []audit.SealedCheckpoint) iter.Seq2[audit.SealedCheckpoint, error] {
	return func(yield func(audit.SealedCheckpoint, error) bool) {
		for _, checkpoint := range sealed {
			if !yield(checkpoint, nil) {
				return
			}
		}
	}
}

func TestCheckpointsVerify(t *testing.T) {
	t.Parallel()
	l := newTestLog(t)
	report, err := l.check(l.sealed[0].Note, l.sealed[2].Note)
	if err != nil || report.Break != nil || report.Checkpoints != 3 || report.Leaves != 8 ||
		report.Newest.Size != 8 {
		t.Fatalf("got %+v, %v", report, err)
	}
	// The newest external checkpoint counts, in whatever order they are given.
	for _, outside := range [][][]byte{{l.sealed[0].Note, l.sealed[1].Note},
		{l.sealed[1].Note, l.sealed[0].Note}} {
		if report, err := l.check(outside...); err != nil || report.External.Size != 5 ||
			report.ExternalCount != 2 {
			t.Errorf("got %+v, %v", report, err)
		}
	}
	if _, err := audit.VerifyLog(audit.LogVerification{Keys: l.keys,
		Compare: l.compare}, func(yield func(audit.SealedCheckpoint, error) bool) {
		yield(audit.SealedCheckpoint{}, errors.New("gone"))
	}); err == nil {
		t.Fatal("the iterator's error was lost")
	}
}

func TestCheckpointsFindTampering(t *testing.T) {
	t.Parallel()
	other := signerOf(t, newKey(t))
	cases := map[string]struct {
		spoil func(*testLog) (outside [][]byte)
		want  audit.BreakKind
	}{
		"the newest events of a stream removed": {func(l *testLog) [][]byte {
			l.events[domain.ID{1}] = l.events[domain.ID{1}][:4]
			return nil
		}, audit.BreakMissingEvent},
		"a stream rewritten and rehashed": {func(l *testLog) [][]byte {
			l.events[domain.ID{3}][1].Body = []byte(`{"forged":1}`)
			audit.Seal(l.events[domain.ID{3}][1], l.events[domain.ID{3}][0].Hash)
			return nil
		}, audit.BreakMissingEvent},
		"a leaf altered": {func(l *testLog) [][]byte {
			l.sealed[1].Leaves[0].Seq--
			return nil
		}, audit.BreakAlteredLog},
		"a leaf removed": {func(l *testLog) [][]byte {
			l.sealed[1].Leaves = l.sealed[1].Leaves[1:]
			return nil
		}, audit.BreakAlteredLog},
		"a checkpoint removed from the middle": {func(l *testLog) [][]byte {
			l.sealed = slices.Delete(l.sealed, 1, 2)
			return nil
		}, audit.BreakAlteredLog},
		"the newest checkpoint removed": {func(l *testLog) [][]byte {
			kept := l.sealed[2].Note
			l.sealed = l.sealed[:2]
			return [][]byte{kept, l.sealed[0].Note}
		}, audit.BreakAlteredLog},
		"all checkpoints rebuilt by the key's holder": {func(l *testLog) [][]byte {
			kept := l.sealed[0].Note
			l.events[domain.ID{1}], _ = chained(t, domain.ID{1}, 1)
			head := l.events[domain.ID{1}][0]
			l.sealed = []audit.SealedCheckpoint{newSealer(t).seal(l.signer, 0, headLeaf(l.events[head.Stream]))}
			return [][]byte{kept}
		}, audit.BreakAlteredLog},
		"signed by another key": {func(l *testLog) [][]byte {
			l.sealed[0] = newSealer(t).seal(other, 0, l.sealed[0].Leaves...)
			return nil
		}, audit.BreakAlteredLog},
		"a forged external note": {func(*testLog) [][]byte {
			return [][]byte{newSealer(t).seal(other, 0).Note}
		}, audit.BreakAlteredLog},
		"a checkpoint older than the one before": {func(l *testLog) [][]byte {
			l.sealed[0] = newSealer(t).seal(l.signer, 60, l.sealed[0].Leaves...)
			return nil
		}, audit.BreakAlteredLog},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newTestLog(t)
			outside := tc.spoil(l)
			report, err := l.check(outside...)
			if err != nil || report.Break == nil || report.Break.Kind != tc.want ||
				report.Break.Message == "" {
				t.Fatalf("got %+v, %v", report, err)
			}
		})
	}
}

// TestRootIsThatOfRFC6962 recomputes the tree by the recursion of the RFC.
func TestRootIsThatOfRFC6962(t *testing.T) {
	t.Parallel()
	leafOf := func(leaf audit.Leaf) []byte {
		single := audit.NewMerkleLog()
		if err := single.Append(leaf); err != nil {
			t.Fatal(err)
		}
		root, err := single.Root()
		if err != nil {
			t.Fatal(err)
		}
		return root
	}
	var tree func(leaves [][]byte) []byte
	tree = func(leaves [][]byte) []byte {
		switch len(leaves) {
		case 0:
			sum := sha256.Sum256(nil)
			return sum[:]
		case 1:
			return leaves[0]
		}
		split := 1
		for split*2 < len(leaves) {
			split *= 2
		}
		sum := sha256.Sum256(slices.Concat([]byte{1}, tree(leaves[:split]), tree(leaves[split:])))
		return sum[:]
	}
	log := audit.NewMerkleLog()
	var leaves [][]byte
	for n := range 40 {
		root, err := log.Root()
		if err != nil || !bytes.Equal(root, tree(leaves)) {
			t.Fatalf("wrong root at %d leaves (%v)", n, err)
		}
		leaf := audit.Leaf{Kind: audit.LeafHead, Subject: domain.ID{byte(n)}, Seq: int64(n),
			Hash: bytes.Repeat([]byte{byte(n)}, 32)}
		leaves = append(leaves, leafOf(leaf))
		if err := log.Append(leaf); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoteHasOneReading(t *testing.T) {
	t.Parallel()
	signer := signerOf(t, newKey(t))
	rapid.Check(t, func(rt *rapid.T) {
		leaf := audit.Leaf{Kind: audit.LeafHead, Seq: rapid.Int64().Draw(rt, "seq"),
			Hash: rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(rt, "hash")}
		note := newSealer(t).seal(signer, rapid.IntRange(0, 1<<20).Draw(rt, "minute"), leaf).Note
		text, _, _ := bytes.Cut(note, []byte("\n\n"))
		bit := rapid.IntRange(0, len(text)*8-1).Draw(rt, "bit")
		forged := bytes.Clone(note)
		forged[bit/8] ^= 1 << (bit % 8)
		if _, err := audit.OpenNote(forged, signer.Keys()); err == nil {
			rt.Fatalf("a forged note was opened:\n%s", forged)
		}
	})
}

func TestNotesOfOthers(t *testing.T) {
	t.Parallel()
	signer := signerOf(t, newKey(t))
	note := newSealer(t).seal(signer, 0, audit.Leaf{Kind: audit.LeafHead}).Note
	if _, err := audit.OpenNote(append(bytes.Clone(note), "\u2014 witness.example AAAAAAAA\n"...),
		signer.Keys()); err != nil {
		t.Errorf("a witness's signature next to ours: %v", err)
	}
	for name, bad := range map[string][]byte{"empty": nil,
		"no signature": []byte(strings.SplitAfter(string(note), "\n\n")[0]),
		"only text":    []byte("x")} {
		if _, err := audit.OpenNote(bad, signer.Keys()); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	private, public, err := audit.NewSigningKey(rand.Reader, "another")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := audit.OpenNote(note, signerOf(t, private+"\n"+public+"\n").Keys()); err == nil {
		t.Error("opened as another log's")
	}
	if _, err := audit.OpenNote(note, audit.Keys{}); err == nil {
		t.Error("opened without a key")
	}
	for length, want := range map[int]int{20: 20, 500: 60} {
		_, err := audit.ParseKeys(strings.Repeat("x", length))
		if err == nil || strings.Count(err.Error(), "x") != want {
			t.Errorf("%d characters that are no key: %v", length, err)
		}
	}
	if _, _, err := audit.NewSigningKey(rand.Reader, "two words"); err == nil {
		t.Error("a key of an invalid name")
	}
	for _, state := range [][]byte{nil, make([]byte, 7), make([]byte, 40),
		append(bytes.Repeat([]byte{255}, 8), make([]byte, 32)...)} {
		if _, err := audit.ParseMerkleLog(state); err == nil {
			t.Errorf("parsed a log state of %d bytes", len(state))
		}
	}
}

// TestKeysRotate lets a new key take over. The old key alone verifies the whole log; a checkpoint that
// only the replaced key signed is refused, and so is a log whose first key is not known.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	l := newTestLog(t)
	next := newKey(t)
	both, old := signerOf(t, l.key, next), l.signer
	chain := newSealer(t)
	l.sealed = l.sealed[:0]
	leaf := headLeaf(l.events[domain.ID{1}])
	l.sealed = append(l.sealed, chain.seal(old, 0, leaf), chain.seal(both, 1, leaf),
		chain.seal(signerOf(t, next), 2, leaf))
	if report, err := l.check(l.sealed[0].Note, l.sealed[2].Note); err != nil || report.Break != nil {
		t.Fatalf("got %+v, %v", report.Break, err)
	}
	l.keys = signerOf(t, next).Keys()
	if report, err := l.check(); err != nil || report.Break == nil {
		t.Fatalf("verified without the first key: %+v, %v", report, err)
	}
	l.keys = old.Keys()
	forging := newSealer(t)
	forged := []audit.SealedCheckpoint{forging.seal(old, 0, leaf), forging.seal(both, 1, leaf)}
	// the holder of the replaced key signs once more
	forging.before = nil
	tree, err := audit.ParseMerkleLog(forged[0].State)
	if err != nil {
		t.Fatal(err)
	}
	before, err := audit.OpenNote(forged[0].Note, old.Keys())
	if err != nil {
		t.Fatal(err)
	}
	again, err := tree.Seal(old, audit.Checkpoint{At: baseTime.Add(time.Hour),
		Events: domain.FeedPosition{Era: 9}, Access: domain.FeedPosition{Era: 9}}, &before,
		[]audit.Leaf{leaf, leaf})
	if err != nil {
		t.Fatal(err)
	}
	again.Leaves = again.Leaves[1:]
	l.sealed = append(forged, again)
	if report, err := l.check(); err != nil || report.Break == nil || report.Break.Seq != 3 {
		t.Fatalf("the replaced key still signs: %+v, %v", report, err)
	}
	if _, err := audit.ParseSigner(next); err != nil {
		t.Fatal(err)
	}
	if tree, _ = audit.ParseMerkleLog(forged[1].State); tree != nil {
		opened, err := audit.OpenNote(forged[1].Note, signerOf(t, newKey(t)).Keys())
		if err == nil {
			t.Fatalf("opened with a key that signed nothing: %+v", opened)
		}
	}
}

// TestProofs verifies inclusion and consistency proofs over stored nodes against every size.
func TestProofs(t *testing.T) {
	t.Parallel()
	signer, chain := signerOf(t, newKey(t)), newSealer(t)
	var leaves []audit.Leaf
	nodes := map[uint]map[uint64][]byte{}
	var sealed []audit.Checkpoint
	for minute := range 12 {
		var batch []audit.Leaf
		for range 71 {
			batch = append(batch, audit.Leaf{Kind: audit.LeafHead, Seq: int64(len(leaves) + len(batch))})
		}
		next := chain.seal(signer, minute, batch...)
		for _, node := range next.Nodes {
			if nodes[node.Level] == nil {
				nodes[node.Level] = map[uint64][]byte{}
			}
			nodes[node.Level][node.Index] = node.Hash
		}
		leaves, sealed = append(leaves, batch...), append(sealed, chain.before.Checkpoint)
	}
	read := func(level uint, index uint64, count int) (hashes [][]byte, err error) {
		for i := index; i < index+uint64(count); i++ {
			if level == 0 {
				hashes = append(hashes, leaves[i].Digest())
			} else if hash := nodes[level][i]; hash != nil {
				hashes = append(hashes, hash)
			}
		}
		return hashes, nil
	}
	newest := sealed[len(sealed)-1]
	for index := 0; index < len(leaves); index += 37 {
		path, err := audit.InclusionProof(uint64(index), newest.Size, read)
		if err != nil {
			t.Fatal(err)
		}
		if err := audit.VerifyInclusion(leaves[index], uint64(index), path, newest); err != nil {
			t.Fatalf("leaf %d: %v", index, err)
		}
		if audit.VerifyInclusion(leaves[(index+1)%len(leaves)], uint64(index), path, newest) == nil {
			t.Fatalf("another leaf was proved at %d", index)
		}
	}
	for _, older := range sealed[:len(sealed)-1] {
		path, err := audit.ConsistencyProof(older.Size, newest.Size, read)
		if err != nil {
			t.Fatal(err)
		}
		if err := audit.VerifyConsistency(older, newest, path); err != nil {
			t.Fatalf("size %d: %v", older.Size, err)
		}
		older.Root = bytes.Repeat([]byte{1}, 32)
		if audit.VerifyConsistency(older, newest, path) == nil {
			t.Fatalf("another root of size %d was proved", older.Size)
		}
	}
	if _, err := audit.InclusionProof(0, newest.Size, func(uint, uint64, int) ([][]byte, error) {
		return nil, nil
	}); err == nil {
		t.Fatal("a proof without nodes")
	}
}

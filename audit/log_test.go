package audit_test

import (
	"bytes"
	"crypto/ed25519"
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

func keyPair(seed byte) (ed25519.PublicKey, ed25519.PrivateKey) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	public, _ := private.Public().(ed25519.PublicKey)
	return public, private
}

// testLog has three streams, and checkpoints sealed while they grew.
type testLog struct {
	events map[domain.ID][]*domain.Event
	sealed []audit.SealedCheckpoint
	public ed25519.PublicKey
}

func newTestLog(tb testing.TB) *testLog {
	tb.Helper()
	public, private := keyPair(1)
	l := &testLog{events: map[domain.ID][]*domain.Event{}, public: public}
	log := audit.NewMerkleLog()
	for minute := range 3 {
		var leaves []audit.Leaf
		for n := byte(1); n <= 3; n++ {
			if minute == 1 && n == 2 {
				continue // did not change
			}
			stream := domain.ID{n}
			l.events[stream], _ = chained(tb, stream, 2*(minute+1))
			head := l.events[stream][len(l.events[stream])-1]
			leaves = append(leaves, audit.Leaf{Stream: stream, Seq: head.Seq, Hash: head.Hash})
		}
		sealed, err := log.Seal(origin, baseTime.Add(time.Duration(minute)*time.Minute), private,
			leaves...)
		if err != nil {
			tb.Fatal(err)
		}
		l.sealed = append(l.sealed, sealed)
		// each minute restarts from the stored state
		if log, err = audit.ParseMerkleLog(log.State()); err != nil {
			tb.Fatal(err)
		}
	}
	return l
}

func (l *testLog) at(stream domain.ID, seq int64) ([]byte, error) {
	if events := l.events[stream]; seq <= int64(len(events)) {
		return events[seq-1].Hash, nil
	}
	return nil, nil
}

func (l *testLog) check(outside ...[]byte) (audit.LogReport, error) {
	return audit.VerifyLog(audit.LogVerification{Origin: origin, Key: l.public,
		ExternalNotes: outside, EventHash: l.at}, checkpointSeq(l.sealed))
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
	if _, err := audit.VerifyLog(audit.LogVerification{Origin: origin, Key: l.public,
		EventHash: l.at}, func(yield func(audit.SealedCheckpoint, error) bool) {
		yield(audit.SealedCheckpoint{}, errors.New("gone"))
	}); err == nil {
		t.Fatal("the iterator's error was lost")
	}
}

func TestCheckpointsFindTampering(t *testing.T) {
	t.Parallel()
	_, otherKey := keyPair(2)
	_, own := keyPair(1)
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
			sealed, _ := audit.NewMerkleLog().Seal(origin, baseTime, own,
				audit.Leaf{Stream: head.Stream, Seq: 1, Hash: head.Hash})
			l.sealed = []audit.SealedCheckpoint{sealed}
			return [][]byte{kept}
		}, audit.BreakAlteredLog},
		"signed by another key": {func(l *testLog) [][]byte {
			l.sealed[0], _ = audit.NewMerkleLog().Seal(origin, baseTime, otherKey,
				l.sealed[0].Leaves...)
			return nil
		}, audit.BreakAlteredLog},
		"a forged external note": {func(*testLog) [][]byte {
			forged, _ := audit.NewMerkleLog().Seal(origin, baseTime, otherKey)
			return [][]byte{forged.Note}
		}, audit.BreakAlteredLog},
		"a checkpoint older than the one before": {func(l *testLog) [][]byte {
			log := audit.NewMerkleLog()
			l.sealed[0], _ = log.Seal(origin, baseTime.Add(time.Hour), own, l.sealed[0].Leaves...)
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
		leaf := audit.Leaf{Stream: domain.ID{byte(n)}, Seq: int64(n),
			Hash: bytes.Repeat([]byte{byte(n)}, 32)}
		leaves = append(leaves, leafOf(leaf))
		if err := log.Append(leaf); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoteHasOneReading(t *testing.T) {
	t.Parallel()
	public, private := keyPair(1)
	rapid.Check(t, func(t *rapid.T) {
		checkpoint := audit.Checkpoint{Origin: origin, Size: rapid.Uint64().Draw(t, "size"),
			Root: rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "root"),
			At:   time.UnixMicro(rapid.Int64Range(0, 1<<55).Draw(t, "at")).UTC()}
		note, err := checkpoint.Sign(private)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := audit.OpenNote(note, origin, public)
		if err != nil || opened.Size != checkpoint.Size ||
			!bytes.Equal(opened.Root, checkpoint.Root) || !opened.At.Equal(checkpoint.At) {
			t.Fatalf("got %+v, %v", opened, err)
		}
		text, _, _ := bytes.Cut(note, []byte("\n\n"))
		bit := rapid.IntRange(0, len(text)*8-1).Draw(t, "bit")
		forged := bytes.Clone(note)
		forged[bit/8] ^= 1 << (bit % 8)
		if _, err := audit.OpenNote(forged, origin, public); err == nil {
			t.Fatalf("a forged note was opened:\n%s", forged)
		}
	})
}

func TestNotesOfOthers(t *testing.T) {
	t.Parallel()
	public, private := keyPair(1)
	note, err := audit.Checkpoint{Origin: origin, Root: make([]byte, 32),
		At: baseTime}.Sign(private)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := audit.OpenNote(append(bytes.Clone(note), "\u2014 witness.example AAAA\n"...),
		origin, public); err != nil {
		t.Errorf("a witness's signature next to ours: %v", err)
	}
	for name, bad := range map[string][]byte{"empty": nil,
		"no signature": []byte(strings.SplitAfter(string(note), "\n\n")[0]),
		"only text":    []byte("x")} {
		if _, err := audit.OpenNote(bad, origin, public); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if _, err := audit.OpenNote(note, "another", public); err == nil {
		t.Error("opened as another log's")
	}
	if _, err := audit.OpenNote(note, origin, nil); err == nil {
		t.Error("opened without a key")
	}
	if _, err := (audit.Checkpoint{Origin: "two words"}).Sign(private); err == nil {
		t.Error("signed with an invalid name")
	}
	for _, state := range [][]byte{nil, make([]byte, 7), make([]byte, 40),
		append(bytes.Repeat([]byte{255}, 8), make([]byte, 32)...)} {
		if _, err := audit.ParseMerkleLog(state); err == nil {
			t.Errorf("parsed a log state of %d bytes", len(state))
		}
	}
}

package audit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// MerkleLog is an append-only RFC 6962 Merkle tree. It holds only the tree's right edge.
type MerkleLog struct {
	rightEdge *compact.Range
	// onNode receives the stored nodes that become complete; nil = no one.
	onNode func(StoredNode)
}

var ranges = compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// NewMerkleLog returns a log without leaves.
func NewMerkleLog() *MerkleLog { return &MerkleLog{rightEdge: ranges.NewEmptyRange(0)} }

// ParseMerkleLog parses the output of State.
func ParseMerkleLog(state []byte) (*MerkleLog, error) {
	if len(state) < 8 || (len(state)-8)%rfc6962.DefaultHasher.Size() != 0 {
		return nil, fmt.Errorf("read log state: %d bytes", len(state))
	}
	size := binary.BigEndian.Uint64(state)
	var hashes [][]byte
	for rest := state[8:]; len(rest) > 0; rest = rest[rfc6962.DefaultHasher.Size():] {
		hashes = append(hashes, bytes.Clone(rest[:rfc6962.DefaultHasher.Size()]))
	}
	edge, err := ranges.NewRange(0, size, hashes)
	if err != nil {
		return nil, fmt.Errorf("read log state: %w", err)
	}
	return &MerkleLog{rightEdge: edge}, nil
}

// State returns what the next checkpoint needs: the size and the hashes of the right edge, at most
// 64 of them.
func (l *MerkleLog) State() []byte {
	out := binary.BigEndian.AppendUint64(nil, l.rightEdge.End())
	for _, hash := range l.rightEdge.Hashes() {
		out = append(out, hash...)
	}
	return out
}

// Size returns the number of leaves.
func (l *MerkleLog) Size() uint64 { return l.rightEdge.End() }

// Append adds leaves in order.
func (l *MerkleLog) Append(leaves ...Leaf) error {
	for i := range leaves {
		if err := l.rightEdge.Append(leaves[i].Digest(), l.visit); err != nil {
			return fmt.Errorf("append to log: %w", err)
		}
	}
	return nil
}

// visit passes on the nodes at the stored levels. compact calls it for each new complete node.
func (l *MerkleLog) visit(id compact.NodeID, hash []byte) {
	if l.onNode != nil && id.Level > 0 && id.Level%storedLevels == 0 {
		l.onNode(StoredNode{Level: id.Level, Index: id.Index, Hash: bytes.Clone(hash)})
	}
}

// Root returns the RFC 6962 root over all leaves.
func (l *MerkleLog) Root() ([]byte, error) {
	if l.rightEdge.End() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	root, err := l.rightEdge.GetRootHash(nil)
	if err != nil {
		return nil, fmt.Errorf("root of log: %w", err)
	}
	return root, nil
}

// SealedCheckpoint is a checkpoint as it is stored: the signed note and the leaves that it added.
type SealedCheckpoint struct {
	Note   []byte
	Leaves []Leaf
	// Nodes are the complete nodes of the tree that proofs read.
	Nodes []StoredNode
	// State is the state of the log after the leaves.
	State []byte
}

// Seal appends the leaves and signs the new state. The name and the sizes of the checkpoint are set
// by Seal. Before is the newest checkpoint of the log, nil for the first one: its root must be that
// of the present state, so that a checkpoint never follows from an altered state.
func (l *MerkleLog) Seal(signer Signer, checkpoint Checkpoint, before *SignedCheckpoint,
	leaves []Leaf) (SealedCheckpoint, error) {
	sealed := SealedCheckpoint{Leaves: leaves}
	root, err := l.Root()
	if err != nil {
		return sealed, err
	}
	if before == nil && l.Size() > 0 || before != nil &&
		(before.Size != l.Size() || !bytes.Equal(before.Root, root)) {
		return sealed, errors.New("seal checkpoint: the state of the log is not that of its newest checkpoint")
	}
	checkpoint.After = l.Size()
	l.onNode = func(node StoredNode) { sealed.Nodes = append(sealed.Nodes, node) }
	err = l.Append(leaves...)
	l.onNode = nil
	if err != nil {
		return sealed, err
	}
	if checkpoint.Root, err = l.Root(); err != nil {
		return sealed, err
	}
	checkpoint.Origin, checkpoint.Size = signer.Origin(), l.Size()
	sealed.State = l.State()
	sealed.Note, err = signer.seal(checkpoint, before)
	return sealed, err
}

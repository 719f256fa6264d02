package audit

import (
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// storedLevels is the distance between two levels of the tree whose nodes are stored: a proof
// computes a node between them from at most 128 hashes below it, and 1/255 of the tree is stored.
const storedLevels = 8

// StoredNode is a complete node of the tree at a level that is a multiple of storedLevels.
type StoredNode struct {
	Level uint
	Index uint64
	Hash  []byte
}

// NodeReader returns count hashes of complete nodes from the index on. Level 0 are the digests of
// leaves; the other levels are those of stored nodes.
type NodeReader func(level uint, index uint64, count int) ([][]byte, error)

// InclusionProof proves that the leaf at the index is in the log of the given size.
func InclusionProof(index, size uint64, read NodeReader) ([][]byte, error) {
	nodes, err := proof.Inclusion(index, size)
	if err != nil {
		return nil, fmt.Errorf("prove inclusion: %w", err)
	}
	return readProof(nodes, read)
}

// ConsistencyProof proves that the log of size2 begins with the log of size1.
func ConsistencyProof(size1, size2 uint64, read NodeReader) ([][]byte, error) {
	nodes, err := proof.Consistency(size1, size2)
	if err != nil {
		return nil, fmt.Errorf("prove consistency: %w", err)
	}
	return readProof(nodes, read)
}

func readProof(nodes proof.Nodes, read NodeReader) ([][]byte, error) {
	hashes := make([][]byte, 0, len(nodes.IDs))
	for _, id := range nodes.IDs {
		hash, err := readNode(id, read)
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, hash)
	}
	path, err := nodes.Rehash(hashes, rfc6962.DefaultHasher.HashChildren)
	if err != nil {
		return nil, fmt.Errorf("prove: %w", err)
	}
	return path, nil
}

// readNode computes a node from the stored hashes below it.
func readNode(id compact.NodeID, read NodeReader) ([]byte, error) {
	base := id.Level / storedLevels * storedLevels
	count := 1 << (id.Level - base)
	hashes, err := read(base, id.Index<<(id.Level-base), count)
	if err != nil {
		return nil, err
	}
	if len(hashes) != count {
		return nil, fmt.Errorf("prove: %d hashes of level %d at %d are stored instead of %d",
			len(hashes), base, id.Index<<(id.Level-base), count)
	}
	for ; count > 1; count /= 2 {
		for i := range count / 2 {
			hashes[i] = rfc6962.DefaultHasher.HashChildren(hashes[2*i], hashes[2*i+1])
		}
	}
	return hashes[0], nil
}

// VerifyInclusion verifies that a leaf is in the checkpoint.
func VerifyInclusion(leaf Leaf, index uint64, path [][]byte, in Checkpoint) error {
	return proof.VerifyInclusion(rfc6962.DefaultHasher, index, in.Size, leaf.Digest(), path, in.Root)
}

// VerifyConsistency verifies that the newer checkpoint continues the older one.
func VerifyConsistency(older, newer Checkpoint, path [][]byte) error {
	return proof.VerifyConsistency(rfc6962.DefaultHasher, older.Size, newer.Size, path, older.Root,
		newer.Root)
}

package audit

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"time"

	"github.com/transparency-dev/merkle/rfc6962"

	"countersign/domain"
)

// leafTag prefixes every leaf, for the reason given at headerTag.
const leafTag = "countersign.leaf.v1"

// LeafKind is what a leaf records.
type LeafKind string

// The kinds of leaves.
const (
	// LeafHead is the newest event of a stream at the time of a checkpoint.
	LeafHead LeafKind = "head"
	// LeafDecision is the row of a decision.
	LeafDecision LeafKind = "decision"
	// LeafVote is the row of a vote.
	LeafVote LeafKind = "vote"
	// LeafAccess is a range of the access log.
	LeafAccess LeafKind = "access"
	// LeafPasskey is the registration of a passkey.
	LeafPasskey LeafKind = "passkey"
)

// Leaf is one entry of the log.
type Leaf struct {
	Kind    LeafKind
	Subject domain.ID // the stream; of a decision or a vote the case; of a range none
	Item    domain.ID // the review of a decision or a vote; the passkey
	Person  domain.ID // of a vote or a passkey
	// Seq is the number of the event: the newest one of the stream, or that of the decision. Of a
	// range it is the number of its lines.
	Seq  int64
	Duty string // of a vote
	// After and Until bound a range: the lines after the first position, up to and with the second.
	After, Until domain.FeedPosition
	Hash         []byte
}

// Digest returns the RFC 6962 hash of the leaf.
func (l Leaf) Digest() []byte {
	var buffer [320]byte
	out := appendText(buffer[:0], leafTag)
	out = appendText(out, string(l.Kind))
	out = appendBytes(out, l.Subject[:])
	out = appendBytes(out, l.Item[:])
	out = appendBytes(out, l.Person[:])
	out = appendNumber(out, l.Seq)
	out = appendText(out, l.Duty)
	out = appendPosition(out, l.After)
	out = appendPosition(out, l.Until)
	return rfc6962.DefaultHasher.HashLeaf(appendBytes(out, l.Hash))
}

func appendPosition(out []byte, p domain.FeedPosition) []byte {
	return appendNumber(appendNumber(appendNumber(out, int64(p.Era)), p.TxID), p.ID)
}

// String names the leaf for people.
func (l Leaf) String() string {
	switch l.Kind {
	case LeafHead:
		return fmt.Sprintf("event %d of stream %s", l.Seq, l.Subject)
	case LeafDecision:
		return fmt.Sprintf("the decision on review %s", l.Item)
	case LeafVote:
		return fmt.Sprintf("the vote of %s in review %s", l.Person, l.Item)
	case LeafPasskey:
		return fmt.Sprintf("the passkey %s of %s", l.Item, l.Person)
	}
	return fmt.Sprintf("the %d lines of the access log after %s", l.Seq, positionText(l.After))
}

// erasedCoverage is what an erasure leaves of what a vote covers.
type erasedCoverage struct {
	SHA256 string `json:"erasedSha256"`
}

// erasedVoteHash returns the hash of a vote before its erasure, "" if it was not erased.
func erasedVoteHash(v domain.Vote) string {
	var erased erasedCoverage
	if json.Unmarshal([]byte(v.Covered), &erased) != nil {
		return ""
	}
	return erased.SHA256
}

// VoteHash returns the hash of all columns of a vote. It is the same after an erasure.
func VoteHash(v domain.Vote) []byte {
	if erased := erasedVoteHash(v); erased != "" {
		hash, _ := hexBytes(erased) // nil matches no leaf
		return hash
	}
	out := appendText(nil, "countersign.vote.v1")
	for _, id := range []domain.ID{v.CaseID, v.Person, v.ReviewID} {
		out = appendBytes(out, id[:])
	}
	sum := sha256.Sum256(appendText(appendText(out, v.Duty), v.Covered))
	return sum[:]
}

// AccessLine is a line of the access log, with its position in the order of the feed.
type AccessLine struct {
	Position  domain.FeedPosition
	At        time.Time
	Actor     domain.ID
	Action    string
	CaseID    domain.ID
	Object    string
	Code      string
	RequestID string
}

// AccessRange hashes consecutive lines of the access log into one leaf.
type AccessRange struct {
	after, until domain.FeedPosition
	count        int64
	sum          hash.Hash
}

// NewAccessRange begins a range after the position.
func NewAccessRange(after domain.FeedPosition) *AccessRange {
	r := &AccessRange{after: after, until: after, sum: sha256.New()}
	_, _ = r.sum.Write(appendText(nil, "countersign.access.v1"))
	return r
}

// Add adds the next line.
func (r *AccessRange) Add(line *AccessLine) {
	var buffer [512]byte
	out := appendPosition(buffer[:0], line.Position)
	out = appendNumber(out, line.At.UnixMicro())
	out = appendBytes(out, line.Actor[:])
	out = appendText(out, line.Action)
	out = appendBytes(out, line.CaseID[:])
	out = appendText(out, line.Object)
	out = appendText(out, line.Code)
	_, _ = r.sum.Write(appendText(out, line.RequestID))
	r.until, r.count = line.Position, r.count+1
}

// Extend lets the range end at a later position, up to which there are no more lines.
func (r *AccessRange) Extend(until domain.FeedPosition) {
	if r.until.Before(until) {
		r.until = until
	}
}

// Leaf returns the leaf of the lines so far; ok is false if there are none.
func (r *AccessRange) Leaf() (leaf Leaf, ok bool) {
	return Leaf{Kind: LeafAccess, Seq: r.count, After: r.after, Until: r.until, Hash: r.sum.Sum(nil)},
		r.count > 0
}

package audit

import (
	"encoding/hex"
	"fmt"
	"time"

	"countersign/domain"
)

// StreamRows are all rows of a case that its events and the checkpoints refer to.
type StreamRows struct {
	CaseRows
	Assertions []domain.AssertionSet
}

// exportLeaf is a leaf; positions are era, transaction and id.
type exportLeaf struct {
	Kind    LeafKind  `json:"kind"`
	Subject domain.ID `json:"subject,omitzero"`
	Item    domain.ID `json:"item,omitzero"`
	Person  domain.ID `json:"person,omitzero"`
	Seq     int64     `json:"seq"`
	Duty    string    `json:"duty,omitempty"`
	After   *[3]int64 `json:"after,omitempty"`
	Until   *[3]int64 `json:"until,omitempty"`
	Hash    string    `json:"hash"`
}

func leafLine(l Leaf) exportLeaf {
	return exportLeaf{Kind: l.Kind, Subject: l.Subject, Item: l.Item, Person: l.Person, Seq: l.Seq,
		Duty: l.Duty, After: positionLine(l.After), Until: positionLine(l.Until),
		Hash: hex.EncodeToString(l.Hash)}
}

func (l exportLeaf) toLeaf() (Leaf, error) {
	hash, err := hex.DecodeString(l.Hash)
	if err != nil {
		return Leaf{}, fmt.Errorf("a leaf's hash is not in hex: %w", err)
	}
	return Leaf{Kind: l.Kind, Subject: l.Subject, Item: l.Item, Person: l.Person, Seq: l.Seq,
		Duty: l.Duty, After: toPosition(l.After), Until: toPosition(l.Until), Hash: hash}, nil
}

func positionLine(p domain.FeedPosition) *[3]int64 {
	if p == (domain.FeedPosition{}) {
		return nil
	}
	line := positionNumbers(p)
	return &line
}

func positionNumbers(p domain.FeedPosition) [3]int64 { return [3]int64{int64(p.Era), p.TxID, p.ID} }

func toPosition(line *[3]int64) domain.FeedPosition {
	if line == nil {
		return domain.FeedPosition{}
	}
	return domain.FeedPosition{Era: int32(line[0]), TxID: line[1], ID: line[2]}
}

type exportRows struct {
	Status     domain.Status    `json:"status"`
	Marking    string           `json:"marking"`
	Decisions  []exportDecision `json:"decisions,omitempty"`
	Votes      []exportVote     `json:"votes,omitempty"`
	Assertions []exportSet      `json:"assertions,omitempty"`
	// Attributes are what the submitter stated.
	Attributes []domain.Attribute `json:"attributes,omitempty"`
	Supporting []exportSupporting `json:"supporting,omitempty"`
}

type exportDecision struct {
	ID         domain.ID       `json:"id"`
	Review     domain.ID       `json:"review"`
	Actor      domain.ID       `json:"actor"`
	OnBehalfOf domain.ID       `json:"onBehalfOf,omitzero"`
	Verdict    domain.Verdict  `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	Evidence   domain.Evidence `json:"evidence"`
	At         int64           `json:"at"`

	Signature *domain.ApprovalSignature `json:"signature,omitempty"`
	Salt      string                    `json:"salt,omitempty"`
	Erased    *domain.ErasedDecision    `json:"erased,omitempty"`
	Hidden    string                    `json:"hidden,omitempty"` // the hash of a hidden vote
}

type exportVote struct {
	Duty    string    `json:"duty"`
	Person  domain.ID `json:"person"`
	Review  domain.ID `json:"review"`
	Covered string    `json:"covered,omitempty"`
}

type exportSet struct {
	Revision int64              `json:"revision"`
	Source   domain.FieldSource `json:"source"`
	By       domain.ID          `json:"by,omitzero"`
	Document int                `json:"document,omitempty"` // revision
	At       int64              `json:"at"`
	Hash     string             `json:"hash"`
	Salt     string             `json:"salt,omitempty"`
	Body     string             `json:"body,omitempty"`
}

func rowsLine(rows *StreamRows) *exportRows {
	out := &exportRows{Status: rows.Status, Marking: rows.Marking, Attributes: rows.Attributes,
		Supporting: supportingLines(&rows.CaseRows)}
	for i := range rows.Decisions {
		d := &rows.Decisions[i]
		out.Decisions = append(out.Decisions, exportDecision{d.ID, d.ReviewID, d.Actor, d.OnBehalfOf,
			d.Verdict, d.Reason, d.Evidence, d.At.UnixMicro(), d.Signature, hex.EncodeToString(d.Salt),
			d.Erased, hex.EncodeToString(d.HiddenHash)})
	}
	for _, v := range rows.Votes {
		out.Votes = append(out.Votes, exportVote{v.Duty, v.Person, v.ReviewID, v.Covered})
	}
	for i := range rows.Assertions {
		s := &rows.Assertions[i]
		out.Assertions = append(out.Assertions, exportSet{s.Revision, s.Source, s.By,
			s.DocumentRevision, s.At.UnixMicro(), hex.EncodeToString(s.Hash), hex.EncodeToString(s.Salt), string(s.Body)})
	}
	return out
}

// hiddenHash returns the hash of a hidden vote, nil for other decisions. A line with a hash and content
// is refused, because the content would not be verified.
func hiddenHash(d exportDecision) ([]byte, error) {
	if d.Hidden == "" {
		return nil, nil
	}
	hash, err := hexBytes(d.Hidden)
	if err == nil && (d.Verdict != "" || d.Reason != "" || d.Signature != nil || d.Salt != "") {
		err = fmt.Errorf("the hidden vote in review %s has content", d.Review)
	}
	return hash, err
}

// toRows converts a line back into the rows of the case.
func (e *exportRows) toRows(caseID domain.ID) (*StreamRows, error) {
	rows := &StreamRows{CaseRows: CaseRows{Status: e.Status, Marking: e.Marking,
		Attributes: e.Attributes}}
	if err := rows.addSupporting(caseID, e.Supporting); err != nil {
		return nil, err
	}
	for _, d := range e.Decisions {
		salt, err := hex.DecodeString(d.Salt)
		if err != nil {
			return nil, fmt.Errorf("the salt of the decision on review %s is not in hex", d.Review)
		}
		if len(salt) == 0 {
			salt = nil
		}
		hidden, err := hiddenHash(d)
		if err != nil {
			return nil, err
		}
		rows.Decisions = append(rows.Decisions, domain.Decision{ID: d.ID, CaseID: caseID,
			ReviewID: d.Review, Actor: d.Actor, OnBehalfOf: d.OnBehalfOf, Verdict: d.Verdict,
			Reason: d.Reason, Evidence: d.Evidence, At: time.UnixMicro(d.At).UTC(),
			Signature: d.Signature, Salt: salt, Erased: d.Erased, Hidden: hidden != nil, HiddenHash: hidden})
	}
	for _, v := range e.Votes {
		rows.Votes = append(rows.Votes, domain.Vote{CaseID: caseID, Duty: v.Duty, Person: v.Person,
			ReviewID: v.Review, Covered: v.Covered})
	}
	for _, s := range e.Assertions {
		hash, err1 := hex.DecodeString(s.Hash)
		salt, err2 := hex.DecodeString(s.Salt)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("the hash of an assertion of revision %d is not in hex", s.Revision)
		}
		rows.Assertions = append(rows.Assertions, domain.AssertionSet{CaseID: caseID,
			Revision: s.Revision, Source: s.Source, By: s.By,
			DocumentRevision: s.Document, At: time.UnixMicro(s.At).UTC(), Hash: hash, Salt: salt,
			Body: []byte(s.Body)})
	}
	return rows, nil
}

type exportAccess struct {
	Position  [3]int64  `json:"position"`
	At        int64     `json:"at"`
	Actor     domain.ID `json:"actor"`
	Action    string    `json:"action"`
	Case      domain.ID `json:"case,omitzero"`
	Object    string    `json:"object,omitempty"`
	Code      string    `json:"code,omitempty"`
	RequestID string    `json:"requestId,omitempty"`
}

func accessLine(l *AccessLine) exportAccess {
	return exportAccess{positionNumbers(l.Position), l.At.UnixMicro(), l.Actor, l.Action, l.CaseID,
		l.Object, l.Code, l.RequestID}
}

func (e exportAccess) toLine() AccessLine {
	return AccessLine{Position: toPosition(&e.Position), At: time.UnixMicro(e.At).UTC(), Actor: e.Actor,
		Action: e.Action, CaseID: e.Case, Object: e.Object, Code: e.Code, RequestID: e.RequestID}
}

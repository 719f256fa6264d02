package audit

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"countersign/domain"
)

// ExportFormat names the layout of an export: JSON lines, each with a kind. The header comes first,
// then every checkpoint after its leaves, then of each stream the events, the rows and the head, then
// the access log, and last the counts. Readers ignore kinds that they do not know.
const ExportFormat = "countersign.audit.v2"

// formatWithoutRows is the layout of earlier programs, which had no checkpoints, rows and accesses.
const formatWithoutRows = "countersign.audit.v1"

// The kinds of lines.
const (
	kindHeader     = "export"
	kindLeaves     = "leaves"
	kindCheckpoint = "checkpoint"
	kindEvent      = "event"
	kindRows       = "rows"
	kindHead       = "head"
	kindAccess     = "access"
	kindEnd        = "end"
)

// maxLineItems is how many leaves or accesses a line has at most.
const maxLineItems = 500

// exportLine is one line of an export; the kind determines which members are set.
type exportLine struct {
	Kind string `json:"kind"`

	Format string `json:"format,omitempty"`
	Origin string `json:"origin,omitempty"`
	At     int64  `json:"at,omitempty"` // microseconds since 1970
	// Whole is true when the export contains every stream, so that a missing stream has been
	// removed.
	Whole bool `json:"whole,omitempty"`

	Note   string       `json:"note,omitempty"`
	Leaves []exportLeaf `json:"leaves,omitempty"`

	Stream domain.ID `json:"stream,omitzero"`
	Seq    int64     `json:"seq,omitempty"`
	Hash   string    `json:"hash,omitempty"`

	Event  *exportEvent   `json:"event,omitempty"`
	Rows   *exportRows    `json:"rows,omitempty"`
	Access []exportAccess `json:"access,omitempty"`

	Streams int64 `json:"streams,omitempty"`
	Events  int64 `json:"events,omitempty"`
}

// exportEvent stores markings and body as text, because the hash covers their exact bytes.
type exportEvent struct {
	Type          domain.EventType `json:"type"`
	SchemaVersion int              `json:"schemaVersion"`
	Actor         domain.ID        `json:"actor"`
	OnBehalfOf    domain.ID        `json:"onBehalfOf,omitzero"`
	CorrelationID string           `json:"correlationId"`
	At            int64            `json:"at"`
	StatusBefore  domain.Status    `json:"statusBefore"`
	StatusAfter   domain.Status    `json:"statusAfter"`
	MarkingBefore string           `json:"markingBefore"`
	MarkingAfter  string           `json:"markingAfter"`
	PrevHash      string           `json:"prevHash"`
	BodyHash      string           `json:"bodyHash"`
	Salt          string           `json:"salt,omitempty"`
	Body          string           `json:"body,omitempty"`
}

// Exporter writes an export. Checkpoints precede streams. Close writes the counts, without which
// the export is incomplete.
type Exporter struct {
	out     *bufio.Writer
	encoder *json.Encoder
	streams int64
	events  int64
}

// NewExporter starts an export of the log named origin; whole declares that it will contain every
// stream.
func NewExporter(out io.Writer, origin string, at time.Time, whole bool) (*Exporter, error) {
	buffered := bufio.NewWriter(out)
	e := &Exporter{out: buffered, encoder: json.NewEncoder(buffered)}
	e.encoder.SetEscapeHTML(false)
	return e, e.write(exportLine{Kind: kindHeader, Format: ExportFormat, Origin: origin,
		At: at.UnixMicro(), Whole: whole})
}

func (e *Exporter) write(line exportLine) error {
	if err := e.encoder.Encode(line); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}

// Checkpoint writes the next checkpoint with all its leaves, including those of streams that are
// not exported, because the root covers all of them.
func (e *Exporter) Checkpoint(sealed SealedCheckpoint) error {
	for leaves := range slices.Chunk(sealed.Leaves, maxLineItems) {
		line := exportLine{Kind: kindLeaves}
		for _, leaf := range leaves {
			line.Leaves = append(line.Leaves, leafLine(leaf))
		}
		if err := e.write(line); err != nil {
			return err
		}
	}
	return e.write(exportLine{Kind: kindCheckpoint, Note: string(sealed.Note)})
}

// Stream writes all events of a stream, its rows if it is a case, and the head on record for it.
func (e *Exporter) Stream(stream domain.ID, onRecord ChainHead,
	events iter.Seq2[*domain.Event, error], rows *StreamRows) error {
	for event, err := range events {
		if err != nil {
			return fmt.Errorf("export stream %s: %w", stream, err)
		}
		line := eventLine(event)
		if err := e.write(line); err != nil {
			return err
		}
		e.events++
	}
	e.streams++
	if rows != nil {
		if err := e.write(exportLine{Kind: kindRows, Stream: stream, Rows: rowsLine(rows)}); err != nil {
			return err
		}
	}
	return e.write(exportLine{Kind: kindHead, Stream: stream, Seq: onRecord.Seq,
		Hash: hex.EncodeToString(onRecord.Hash)})
}

// Access writes the access log in the order of the feed.
func (e *Exporter) Access(lines []AccessLine) error {
	for part := range slices.Chunk(lines, maxLineItems) {
		out := exportLine{Kind: kindAccess}
		for i := range part {
			out.Access = append(out.Access, accessLine(&part[i]))
		}
		if err := e.write(out); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the counts.
func (e *Exporter) Close() error {
	if err := e.write(exportLine{Kind: kindEnd, Streams: e.streams, Events: e.events}); err != nil {
		return err
	}
	if err := e.out.Flush(); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}

func eventLine(event *domain.Event) exportLine {
	return exportLine{Kind: kindEvent, Stream: event.Stream, Seq: event.Seq,
		Hash: hex.EncodeToString(event.Hash), Event: &exportEvent{
			Type: event.Type, SchemaVersion: event.SchemaVersion, Actor: event.Actor,
			OnBehalfOf: event.OnBehalfOf, CorrelationID: event.CorrelationID,
			At: event.At.UnixMicro(), StatusBefore: event.StatusBefore,
			StatusAfter: event.StatusAfter, MarkingBefore: event.MarkingBefore,
			MarkingAfter: event.MarkingAfter, PrevHash: hex.EncodeToString(event.PrevHash),
			BodyHash: hex.EncodeToString(event.BodyHash), Salt: hex.EncodeToString(event.Salt),
			Body: string(event.Body)}}
}

// toEvent converts a line back into the event that it was created from.
func (l exportLine) toEvent() (*domain.Event, error) {
	if l.Event == nil {
		return nil, fmt.Errorf("the line has no event")
	}
	var hashes [4][]byte
	for i, text := range []string{l.Hash, l.Event.PrevHash, l.Event.BodyHash, l.Event.Salt} {
		hash, err := hex.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("a hash is not in hex: %w", err)
		}
		hashes[i] = hash
	}
	return &domain.Event{Stream: l.Stream, Seq: l.Seq, Type: l.Event.Type,
		SchemaVersion: l.Event.SchemaVersion, Actor: l.Event.Actor, OnBehalfOf: l.Event.OnBehalfOf,
		CorrelationID: l.Event.CorrelationID, At: time.UnixMicro(l.Event.At).UTC(),
		StatusBefore: l.Event.StatusBefore, StatusAfter: l.Event.StatusAfter,
		MarkingBefore: l.Event.MarkingBefore, MarkingAfter: l.Event.MarkingAfter, Hash: hashes[0],
		PrevHash: hashes[1], BodyHash: hashes[2], Salt: hashes[3], Body: []byte(l.Event.Body)}, nil
}

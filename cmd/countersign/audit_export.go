package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// auditExport writes the log.
type auditExport struct {
	To string `arg:"" type:"path" help:"File to write. It must not exist yet."`
}

// exportBatch is how many heads, checkpoints or events one read returns.
const exportBatch = 500

// Run exports every stream.
func (e *auditExport) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	file, err := os.OpenFile(filepath.Clean(e.To), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return domain.Invalid("to", "The file %s already exists.", e.To).
			WithRemedy("Choose another name, or remove the file.")
	}
	if err != nil {
		return domain.Invalid("to", "The file %s cannot be created: %v.", e.To,
			cmp.Or(errors.Unwrap(err), err))
	}
	streams, err := exportAll(ctx, o.db.Reader(), file)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(e.To) // an incomplete export would only keep the next one from its name
		return fmt.Errorf("export to %s: %w", e.To, err)
	}
	return c.printDone(map[string]any{"streams": streams, "file": e.To}, "%s exported to %s",
		countText(int64(streams), "stream"), e.To)
}

// exportAll writes the checkpoints of the newest log, then all streams, then the access log. What is
// written while it reads is later than the checkpoints.
func exportAll(ctx context.Context, reader store.Reader, to io.Writer) (streams int, err error) {
	now, err := reader.Clock(ctx)
	if err != nil {
		return 0, err
	}
	logs, err := reader.CheckpointLogs(ctx)
	if err != nil {
		return 0, err
	}
	log := store.CheckpointLog{Origin: "countersign"}
	if len(logs) > 0 {
		log = logs[len(logs)-1]
	}
	exporter, err := audit.NewExporter(to, log.Origin, now, true)
	if err != nil {
		return 0, err
	}
	if err := exportCheckpoints(ctx, reader, log.ID, exporter); err != nil {
		return 0, err
	}
	if streams, err = exportStreams(ctx, reader, exporter); err != nil {
		return streams, err
	}
	if err := exportAccess(ctx, reader, exporter); err != nil {
		return streams, err
	}
	return streams, exporter.Close()
}

func exportCheckpoints(ctx context.Context, reader store.Reader, log int16,
	exporter *audit.Exporter) error {
	for after := int64(0); ; {
		page, err := reader.CheckpointsAfter(ctx, log, after, exportBatch)
		if err != nil {
			return err
		}
		for _, stored := range page {
			leaves, err := reader.CheckpointLeaves(ctx, log, after, int(stored.Size-after))
			if err != nil {
				return err
			}
			if err := exporter.Checkpoint(audit.SealedCheckpoint{Note: []byte(stored.Note),
				Leaves: leaves}); err != nil {
				return err
			}
			after = stored.Size
		}
		if len(page) < exportBatch {
			return nil
		}
	}
}

func exportStreams(ctx context.Context, reader store.Reader, exporter *audit.Exporter) (streams int,
	err error) {
	for after := domain.NoID; ; {
		heads, err := reader.Heads(ctx, after, exportBatch)
		if err != nil || len(heads) == 0 {
			return streams, err
		}
		for _, head := range heads {
			var rows *audit.StreamRows
			if head.Case {
				if rows, err = rowsOf(ctx, reader, &head); err != nil {
					return streams, err
				}
			}
			if err := exporter.Stream(head.Stream, audit.ChainHead{Seq: head.Seq, Hash: head.Hash},
				eventsUpTo(ctx, reader, head), rows); err != nil {
				return streams, err
			}
			streams++
		}
		after = heads[len(heads)-1].Stream
	}
}

// maxRowReads bounds how often the rows of a case that changes meanwhile are read.
const maxRowReads = 20

// rowsOf reads the rows of a case and the head to which they belong: the rows change only together
// with the head, so the head must be the same before and after.
func rowsOf(ctx context.Context, reader store.Reader, head *store.StreamHead) (*audit.StreamRows,
	error) {
	for range maxRowReads {
		before, err := reader.Case(ctx, head.Stream)
		if err != nil {
			return nil, err
		}
		marking, err := before.Marking.Canonical()
		if err != nil {
			return nil, err
		}
		rows := &audit.StreamRows{CaseRows: audit.CaseRows{Status: before.Status,
			Marking: string(marking)}}
		if rows.Decisions, err = reader.Decisions(ctx, head.Stream); err != nil {
			return nil, err
		}
		if rows.Votes, err = reader.VotesOfCases(ctx, head.Stream); err != nil {
			return nil, err
		}
		if rows.Assertions, err = reader.Assertions(ctx, head.Stream); err != nil {
			return nil, err
		}
		after, err := reader.Case(ctx, head.Stream)
		if err != nil {
			return nil, err
		}
		if after.LastSeq == before.LastSeq {
			head.Seq, head.Hash = after.LastSeq, after.HeadHash
			return rows, nil
		}
	}
	return nil, domain.Errorf(domain.Busy, "Case %s changes too often to be exported.", head.Name).
		WithRemedy("Try again.")
}

func exportAccess(ctx context.Context, reader store.Reader, exporter *audit.Exporter) error {
	end, err := reader.FeedEnd(ctx)
	if err != nil {
		return err
	}
	for after := (domain.FeedPosition{}); ; {
		lines, err := reader.AccessRange(ctx, after, end, exportBatch)
		if err != nil {
			return err
		}
		if err := exporter.Access(lines); err != nil {
			return err
		}
		if len(lines) < exportBatch {
			return nil
		}
		after = lines[len(lines)-1].Position
	}
}

// eventsUpTo reads the events of a stream up to the given head.
func eventsUpTo(ctx context.Context, reader store.Reader,
	head store.StreamHead) iter.Seq2[*domain.Event, error] {
	return func(yield func(*domain.Event, error) bool) {
		for after := int64(0); after < head.Seq; {
			reading, err := reader.EventsAfter(ctx, head.Stream, after, exportBatch)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range reading.Events {
				event := &reading.Events[i]
				if event.Seq > head.Seq || !yield(event, nil) {
					return
				}
				after = event.Seq
			}
			if len(reading.Events) == 0 {
				return
			}
		}
	}
}

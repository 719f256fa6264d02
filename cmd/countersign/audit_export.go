package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// exportBatch is how many heads or lines of the access log one read returns.
const exportBatch = 500

// Run exports every stream.
func (e *auditExport) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	file, err := createNew(e.To)
	if err != nil {
		return err
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

// createNew creates a file that only its owner may read. It must not exist yet.
func createNew(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, domain.Invalid("to", "The file %s already exists.", path).
			WithRemedy("Choose another name, or remove the file.")
	}
	if err != nil {
		return nil, domain.Invalid("to", "The file %s cannot be created: %v.", path,
			cmp.Or(errors.Unwrap(err), err))
	}
	return file, nil
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
	for sealed, err := range reader.SealedCheckpoints(ctx, log.ID) {
		if err == nil {
			err = exporter.Checkpoint(sealed)
		}
		if err != nil {
			return 0, err
		}
	}
	if streams, err = exportStreams(ctx, reader, exporter); err != nil {
		return streams, err
	}
	if err := exportAccess(ctx, reader, exporter); err != nil {
		return streams, err
	}
	return streams, exporter.Close()
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
				if head, rows, err = reader.CaseRecord(ctx, head.Stream); err != nil {
					return streams, err
				}
			}
			if err := exporter.Stream(head.Stream, audit.ChainHead{Seq: head.Seq, Hash: head.Hash},
				reader.EventsUpTo(ctx, head), rows); err != nil {
				return streams, err
			}
			streams++
		}
		after = heads[len(heads)-1].Stream
	}
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

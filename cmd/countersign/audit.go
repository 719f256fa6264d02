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
	"strings"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

// auditCommands verify and export the log.
type auditCommands struct {
	Verify auditVerify `cmd:"" default:"withargs" help:"Verify every hash chain, and report the first altered event of each broken one."`
	Export auditExport `cmd:"" help:"Export the log to a file that can be verified without the database."`
}

// auditVerify verifies the hash chains.
type auditVerify struct {
	File string `type:"existingfile" help:"Verify an export instead of the database."`
	Case string `help:"Verify only the case with this reference."`
}

// Validate refuses a case together with a file, of which every stream is verified. Kong calls it.
func (v *auditVerify) Validate() error {
	if v.File != "" && v.Case != "" {
		return domain.Invalid("case", "The options --file and --case cannot be used together.")
	}
	return nil
}

// Run verifies.
func (v *auditVerify) Run(ctx context.Context, c *console) error {
	if v.File != "" {
		return v.offline(c)
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	only := domain.NoID
	if v.Case != "" {
		found, err := o.db.Reader().CaseByReference(ctx, strings.ToUpper(v.Case))
		if domain.HasCode(err, domain.NotFound) {
			return caseNotFound(v.Case)
		}
		if err != nil {
			return err
		}
		only = found.ID
	}
	verdict, err := views.New(o.db.Reader(), o.service.Authorizer).Verify(ctx, only)
	if err != nil {
		return err
	}
	result := verificationResult{Streams: verdict.Streams, Cases: verdict.Cases,
		Events: verdict.Events, Broken: []brokenStream{}}
	for _, problem := range verdict.Problems {
		result.Broken = append(result.Broken, brokenStream{problem.Reference, problem.Seq,
			problem.Message})
	}
	return result.printTo(c)
}

// verificationResult counts the intact streams and lists the first altered event of each broken
// one.
type verificationResult struct {
	Streams, Cases, Events int64 // cases are among the streams
	Broken                 []brokenStream
}

type brokenStream struct {
	Name    string // a case's reference, or a stream
	Seq     int64
	Message string
}

func (v verificationResult) printTo(c *console) error {
	if c.json {
		if err := c.printJSON(v); err != nil {
			return err
		}
	} else {
		c.printLine("%s in %s, %s of them cases, verified", countText(v.Events, "event"),
			countText(v.Streams, "stream"), fmt.Sprint(v.Cases))
		for _, b := range v.Broken {
			c.printLine("BROKEN  %s at event %d: %s", b.Name, b.Seq, b.Message)
		}
	}
	if len(v.Broken) > 0 {
		return exitStatus(exitFailed)
	}
	return nil
}

func countText(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (v *auditVerify) offline(c *console) error {
	file, err := os.Open(filepath.Clean(v.File))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	report, err := audit.VerifyExport(file, nil)
	if err != nil {
		return err
	}
	result := verificationResult{Streams: report.Streams, Cases: report.Cases,
		Events: report.Events,
		Broken: []brokenStream{}}
	for _, found := range report.Breaks {
		name := "the log"
		if found.Stream != domain.NoID {
			name = found.Stream.String()
		}
		result.Broken = append(result.Broken, brokenStream{name, found.Seq, found.Message})
	}
	return result.printTo(c)
}

// auditExport writes the log.
type auditExport struct {
	To string `arg:"" type:"path" help:"File to write. It must not exist yet."`
}

// exportBatch is how many heads or events one read returns.
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

func exportAll(ctx context.Context, reader store.Reader, to io.Writer) (streams int, err error) {
	now, err := reader.Clock(ctx)
	if err != nil {
		return 0, err
	}
	exporter, err := audit.NewExporter(to, "countersign", now, true)
	if err != nil {
		return 0, err
	}
	for after := domain.NoID; ; {
		heads, err := reader.Heads(ctx, after, exportBatch)
		if err != nil {
			return streams, err
		}
		if len(heads) == 0 {
			return streams, exporter.Close()
		}
		for _, head := range heads {
			if err := exporter.Stream(head.Stream, audit.ChainHead{Seq: head.Seq, Hash: head.Hash},
				eventsUpTo(ctx, reader, head)); err != nil {
				return streams, err
			}
			streams++
		}
		after = heads[len(heads)-1].Stream
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

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/version"
)

// The exit codes, which scripts rely on.
const (
	exitDone      = 0 // done; of a followed case: archived
	exitFailed    = 1
	exitRejected  = 2
	exitIncident  = 3
	exitWaiting   = 4 // for a person: in review, returned
	exitAbandoned = 5
	exitUsage     = 64
)

// console holds the settings of a command and writes its output.
type console struct {
	out, errs io.Writer
	clock     domain.Clock
	settings  config.Config
	json      bool
	mu        sync.Mutex // several followed cases print concurrently
}

// exitStatus is an exit code that reports the state of a case, not a failure.
type exitStatus int

// Error makes exitStatus an error; it is never printed.
func (e exitStatus) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// printError prints the error as a sentence with its remedy, and returns the exit code.
func (c *console) printError(err error) int {
	var outcome exitStatus
	var known *domain.Error
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &outcome):
		return int(outcome)
	case errors.As(err, &known):
		text := known.Message
		if text == "" {
			text = string(known.Code)
		}
		c.printNote("countersign: %s", strings.TrimSpace(withFullStop(text)+" "+known.Remedy))
		if known.Err != nil && known.Code.Kind() != domain.KindInvalid {
			c.printNote("  cause: %v", known.Err)
		}
		if known.Code == domain.InvalidInput && known.Op != serverErrorOp {
			return exitUsage
		}
	default:
		c.printNote("countersign: %v", err)
	}
	return exitFailed
}

// withFullStop adds a full stop to a sentence without one.
func withFullStop(sentence string) string {
	if sentence == "" || strings.ContainsAny(sentence[len(sentence)-1:], ".!?:") {
		return sentence
	}
	return sentence + "."
}

// printUsage prints why the arguments are invalid.
func (c *console) printUsage(err error) int {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = unreadableError(path)
	} else if name, folder := strings.CutSuffix(err.Error(),
		" exists but is a directory"); folder { // the message of kong
		err = domain.Invalid("file", "%s is a folder, not a file.",
			name[strings.LastIndex(name, ": ")+len(": "):])
	}
	c.printError(err)
	c.printNote("Try: countersign --help")
	return exitUsage
}

// unreadableError is the sentence for a file argument that cannot be read.
func unreadableError(path *fs.PathError) error {
	switch {
	case errors.Is(path, fs.ErrNotExist):
		return domain.Invalid("file", "The file %s does not exist.", path.Path)
	case errors.Is(path, fs.ErrPermission):
		return domain.Invalid("file", "You do not have permission to read the file %s.", path.Path)
	}
	return domain.Invalid("file", "The file %s cannot be read: %v", path.Path, path.Err)
}

// printLine prints a line to the output.
func (c *console) printLine(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.out, format+"\n", args...)
}

// printNote prints a line to the error output.
func (c *console) printNote(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.errs, format+"\n", args...)
}

// printJSON writes the value as one line of JSON, with the keys in camel case as in the API.
func (c *console) printJSON(value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(camelKeys(text.Bytes()))
	return err
}

// printTable prints rows under their headings, or the value as JSON if --json is set.
func (c *console) printTable(value any, headings []string, rows [][]string) error {
	if c.json {
		return c.printJSON(value)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(rows) == 0 {
		_, err := fmt.Fprintln(c.out, "none")
		return err
	}
	writer := tabwriter.NewWriter(c.out, 0, 4, 2, ' ', 0)
	for _, row := range append([][]string{headings}, rows...) {
		for i, cell := range row {
			row[i] = printable(cell)
		}
		if _, err := fmt.Fprintln(writer, strings.TrimRight(strings.Join(row, "\t"),
			"\t ")); err != nil {
			return err
		}
	}
	return writer.Flush()
}

// printDone prints the outcome of a change: the value as JSON if --json is set, otherwise the line.
func (c *console) printDone(value any, format string, args ...any) error {
	if c.json {
		return c.printJSON(value)
	}
	c.printLine(format, args...)
	return nil
}

// printable replaces control characters, so that text from documents cannot control the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) ||
			(r >= 0x2066 && r <= 0x2069) {
			return ' '
		}
		return r
	}, text)
}

// orDash returns a dash for an empty cell.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// versionCommand prints the version.
type versionCommand struct{}

// Run prints the version. Server and worker of the same build report the same one.
func (versionCommand) Run(c *console) error {
	if c.json {
		return c.printJSON(map[string]string{"version": version.Number, "go": runtime.Version(),
			"platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	c.printLine("%s", version.Line("countersign"))
	return nil
}

// settingsCommand lists the settings.
type settingsCommand struct{}

// Run prints name, default and meaning of every setting.
func (settingsCommand) Run(c *console) error {
	rows := [][]string{}
	for _, s := range config.Settings() {
		rows = append(rows, []string{s.Name, orDash(s.Default), s.Doc})
	}
	return c.printTable(config.Settings(), []string{"NAME", "DEFAULT", "MEANING"}, rows)
}

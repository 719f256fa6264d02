package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"text/tabwriter"

	"countersign/domain"
	"countersign/internal/config"
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

// console is where a command reads its settings and writes its answer.
type console struct {
	out, errs io.Writer
	clock     domain.Clock
	settings  config.Config
	json      bool
	mu        sync.Mutex // several followed cases print to one terminal
}

// ended is an exit code that is no failure: it says how a case stands.
type ended int

// Error makes ended travel as an error; nothing is printed of it.
func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// fail prints what went wrong as a sentence with its way out, and returns the exit code.
func (c *console) fail(err error) int {
	var outcome ended
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
		c.note("countersign: %s", strings.TrimSpace(closed(text)+" "+known.WayOut))
		if known.Err != nil && known.Code.Kind() != domain.KindInvalid {
			c.note("  cause: %v", known.Err)
		}
		if known.Code == domain.InvalidInput && known.Op != answered {
			return exitUsage
		}
	default:
		c.note("countersign: %v", err)
	}
	return exitFailed
}

// closed ends a sentence that has no full stop.
func closed(sentence string) string {
	if sentence == "" || strings.ContainsAny(sentence[len(sentence)-1:], ".!?:") {
		return sentence
	}
	return sentence + "."
}

// usage prints how the command was called wrongly.
func (c *console) usage(err error) int {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = unreadable(path)
	} else if name, folder := strings.CutSuffix(err.Error(), " exists but is a directory"); folder { // kong's words
		err = domain.Invalid("file", "%s is a folder, not a file.", name[strings.LastIndex(name, ": ")+len(": "):])
	}
	c.fail(err)
	c.note("Try: countersign --help")
	return exitUsage
}

// unreadable says in a sentence why a file that was named cannot be used.
func unreadable(path *fs.PathError) error {
	switch {
	case errors.Is(path, fs.ErrNotExist):
		return domain.Invalid("file", "There is no file %s.", path.Path)
	case errors.Is(path, fs.ErrPermission):
		return domain.Invalid("file", "The file %s may not be read by this user.", path.Path)
	}
	return domain.Invalid("file", "The file %s cannot be read: %v", path.Path, path.Err)
}

// say prints a line of the answer.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.out, format+"\n", args...)
}

// note prints a line beside the answer.
func (c *console) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.errs, format+"\n", args...)
}

// print writes the value as one line of JSON, its keys written as the API writes them.
func (c *console) print(value any) error {
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

// table prints rows under their headings, or value as JSON if that was asked for.
func (c *console) table(value any, headings []string, rows [][]string) error {
	if c.json {
		return c.print(value)
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
		if _, err := fmt.Fprintln(writer, strings.TrimRight(strings.Join(row, "\t"), "\t ")); err != nil {
			return err
		}
	}
	return writer.Flush()
}

// printable keeps what strangers wrote on documents from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) {
			return ' '
		}
		return r
	}, text)
}

// dash stands for nothing in a table.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// settingsCommand lists the settings.
type settingsCommand struct{}

// Run prints name, default and meaning of every setting.
func (settingsCommand) Run(c *console) error {
	rows := [][]string{}
	for _, s := range config.Settings() {
		rows = append(rows, []string{s.Name, dash(s.Default), s.Doc})
	}
	return c.table(config.Settings(), []string{"NAME", "DEFAULT", "MEANING"}, rows)
}

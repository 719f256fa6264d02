package main

import (
	"context"
	"fmt"
	"strings"

	"countersign/domain"
)

// noteCommands read and write notes about cases, and watch cases.
type noteCommands struct {
	List     noteList     `cmd:"" default:"withargs" help:"List the newest notes about a case that you may read, oldest first."`
	Add      noteAdd      `cmd:"" help:"Add a note to a case."`
	Withdraw noteWithdraw `cmd:"" help:"Withdraw your note. Its readers see that it was withdrawn."`
	Watch    noteWatch    `cmd:"" help:"Get notices about a case."`
	Unwatch  noteUnwatch  `cmd:"" help:"Get no more notices about a case."`
}

// noteList lists notes.
type noteList struct {
	Case string `arg:"" help:"Reference or id of the case."`
	Last int    `default:"50" help:"Maximum number of notes."`
}

// Run prints the list.
func (l *noteList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, l.Case)
	if err != nil {
		return err
	}
	answer, err := notesOf(ctx, client, found.Id, l.Last)
	if err != nil {
		return err
	}
	if answer.Case == nil {
		return caseNotFound(l.Case)
	}
	rows := [][]string{}
	for _, n := range answer.Case.Notes.Nodes {
		text := strings.Join(strings.Fields(n.Text), " ")
		if n.WithdrawnAt != nil {
			text = "(withdrawn)"
		}
		var files []string
		for _, file := range n.Attachments {
			files = append(files, file.Name)
		}
		rows = append(rows, []string{n.Id, localTime(n.At), n.Author.String(),
			strings.ToLower(n.Audience), orDash(strings.Join(files, ", ")), text})
	}
	if answer.Case.Notes.HasEarlier {
		c.printNote("there are earlier notes; raise --last to see them")
	}
	return c.printTable(answer.Case.Notes.Nodes, []string{"NOTE", "AT", "AUTHOR", "READERS", "FILES", "TEXT"},
		rows)
}

// noteAdd adds a note.
type noteAdd struct {
	Case    string   `arg:"" help:"Reference or id of the case."`
	Text    string   `arg:"" help:"Text of the note, up to 4,000 characters."`
	For     string   `help:"Who may read it: everyone, reviewers or aml. Default: reviewers, or everyone for submitters." enum:"everyone,reviewers,aml," default:""`
	Mention []string `help:"Names of people who get a notice."`
	Attach  string   `type:"existingfile" help:"A file to attach."`
}

// Run adds it.
func (a *noteAdd) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, a.Case)
	if err != nil {
		return err
	}
	audience := strings.ToUpper(a.For)
	mentions, err := a.mentions(ctx, client, found.Id, audience)
	if err != nil {
		return err
	}
	var done noteResult
	if a.Attach == "" {
		answer, sendErr := addNote(ctx, client, found.Id, a.Text, audience, mentions, newKey())
		if err = sendErr; err == nil {
			done = answer.Done
		}
	} else {
		answer, sendErr := addNoteWithFile(ctx, client, found.Id, a.Text, upload(a.Attach), audience, mentions,
			newKey())
		if err = sendErr; err == nil {
			done = answer.Done
		}
	}
	if err == nil {
		err = refused(done.UserErrors)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"case": found.Id, "reference": found.Reference, "note": done.NoteId})
	}
	c.printLine("%s  note added", found.Reference)
	return nil
}

// mentions returns the ids of the people with the names, who must be among the readers of the note.
func (a *noteAdd) mentions(ctx context.Context, client *api, caseID, audience string) ([]string, error) {
	if len(a.Mention) == 0 {
		return nil, nil
	}
	if audience == "" {
		answer, err := noteAudiences(ctx, client, caseID)
		if err != nil {
			return nil, err
		}
		if answer.Case == nil || len(answer.Case.Notes.Writes) == 0 {
			return nil, domain.Errorf(domain.NotPermitted, "You cannot write notes about this case.")
		}
		audience = answer.Case.Notes.Writes[0]
	}
	var ids []string
	for _, name := range a.Mention {
		answer, err := noteReaders(ctx, client, caseID, audience, name)
		if err != nil {
			return nil, err
		}
		var found []string
		for _, reader := range answer.NoteReaders {
			if strings.EqualFold(reader.Name, name) {
				found = append(found, reader.Id)
			}
		}
		if len(found) != 1 {
			return nil, domain.Invalid("mention", "%s", fmt.Sprintf(
				"%d people named %s can read this note.", len(found), printable(name)))
		}
		ids = append(ids, found[0])
	}
	return ids, nil
}

// noteWithdraw withdraws a note.
type noteWithdraw struct {
	Note string `arg:"" help:"Id of the note."`
}

// Run withdraws it.
func (w *noteWithdraw) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := withdrawNote(ctx, client, w.Note, newKey())
	if err == nil {
		err = refused(answer.Done.UserErrors)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"note": w.Note, "withdrawn": true})
	}
	c.printLine("note withdrawn")
	return nil
}

// noteWatch starts a watch.
type noteWatch struct {
	Case string `arg:"" help:"Reference or id of the case."`
}

// Run starts it.
func (w *noteWatch) Run(ctx context.Context, c *console) error {
	return c.watchNotices(ctx, w.Case, true)
}

// noteUnwatch ends a watch.
type noteUnwatch struct {
	Case string `arg:"" help:"Reference or id of the case."`
}

// Run ends it.
func (w *noteUnwatch) Run(ctx context.Context, c *console) error {
	return c.watchNotices(ctx, w.Case, false)
}

func (c *console) watchNotices(ctx context.Context, name string, watch bool) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, name)
	if err != nil {
		return err
	}
	answer, err := setWatched(ctx, client, found.Id, watch, newKey())
	if err == nil {
		err = refused(answer.Done.UserErrors)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"case": found.Id, "reference": found.Reference, "watched": watch})
	}
	c.printLine("%s  %s", found.Reference, map[bool]string{true: "watched", false: "not watched"}[watch])
	return nil
}

package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"countersign/audit"
	"countersign/domain"
)

// Folder keeps each checkpoint in a file, in one folder per day: 2026-11-27/00000000000000012345.note.
// A file is written once. The names sort by day and by number of leaves.
type Folder struct{ path string }

// noteSuffix ends the names of files with checkpoints.
const noteSuffix = ".note"

// OpenFolder returns a folder, which it creates if it is missing.
func OpenFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, domain.Errorf(domain.Unavailable,
			"The folder of checkpoints cannot be created.").WithCause(err)
	}
	return &Folder{path}, nil
}

// Name implements Place.
func (*Folder) Name() string { return "folder" }

// noteName is the name of a checkpoint in a folder or a bucket.
func noteName(c audit.Checkpoint) string {
	return fmt.Sprintf("%s/%020d%s", c.At.Format("2006-01-02"), c.Size, noteSuffix)
}

// Keep implements Place.
func (f *Folder) Keep(ctx context.Context, given audit.Checkpoint, note []byte, prove Prove) (string,
	error) {
	newest, err := f.Newest()
	if err != nil {
		return "", err
	}
	if newest != nil {
		kept, err := audit.ParseNote(newest)
		if err != nil {
			return "", damaged("the folder", err)
		}
		if has, err := continues(ctx, "the folder", kept, given, prove); has || err != nil {
			return "", err
		}
	}
	return "", f.write(noteName(given), note)
}

func damaged(place string, cause error) error {
	return domain.Errorf(domain.DamagedFile, "The newest checkpoint in %s cannot be read.", place).
		WithRemedy("Restore it from a copy. Do not delete it: earlier checkpoints would prove less.").
		WithCause(cause)
}

// write writes a new file; one that exists is never replaced.
func (f *Folder) write(name string, note []byte) error {
	path := filepath.Join(f.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return unwritable(err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return unwritable(err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.Write(note)
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close(), os.Chmod(temporary.Name(), 0o444)); err == nil {
		err = os.Link(temporary.Name(), path) // fails if the file exists
	}
	if err != nil {
		return unwritable(err)
	}
	return nil
}

func unwritable(cause error) error {
	return domain.Errorf(domain.Unavailable, "The checkpoint cannot be written to the folder.").
		WithCause(cause)
}

// names returns the names of all checkpoints of the newest days, the newest last.
func (f *Folder) names(days int) ([]string, error) {
	folders, err := os.ReadDir(f.path)
	if err != nil {
		return nil, unreadable(err)
	}
	var names []string
	for _, day := range slices.Backward(folders) {
		if !day.IsDir() || days == 0 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(f.path, day.Name()))
		if err != nil {
			return nil, unreadable(err)
		}
		var ofDay []string
		for _, file := range files {
			if strings.HasSuffix(file.Name(), noteSuffix) {
				ofDay = append(ofDay, filepath.Join(day.Name(), file.Name()))
			}
		}
		if len(ofDay) > 0 {
			names, days = append(ofDay, names...), days-1
		}
	}
	return names, nil
}

func unreadable(cause error) error {
	return domain.Errorf(domain.Unavailable, "The checkpoints in the folder cannot be read.").
		WithCause(cause)
}

// Newest returns the newest checkpoint, nil if there is none.
func (f *Folder) Newest() ([]byte, error) {
	names, err := f.names(1)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return f.read(names[len(names)-1])
}

func (f *Folder) read(name string) ([]byte, error) {
	note, err := os.ReadFile(filepath.Join(f.path, filepath.Clean(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(err)
	}
	return note, nil
}

// Notes implements Place: it returns the checkpoints of the newest day and the last one of each
// earlier day, which each cover everything before.
func (f *Folder) Notes(context.Context) ([]audit.ExternalNote, error) {
	names, err := f.names(-1)
	if err != nil {
		return nil, err
	}
	var notes []audit.ExternalNote
	for _, name := range proving(names) {
		note, err := f.read(name)
		if err != nil {
			return nil, err
		}
		notes = append(notes, audit.ExternalNote{Place: "the folder (" + filepath.ToSlash(name) + ")", Note: note})
	}
	return notes, nil
}

// proving returns of sorted names those of the newest day and the last one of each other day.
func proving(names []string) []string {
	dayOf := func(name string) string { return name[:strings.IndexAny(name, `/\`)] }
	var kept []string
	for i, name := range names {
		if i == len(names)-1 || dayOf(name) != dayOf(names[i+1]) ||
			dayOf(name) == dayOf(names[len(names)-1]) {
			kept = append(kept, name)
		}
	}
	return kept
}

// Command land appends a line to events/landed.lock for every contract that is new or has new
// fields. Run it when a change lands (`make events-land`). It fails if a landed contract was
// changed in any other way.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"countersign/events"
)

func main() {
	path := flag.String("lock", "events/landed.lock", "the lock file")
	flag.Parse()
	if err := updateLock(*path); err != nil {
		fmt.Fprintln(os.Stderr, "land:", err)
		os.Exit(1)
	}
}

func updateLock(path string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the lock: %w", err)
	}
	grown, err := events.UpdateLock(text, events.Contracts())
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, grown, 0o644); err != nil {
		return fmt.Errorf("write the lock: %w", err)
	}
	return nil
}

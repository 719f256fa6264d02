package devservices

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"countersign/domain"
)

// quietDirTries is how many regions of the file system are tried, and calmFiles how many files are
// made in each.
const (
	quietDirTries = 8
	quietDirFiles = 20
)

// QuietDir makes a folder in dir where making a file is as cheap as possible: Spread separates
// folders, but not from places where files were just deleted. A bench puts there what it makes by
// the thousand.
func QuietDir(dir string) (string, error) {
	SpreadSubdirectories(dir)
	best, least := "", time.Duration(0)
	for i := range quietDirTries {
		folder := filepath.Join(dir, "calm-"+strconv.Itoa(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return "", fmt.Errorf("calm folder: %w", err)
		}
		spent, err := timeFileCreation(folder)
		if err != nil {
			return "", fmt.Errorf("calm folder: %w", err)
		}
		other := folder
		if best == "" || spent < least {
			best, least, other = folder, spent, best
		}
		if other == "" {
			continue
		}
		defer func() { _ = os.Remove(other) }() // at the end: until then its region counts as taken
	}
	return best, nil
}

// timeFileCreation measures how long it takes to make a few files in the folder, which is empty
// afterwards.
func timeFileCreation(folder string) (time.Duration, error) {
	clock := domain.SystemClock{}
	begun := clock.Now()
	for i := range quietDirFiles {
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(i)), nil, 0o600); err != nil {
			return 0, err
		}
	}
	spent := clock.Now().Sub(begun)
	for i := range quietDirFiles {
		if err := os.Remove(filepath.Join(folder, strconv.Itoa(i))); err != nil {
			return 0, err
		}
	}
	return spent, nil
}

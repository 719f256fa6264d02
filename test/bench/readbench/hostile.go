package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
)

// fileTimeout is how long one hostile file may take to be read or refused.
const fileTimeout = 60 * time.Second

// runHostile reads every file below the folder: each must be read or end as a typed error in time,
// leaving nothing.
func runHostile(ctx context.Context, reader *ocr.Reader, folder string) error {
	count, failed := map[string]int{}, 0
	slowest, files := time.Duration(0), 0
	folder, err := filepath.EvalSymlinks(folder) // WalkDir does not follow a linked root
	if err != nil {
		return err
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".py" ||
			entry.Name() == "MANIFEST.tsv" {
			return err
		}
		files++
		begin := time.Now()
		reading, err := reader.ReadFile(ctx, path, ocr.Request{CorrelationID: entry.Name()})
		spent := time.Since(begin)
		slowest = max(slowest, spent)
		end := "read"
		if err == nil {
			end = fmt.Sprintf("read, %d pages", len(reading.Pages))
			count["read"]++
			reading.Close()
		} else {
			var typed *domain.Error
			if !errors.As(err, &typed) {
				failed++
				end = "UNTYPED " + err.Error()
			} else {
				end = string(typed.Code) + ": " + typed.Message
				count[string(typed.Code)]++
			}
		}
		if left := leftovers(reader); left != "" {
			failed++
			end += " LEFT " + left
		}
		if spent > fileTimeout {
			failed++
			end += " TOO SLOW"
		}
		fmt.Printf("%6.2f s  %-60s %s\n", spent.Seconds(), entry.Name(), end)
		return nil
	})
	fmt.Printf("\n%v, slowest %.1f s, %d failed\n", count, slowest.Seconds(), failed)
	if err == nil && files == 0 {
		err = fmt.Errorf("%s has no files", folder)
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d hostile files ended badly", failed)
	}
	return err
}

// leftovers names job folders, and processes that work in them.
func leftovers(reader *ocr.Reader) string {
	root := reader.Sandbox().Root()
	jobs, err := filepath.Glob(filepath.Join(root, "job-*"))
	if err != nil {
		return err.Error()
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return err.Error()
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, root) {
			jobs = append(jobs, link)
		}
	}
	return strings.Join(jobs, " ")
}

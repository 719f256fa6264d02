package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"countersign/cmd/countersign/sampledocs"
	"countersign/reading/ocr"
)

const (
	peer      = "ocrmypdf"
	peerPages = 10
	peerJobs  = 2 // pages that ocrmypdf and the reader process at a time
)

// The bounds that the table is compared with.
const (
	scanPace   = 1.3 // our pages per second of a scan, with tesseract, relative to ocrmypdf
	textSaving = 5.0 // processor time of ocrmypdf for a PDF with text, relative to ours
	peerMemory = 900 << 20
)

// versusPeers reads a made scan and a made PDF with text, of ten pages each, with the reader and with
// ocrmypdf by turns, so that a busy machine slows both. The scan is read with each engine.
func versusPeers(ctx context.Context, s settings, rounds int) error {
	if _, err := exec.LookPath(peer); err != nil {
		return fmt.Errorf("the program %s is not installed: apt-get install "+
			"--no-install-recommends %s", peer, peer)
	}
	folder, err := os.MkdirTemp("", "readbench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	text, scan := filepath.Join(folder, "text.pdf"), filepath.Join(folder, "scan.pdf")
	if err := makePeerFiles(ctx, folder, text, scan); err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d pages, %d rounds by turns, load %s", peerPages, rounds, load)
	fmt.Printf("%-28s %8s %8s %8s %9s %8s\n", "medians", "seconds", "of CPU", "pages/s", "CPU/page",
		"PSS, MB")
	ours, theirs, err := comparePeers(ctx, s, "tesseract", text, rounds, "--skip-text")
	if err != nil {
		return err
	}
	fmt.Printf("  text PDF: %s takes %.1f times our processor time (goal %.1f), %.1f times our "+
		"seconds\n", peer, theirs.cpu/ours.cpu, textSaving, theirs.wall/ours.wall)
	for _, engine := range strings.Split(s.engine, ",") {
		if ours, theirs, err = comparePeers(ctx, s, engine, scan, rounds); err != nil {
			return err
		}
		fmt.Printf("  scan with %s: %.2f times the pages per second of %s (goal %.1f with "+
			"tesseract), %.2f times its processor time\n", engine, theirs.wall/ours.wall, peer, scanPace,
			ours.cpu/theirs.cpu)
	}
	fmt.Printf("  goal of the highest proportional set size: %d MB\n", peerMemory>>20)
	return nil
}

// comparePeers reads a file with an engine and with ocrmypdf by turns, and prints the medians.
func comparePeers(ctx context.Context, s settings, engine, path string, rounds int, args ...string,
) (ours, theirs cost, err error) {
	options, err := s.options(engine)
	if err != nil {
		return ours, theirs, err
	}
	options.Parallel = peerJobs
	reader, err := ocr.New(ctx, options)
	if err != nil {
		return ours, theirs, err
	}
	defer func() { _ = reader.Close() }()
	var mine, others []cost
	highest := int64(0)
	for range rounds {
		watched, stop := context.WithCancel(ctx)
		memory := watchMemory(watched)
		spent, err := measureCost(func() error { return readWhole(ctx, reader, path) })
		stop()
		highest = max(highest, <-memory)
		if err != nil {
			return ours, theirs, err
		}
		other, err := measureCost(func() error { return runPeer(ctx, path, args) })
		if err != nil {
			return ours, theirs, err
		}
		mine, others = append(mine, spent), append(others, other)
	}
	ours, theirs = median(mine), median(others)
	name := strings.TrimSuffix(filepath.Base(path), ".pdf")
	printPeer(name+", "+engine, ours, fmt.Sprint(highest>>20))
	printPeer(name+", "+peer+" "+strings.Join(args, " "), theirs, "")
	return ours, theirs, nil
}

// readWhole reads a file and fetches the rasters of its pages, as the worker does.
func readWhole(ctx context.Context, reader *ocr.Reader, path string) error {
	reading, err := reader.ReadFile(ctx, path, ocr.Request{})
	if err != nil {
		return err
	}
	defer reading.Close()
	if len(reading.Pages) != peerPages {
		return fmt.Errorf("%s has %d pages", path, len(reading.Pages))
	}
	for _, page := range reading.Pages {
		raster, err := page.Raster()
		if err != nil {
			return err
		}
		if len(page.Words) < 2*peerPages || len(raster) == 0 {
			return fmt.Errorf("page %d was not read", page.Number)
		}
	}
	return nil
}

// runPeer reads a file with ocrmypdf. Its engine has one thread per page, like ours, because with more
// it takes longer.
func runPeer(ctx context.Context, path string, args []string) error {
	args = append(slices.Clone(args), "-j", fmt.Sprint(peerJobs), "-q", path, path+".out")
	command := exec.CommandContext(ctx, peer, args...)
	command.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", peer, err, text)
	}
	return nil
}

// median is the median of the elapsed times with the median of the processor times.
func median(costs []cost) cost {
	middle := func(of func(cost) float64) float64 {
		values := make([]float64, 0, len(costs))
		for _, c := range costs {
			values = append(values, of(c))
		}
		slices.SortFunc(values, cmp.Compare[float64])
		return values[len(values)/2]
	}
	return cost{middle(func(c cost) float64 { return c.wall }),
		middle(func(c cost) float64 { return c.cpu })}
}

func printPeer(name string, c cost, memory string) {
	fmt.Printf("%-28s %8.2f %8.2f %8.2f %9.3f %8s\n", name, c.wall, c.cpu, peerPages/c.wall,
		c.cpu/peerPages, memory)
}

// makePeerFiles writes ten invoices as a PDF with text, and as a grey scan with 300 dots per inch.
func makePeerFiles(ctx context.Context, folder, text, scan string) error {
	var args []string
	samples := sampledocs.Samples(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 1)
	for i := range peerPages {
		invoice := samples[i%len(samples)].Invoice
		for line := range 12 {
			more := invoice.Lines[line%len(invoice.Lines)]
			more.Quantity += int64(i + line)
			invoice.Lines = append(slices.Clip(invoice.Lines), more)
		}
		name := filepath.Join(folder, fmt.Sprintf("invoice-%d.pdf", i))
		if err := os.WriteFile(name, invoice.PDF(), 0o600); err != nil {
			return err
		}
		args = append(args, name)
	}
	if said, err := exec.CommandContext(ctx, "pdfunite", append(args, text)...).
		CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("pdfunite: %s", said), err)
	}
	return rasterisePDF(ctx, text, scan, 300, "-gray")
}

package ocr

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/reading/ocr/sandbox"
)

// maxBatch is the number of pages that one process renders.
const maxBatch = 8

// batchSize returns the size of the batches of so many pages: all if they are few, otherwise at least two
// batches of nearly equal size, which two processors render at the same time.
func batchSize(pages int) int {
	if pages < maxBatch/2 {
		return max(1, pages)
	}
	count := max(2, (pages+maxBatch-1)/maxBatch)
	return (pages + count - 1) / count
}

// batches groups the indices of the pages to read. Consecutive pages whose words come from the text
// layer share a batch, because starting a process costs as much as rendering such a page. Together they
// have at most the pixels of the largest page. Every other page is alone.
func (t *task) batches(ctx context.Context) [][]int {
	var found [][]int
	pixels := 0.0
	layers, size := t.textLayers(ctx), batchSize(t.req.count(len(t.pdfPages)))
	for i, s := range t.pdfPages {
		if !t.covers(i) {
			continue
		}
		area := s.width * s.height * textDPI * textDPI / (pointsInch * pointsInch)
		shares := layers != nil && s.dpi(textDPI) == textDPI && !t.needsEngine(ctx, i+1, layers[i])
		last := len(found) - 1
		if shares && pixels > 0 && pixels+area <= maxDrawnPixels && len(found[last]) < size {
			found[last] = append(found[last], i)
			pixels += area
			continue
		}
		found = append(found, []int{i})
		if pixels = 0; shares {
			pixels = area
		}
	}
	return found
}

// readBatch reads pages of a batch. Pages that could not be rendered together are rendered alone, with
// the limits and the errors of a single page.
func (t *task) readBatch(ctx context.Context, batch []int, pages []PageImage) error {
	drawn := make([]picture, len(batch))
	share := shownCPU
	if len(batch) > 1 && !t.drawAlone.Load() && !t.drawQuickly.Load() {
		var err error
		if drawn, err = t.drawBatch(ctx, batch); err != nil {
			return err
		}
		share = 0 // counted for the batch
	}
	for n, i := range batch {
		if pic := drawn[n]; pic.png != "" && !t.needsEngine(ctx, i+1, pic.words) {
			pages[i] = PageImage{Page: pic.words.toPage(pic), raster: pic.png}
			continue
		}
		page, pic, err := t.readPDFPage(ctx, i+1, t.pdfPages[i], share)
		if err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		pages[i] = PageImage{Page: page, raster: pic.png}
		t.report(ctx, i, page, pic.png)
	}
	return nil
}

// drawBatch renders the pages of a batch with one process, and encodes them with another. The
// processor time of the first is limited to the shares of the pages, and counted against the budget of
// the document. A page without a picture has failed: then no further batch is rendered. If the limit was
// reached, the pages left are rendered by pdftocairo, like a page that reaches its own limit.
func (t *task) drawBatch(ctx context.Context, batch []int) ([]picture, error) {
	first, last := batch[0]+1, batch[len(batch)-1]+1
	shares := time.Duration(len(batch)) * shownCPU
	root := "pages-" + strconv.Itoa(first)
	result, err := t.pdf(ctx, t.programs.PDFToPPM, sandbox.Limits{
		CPU: min(t.limits.PageCPU, shares.Truncate(time.Second)), Wall: t.limits.DrawWall},
		"-r", strconv.Itoa(textDPI), "-f", strconv.Itoa(first), "-l", strconv.Itoa(last), inputPath, root)
	if err != nil {
		return nil, err
	}
	if result.Ending == sandbox.CPULimit {
		t.drawQuickly.Store(true)
	}
	if err := t.chargeCPU(first, result.CPU, shares); err != nil {
		return nil, err
	}
	pics := make([]picture, len(batch))
	for n, i := range batch {
		name := fmt.Sprintf("%s-%0*d", root, len(strconv.Itoa(len(t.pdfPages))), i+1)
		pic := picture{pixels: name + ".ppm", png: "page-" + strconv.Itoa(i+1) + ".png", dpi: textDPI}
		pic, err := t.checkDrawn(pic, t.pdfPages[i], "pdftoppm", result)
		if err == nil {
			pic.words, err = t.visible(t.layers[i].shown(), pic)
		}
		if err == nil && !t.needsEngine(ctx, i+1, pic.words) {
			pic.words, err = t.compareNumbers(ctx, pic.words, pic, i+1)
		}
		if err == nil && (result.OK() || result.Ending == sandbox.CPULimit) {
			pics[n] = pic
		}
	}
	if !t.encodeBatch(ctx, pics) {
		clear(pics)
	}
	if slices.ContainsFunc(pics, func(pic picture) bool { return pic.png == "" }) {
		t.drawAlone.Store(true)
	}
	return pics, t.removeDrawn(root)
}

// encodeBatch writes the PNGs of the pictures for display; false if that failed.
func (t *task) encodeBatch(ctx context.Context, pics []picture) bool {
	var plans []imageJob
	for _, pic := range pics {
		if pic.png != "" {
			plans = append(plans, imageJob{In: pic.pixels, MediaType: mediaPNM, PNG: pic.png})
		}
	}
	if len(plans) == 0 {
		return true
	}
	_, err := t.images(ctx, plans...)
	return err == nil
}

// removeDrawn removes the pages that were rendered to files with the root.
func (t *task) removeDrawn(root string) error {
	names, err := t.job.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, root+"-") {
			_ = t.job.Remove(name) // removed with the folder otherwise
		}
	}
	return nil
}

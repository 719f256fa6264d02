package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// composite is a file made of several documents.
type composite struct {
	name  string
	parts int
	write func(ctx context.Context, path string) error
}

// source is a document of a set with a vendor.
type source struct{ path, vendor string }

// sources returns the documents of a set with an extension whose vendor is known, by name.
func sources(folder, extension string) ([]source, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+extension))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var found []source
	for _, path := range paths {
		text, err := os.ReadFile(strings.TrimSuffix(path, extension) + ".gt.json")
		if err != nil {
			continue // without truth
		}
		var truth struct{ Vendor string }
		if err := json.Unmarshal(text, &truth); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if truth.Vendor != "" {
			found = append(found, source{path, truth.Vendor})
		}
	}
	return found, nil
}

// composites returns the composed files of the receipts and invoices below a data folder. offset chooses
// which documents are composed with which.
func composites(data string, offset int) ([]composite, error) {
	receipts, err := sources(filepath.Join(data, "sroie"), ".jpg")
	if err != nil {
		return nil, err
	}
	invoices, err := sources(filepath.Join(data, "invoice2data"), ".pdf")
	if err != nil {
		return nil, err
	}
	electronic, err := sources(filepath.Join(data, "zugferd"), ".pdf")
	if err != nil {
		return nil, err
	}
	if len(receipts) < 2*pairs || len(invoices) < 5 || len(electronic) < 4 {
		return nil, fmt.Errorf("%s has %d receipts, %d invoices and %d e-invoices: too few", data,
			len(receipts), len(invoices), len(electronic))
	}
	receipts, invoices, electronic = rotate(receipts, offset), rotate(invoices, offset),
		rotate(electronic, offset)
	all := photos(receipts)
	all = append(all, scans(receipts)...)
	return append(all, documents(receipts, invoices, electronic)...), nil
}

// rotate returns the documents beginning with another one, so that others are composed.
func rotate(all []source, offset int) []source {
	from := offset % len(all)
	return append(slices.Clone(all[from:]), all[:from]...)
}

// pairs is the number of pairs of receipts that are arranged in each way.
const pairs = 8

// spread returns receipts evenly from all, beginning at the offset.
func spread(all []source, count, offset int) []source {
	var chosen []source
	for i := range count {
		chosen = append(chosen, all[(offset+i*len(all)/count)%len(all)])
	}
	return chosen
}

// sameVendor returns receipts of one vendor that has at least the given number of them.
func sameVendor(all []source, count, skip int) []source {
	byVendor := map[string][]source{}
	var vendors []string
	for _, s := range all {
		if byVendor[s.vendor] = append(byVendor[s.vendor], s); len(byVendor[s.vendor]) == count {
			vendors = append(vendors, s.vendor)
		}
	}
	slices.Sort(vendors)
	return byVendor[vendors[skip%len(vendors)]][:count]
}

// photos are pictures with several receipts.
func photos(receipts []source) []composite {
	var all []composite
	add := func(name string, chosen []source, arrange func(p []*image.Gray) *image.Gray) {
		all = append(all, composite{name + ".jpg", len(chosen),
			func(_ context.Context, path string) error {
				pictures, err := load(chosen)
				if err != nil {
					return err
				}
				return writeJPEG(path, arrange(pictures))
			}})
	}
	for i := range pairs {
		gap, ground := []int{40, 80, 140}[i%3], []uint8{255, 120, 200}[i%3]
		turn := []float64{0, 0.8}[i%2]
		pair := spread(receipts, 2, 3+4*i)
		add(fmt.Sprintf("beside-%02d", i), pair,
			func(p []*image.Gray) *image.Gray { return beside(gap, ground, turn, p...) })
		pair = spread(receipts, 2, 5+4*i)
		add(fmt.Sprintf("stacked-%02d", i), pair,
			func(p []*image.Gray) *image.Gray { return stacked(gap, ground, turn, p...) })
	}
	for i := range 2 {
		add(fmt.Sprintf("beside-vendor-%d", i), sameVendor(receipts, 2, i),
			func(p []*image.Gray) *image.Gray { return beside(60, 255, 0, p...) })
		add(fmt.Sprintf("stacked-vendor-%d", i), sameVendor(receipts, 2, i+3),
			func(p []*image.Gray) *image.Gray { return stacked(60, 255, 0, p...) })
	}
	add("beside-three", spread(receipts, 3, 2),
		func(p []*image.Gray) *image.Gray { return beside(80, 255, 0, p...) })
	add("grid-four", spread(receipts, 4, 9), func(p []*image.Gray) *image.Gray {
		return stacked(80, 255, 0, beside(80, 255, 0, p[:2]...), beside(80, 255, 0, p[2:]...))
	})
	return all
}

func load(chosen []source) ([]*image.Gray, error) {
	var pictures []*image.Gray
	for _, s := range chosen {
		picture, err := receiptPicture(s.path)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, picture)
	}
	return pictures, nil
}

// scans are TIFF files of three receipts.
func scans(receipts []source) []composite {
	var all []composite
	add := func(name string, chosen []source) {
		all = append(all, composite{name + ".tif", len(chosen),
			func(_ context.Context, path string) error {
				pictures, err := load(chosen)
				if err != nil {
					return err
				}
				return writeTIFF(path, pictures)
			}})
	}
	for i := range 4 {
		add(fmt.Sprintf("three-%d", i), spread(receipts, 3, 1+6*i))
	}
	add("three-vendor", sameVendor(receipts, 3, 1))
	return all
}

// documents are PDF files with several documents.
func documents(receipts, invoices, electronic []source) []composite {
	var all []composite
	united := func(name string, parts ...string) {
		all = append(all, composite{name + ".pdf", len(parts),
			func(ctx context.Context, path string) error { return unite(ctx, path, parts...) }})
	}
	for i := range 4 {
		next := invoices[(i+1)%len(invoices)]
		united(fmt.Sprintf("invoices-%d", i), invoices[i].path, next.path)
		united(fmt.Sprintf("electronic-%d", i), electronic[i].path, next.path)
	}
	united("invoices-vendor", sameVendor(electronic, 2, 0)[0].path,
		sameVendor(electronic, 2, 0)[1].path)
	for i := range 2 {
		all = append(all, composite{fmt.Sprintf("scanned-%d.pdf", i), 2,
			func(ctx context.Context, path string) error {
				var pages []*image.Gray
				for _, s := range []source{invoices[1+i], invoices[3+i]} {
					page, err := scan(ctx, s.path, 200)
					if err != nil {
						return err
					}
					pages = append(pages, page)
				}
				return writePicturePDF(path, 200, pages...)
			}})
		all = append(all, composite{fmt.Sprintf("invoice-receipt-%d.pdf", i), 2,
			func(ctx context.Context, path string) error {
				picture, err := receiptPicture(receipts[20+i].path)
				if err != nil {
					return err
				}
				receipt := path + ".receipt.pdf"
				defer func() { _ = os.Remove(receipt) }()
				if err := writePicturePDF(receipt, 200, picture); err != nil {
					return err
				}
				return unite(ctx, path, invoices[2+i].path, receipt)
			}})
	}
	return all
}

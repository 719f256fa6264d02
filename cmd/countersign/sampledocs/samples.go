package sampledocs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Sample is a document of the demo and what to expect of it.
type Sample struct {
	File        string
	Expectation string
	Invoice     Invoice
	Image       bool
}

// Samples are the documents of the demo, dated shortly before the given day; run makes numbers of
// different runs differ.
func Samples(today time.Time, run int) []Sample {
	made := func(vendor, street, city, vat, iban, currency string, tax int64, lines ...Line) Invoice {
		return Invoice{Vendor: vendor, Street: street, City: city, VATID: vat, IBAN: iban,
			Customer: "Example Trading Ltd, 1 Market Street, London",
			Date:     today.AddDate(0, 0, -7), DueDays: 30, Currency: currency, TaxPercent: tax,
			Lines: lines}
	}
	number := func(prefix string, n int) string {
		return fmt.Sprintf("%s-%d-%04d", prefix, today.Year(), 1000*(run%9+1)+n)
	}
	kiefer := made("Kiefer Bueromoebel GmbH", "Lindenstrasse 12", "10969 Berlin, Germany",
		"DE136695976", "DE89 3704 0044 0532 0130 00", "EUR", 19,
		Line{"Desk lamp", 3, 4950}, Line{"Paper, box of five reams", 2, 2290})
	kiefer.Number = number("KB", 1)
	later := kiefer
	later.Number, later.Date = number("KB", 2), today.AddDate(0, 0, -2)
	later.Lines = []Line{{"Desk chair, used", 2, 11900}, {"Delivery", 1, 2500}}
	norden := made("Norden Logistik AB", "Hamngatan 8", "111 47 Stockholm, Sweden",
		"SE556677889901", "SE45 5000 0000 0583 9825 7466", "EUR", 25,
		Line{"Freight Gothenburg - Hamburg", 14, 148000}, Line{"Customs handling", 14, 9500})
	norden.Number = number("NL", 3)
	atlas := made("Atlas Machine Works Inc", "200 Foundry Avenue", "Cleveland, OH 44114, USA",
		"US340123456", "DE75 5121 0800 1245 1261 99", "USD", 8,
		Line{"Milling machine MX-4", 2, 46850000}, Line{"Installation", 1, 1875000})
	atlas.Number = number("AM", 4)
	misprint := made("Quick Print Studio", "77 Mill Lane", "Leeds LS1 5DL, United Kingdom",
		"GB123456788", "GB82 WEST 1234 5698 7654 32", "GBP", 20,
		Line{"Brochures", 500, 142}, Line{"Design hours", 6, 6500})
	misprint.Number, misprint.Misprint = number("QP", 5), 10000
	return []Sample{
		{"small-invoice.pdf", "the first invoice of a vendor, with a text layer: waits for a reviewer",
			kiefer, false},
		{"small-scan.png", "a later invoice of the same vendor, read by OCR: archived without a " +
			"person once the first is approved", later, true},
		{"freight-invoice.pdf", "27 562.50 EUR: waits for a reviewer", norden, false},
		{"machine-scan.png", "1.0 million USD: above a junior's limit", atlas, true},
		{"misprint.pdf", "the total does not agree with its parts: waits for a reviewer", misprint,
			false},
	}
}

// ModelSample is the document of the demo that a language model is asked about. Its notes are worded so
// that the extractor finds no value, and not all of them are values.
func ModelSample(today time.Time) Sample {
	invoice := Invoice{Vendor: "Hafenblick Catering GmbH", Street: "Speicherstrasse 40",
		City: "20457 Hamburg, Germany", VATID: "DE129273398", IBAN: "DE48 2005 0550 1009 9887 76",
		Customer: "Example Trading Ltd, 1 Market Street, London", Number: fmt.Sprintf("HC-%d-1006", today.Year()),
		Date: today.AddDate(0, 0, -3), DueDays: 14, Currency: "EUR", TaxPercent: 19,
		Lines: []Line{{"Lunch for the yearly meeting", 45, 2400}, {"Service staff, hours", 12, 3850}},
		Notes: []string{"Invoice code: HB-77-2231", "Delivery date: second week of the month",
			"Already paid: nothing"}}
	return Sample{"model-invoice.pdf", "read with the stub of a language model", invoice, false}
}

// Write draws the samples into the folder and returns the names of the files.
func Write(ctx context.Context, folder string, samples []Sample) ([]string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("draw samples: %w", err)
	}
	var names []string
	for _, sample := range samples {
		content, err := sample.Invoice.PDF(), error(nil)
		if sample.Image {
			content, err = sample.Invoice.PNG(ctx, 150)
		}
		if err != nil {
			return names, err
		}
		name := filepath.Join(folder, sample.File)
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return names, fmt.Errorf("draw samples: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}

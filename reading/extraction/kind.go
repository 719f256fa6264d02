package extraction

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"countersign/domain"
)

// headLines is the number of lines at the top of the first page in which a document names itself.
const headLines = 15

var (
	proFormaWords = regexp.MustCompile(`(?i)\bpro[ -]?forma\b|形式发票|形式發票`)
	creditWords   = regexp.MustCompile(
		`(?i)\bcredit (note|memo|memorandum|invoice)\b|\b(rechnungs)?gutschrift\b|\bstornorechnung\b|\brechnungskorrektur\b|` +
			`\bavoir\b|\bnote de cr[ée]dit\b|\bnota de (cr[ée]dito|abono)\b|\bfactura rectificativa\b|\bnota di credito\b|` +
			`\bcredit ?nota\b|\bkreditnota\b|\bkreditfaktura\b|\bfaktura koryguj|\bnota kredit\b|贷记|红字|红冲|貸記|折讓`)
	// Each begins with a fixed text or is preceded by a search for one, because an expression without one
	// is tried at every byte.
	creditCode  = regexp.MustCompile(`TypeCode>\s*(381|396)\s*<`)
	creditRoot  = regexp.MustCompile(`<([a-z]+:)?CreditNote[\s>]`)
	proFormaXML = regexp.MustCompile(`TypeCode>\s*325\s*<`)
)

// Kind returns whether a document names itself a credit note or a pro-forma invoice.
func Kind(pages []domain.Page, xml []byte) domain.DocumentKind {
	head := ""
	if len(pages) > 0 {
		lines := strings.SplitN(pages[0].Text, "\n", headLines+1)
		head = strings.Join(lines[:min(len(lines), headLines)], "\n")
	}
	switch {
	case proFormaXML.Match(xml) || proFormaWords.MatchString(head):
		return domain.ProForma
	case isCreditXML(xml) || creditWords.MatchString(head):
		return domain.CreditNote
	}
	return domain.OrdinaryDocument
}

func isCreditXML(xml []byte) bool {
	return creditCode.Match(xml) ||
		bytes.Contains(xml, []byte("CreditNote")) && creditRoot.Match(xml)
}

var (
	timeOfDay = regexp.MustCompile(`(?i)\b([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?:\s*([ap])\.?m\b)?`)
	dateOrTag = regexp.MustCompile(
		`(?i)\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\btime\b|\buhr|时间|時間`)
)

// TimeOfDay returns the time that the first page prints beside a date or the word time, as HH:MM;
// "" if there is none.
func TimeOfDay(pages []domain.Page) string {
	if len(pages) == 0 {
		return ""
	}
	for line := range strings.Lines(pages[0].Text) {
		found := timeOfDay.FindStringSubmatch(line)
		if found == nil || !dateOrTag.MatchString(line) {
			continue
		}
		hour, _ := strconv.Atoi(found[1])
		switch half := strings.ToLower(found[3]); {
		case half == "p" && hour < 12:
			hour += 12
		case half == "a" && hour == 12:
			hour = 0
		}
		return fmt.Sprintf("%02d:%s", hour, found[2])
	}
	return ""
}

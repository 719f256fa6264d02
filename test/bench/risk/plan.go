package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"countersign/domain"
)

// plan is what is submitted on each day.
type plan struct {
	random  *rand.Rand
	start   time.Time
	days    [][]*document
	parties []*party // who is paid for orders and invoices
	shops   []*party // whose receipts are submitted
}

// newPlan makes up about count documents over the days, among them the stories that look like
// duplicates and are none, and real duplicates.
func newPlan(random *rand.Rand, start time.Time, days, count int) *plan {
	p := &plan{random: random, start: start, days: make([][]*document, days),
		parties: newParties(random, max(40, count/12)), shops: newParties(random, max(20, count/25))}
	for range count * 84 / 100 {
		p.single()
	}
	for range max(1, count/700) {
		p.parking()
	}
	for range max(1, count/400) {
		p.rent()
	}
	for range max(1, count/100) {
		p.credit()
		p.proForma()
	}
	for range max(1, count/150) {
		p.reminder()
		p.handedInAgain()
		p.scannedAgain()
	}
	return p
}

// add adds a document on a day; later ones are left out.
func (p *plan) add(day int, d *document) *document {
	if day < len(p.days) {
		p.days[day] = append(p.days[day], d)
	}
	return d
}

// serialOf returns the next number of a party: several between two documents for us.
func (p *plan) serialOf(payee *party) int {
	payee.serial += 1 + p.random.IntN(30)
	return payee.serial
}

// amountOf returns an amount around the median in units of the base currency, mostly with cents.
func (p *plan) amountOf(currency string, median, spread float64) domain.Money {
	base := median * math.Exp(spread*p.random.NormFloat64())
	base = min(max(base, 3), 9_000_000)
	digits, _ := domain.Exponent(currency)
	unit := math.Pow10(digits)
	minor := int64(base * 1_000_000 / float64(rates[currency]) * unit)
	if p.random.IntN(3) == 0 && minor > 10*int64(unit) {
		minor = minor / int64(unit) * int64(unit)
	}
	return domain.Money{Minor: max(minor, 1), Currency: currency}
}

// single adds an order with its invoice, an invoice, or a receipt.
func (p *plan) single() {
	day := p.random.IntN(len(p.days))
	switch chance := p.random.IntN(10); {
	case chance < 4:
		p.add(day, p.order(day))
	case chance < 7:
		p.add(day, p.invoice(day, pick(p.random, p.parties)))
	default:
		p.add(day, p.receipt(day, pick(p.random, p.shops)))
	}
}

func (p *plan) dateBefore(day, most int) time.Time {
	return p.start.AddDate(0, 0, day-p.random.IntN(most))
}

// imageOf returns the hash of a page: of a hundred pages of a template two are nearly equal.
func (p *plan) imageOf(payee *party) uint64 {
	if p.random.IntN(50) == 0 {
		return payee.image ^ 1<<p.random.IntN(64)
	}
	return p.random.Uint64()
}

func (p *plan) invoice(day int, payee *party) *document {
	d := &document{kind: "invoice", title: invoiceTitle, story: "single", payee: payee,
		number: fmt.Sprintf("RE-%d", p.serialOf(payee)), date: p.dateBefore(day, 25),
		amount: p.amountOf(payee.currency, 700, 1.4), image: p.imageOf(payee),
		declared: p.random.IntN(2) == 0, medium: asScan}
	switch chance := p.random.IntN(10); {
	case chance < 4 && hasIBAN(payee.account):
		d.medium = asXML
	case chance < 8:
		d.medium = asText
	}
	return d
}

func (p *plan) order(day int) *document {
	d := p.invoice(day, pick(p.random, p.parties))
	d.kind, d.ordered, d.declared = "remittance", true, true
	d.amount = p.amountOf(d.payee.currency, 8000, 1.8)
	return d
}

func (p *plan) receipt(day int, shop *party) *document {
	d := &document{kind: "receipt", title: receiptTitle, story: "single", payee: shop,
		date: p.dateBefore(day, 10), amount: p.amountOf(shop.currency, 35, 1),
		clock:  fmt.Sprintf("%02d:%02d", 7+p.random.IntN(14), p.random.IntN(60)),
		medium: asScan, image: p.imageOf(shop), declared: p.random.IntN(2) == 0}
	if p.random.IntN(4) > 0 {
		d.number = fmt.Sprint(10000 + p.serialOf(shop))
	}
	return d
}

// parking adds ten equal receipts of one day, at different times; half of the stories have numbers.
func (p *plan) parking() {
	day := p.random.IntN(len(p.days))
	first := p.receipt(day, pick(p.random, p.shops))
	first.amount = p.amountOf(first.payee.currency, 4, 0.2)
	numbered := p.random.IntN(2) == 0
	for n := range 10 {
		d := *first
		d.story, d.number, d.image = "parking", "", p.imageOf(d.payee)
		d.clock = fmt.Sprintf("%02d:%02d", 7+n, p.random.IntN(60))
		if numbered {
			d.number = fmt.Sprint(52000 + p.serialOf(d.payee))
		}
		p.add(day, &d)
	}
}

// rent adds monthly invoices over the same amount with consecutive numbers.
func (p *plan) rent() {
	payee := pick(p.random, p.parties)
	day := p.random.IntN(30)
	first := p.invoice(day, payee)
	first.amount = p.amountOf(payee.currency, 1200, 0.6)
	for ; day < len(p.days); day += 30 {
		d := *first
		payee.serial++
		d.story, d.image = "monthly", p.imageOf(payee)
		d.number = fmt.Sprintf("RE-%d", payee.serial)
		d.date = p.start.AddDate(0, 0, day)
		p.add(day, &d)
	}
}

// later copies an invoice that a document some days later is about.
func (p *plan) later(story string) (first, second *document, day int) {
	at := p.random.IntN(max(1, len(p.days)-12))
	first = p.add(at, p.invoice(at, pick(p.random, p.parties)))
	first.story = story
	copied := *first
	return first, &copied, at + 1 + p.random.IntN(11)
}

func (p *plan) credit() {
	first, d, day := p.later("credit note")
	d.title, d.medium, d.declared = creditTitle, asText, false
	d.mentions = "For our invoice " + first.number
	d.number = fmt.Sprintf("GS-%d", p.serialOf(d.payee))
	d.date, d.image = p.dateBefore(day, 2), p.imageOf(d.payee)
	d.amount.Minor = -d.amount.Minor
	p.add(day, d)
}

func (p *plan) proForma() {
	first, d, day := p.later("pro-forma")
	first.title, first.medium = proFormaTitle, asText
	d.number = fmt.Sprintf("RE-%d", p.serialOf(d.payee))
	d.date, d.image = p.dateBefore(day, 2), p.imageOf(d.payee)
	p.add(day, d)
}

// reminder adds a reminder of an invoice: paying it would pay the invoice again.
func (p *plan) reminder() {
	first, d, day := p.later("reminder")
	d.title, d.duplicateOf, d.image = reminderTitle, first, p.imageOf(d.payee)
	if d.medium == asXML {
		d.medium = asText
	}
	p.add(day, d)
}

// handedInAgain adds the same file, from another person.
func (p *plan) handedInAgain() {
	first, d, day := p.later("same file")
	d.duplicateOf, d.sameFile = first, true
	p.add(day, d)
}

// scannedAgain adds another scan of the same page.
func (p *plan) scannedAgain() {
	day := p.random.IntN(max(1, len(p.days)-5))
	first := p.order(day)
	switch p.random.IntN(3) {
	case 0:
		first = p.receipt(day, pick(p.random, p.shops))
	case 1:
		first = p.invoice(day, pick(p.random, p.parties))
	}
	first.story, first.medium = "scanned again", asScan
	p.add(day, first)
	d := *first
	d.duplicateOf = first
	one, other := p.random.IntN(64), p.random.IntN(64)
	d.image ^= 1<<one | 1<<other
	p.add(day+1+p.random.IntN(4), &d)
}

// shuffled returns the documents of a day in random order, duplicates behind their first.
func (p *plan) shuffled(day int) []*document {
	documents := slices.Clone(p.days[day])
	p.random.Shuffle(len(documents), func(i, j int) {
		documents[i], documents[j] = documents[j], documents[i]
	})
	return documents
}

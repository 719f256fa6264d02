package extraction

import (
	"regexp"
	"strings"

	"countersign/domain"
)

// kindTitles are the titles of documents. The first one that a row at the top of the page has is the
// kind; an invoice names itself also in the label of its number.
var kindTitles = []struct {
	kind  string
	title *regexp.Regexp
}{
	{domain.KindProForma, proFormaWords},
	{domain.KindCreditNote, creditWords},
	{domain.KindReminder, regexp.MustCompile(
		`(?i)^\W*((final|payment|first|second)\s+)?reminder\b|\bdunning\b|\b(zahlungserinnerung|mahnung)\b|` +
			`\brappel de (paiement|facture)\b|betalingsherinnering|aanmaning|recordatorio de pago|` +
			`sollecito di pagamento|peringatan pembayaran|催款|付款提醒`)},
	{domain.KindStatement, regexp.MustCompile(
		`(?i)statement of account|^\W*(?:account )?statement\W*$|kontoauszug|relev[ée] de compte|rekeningoverzicht|` +
			`estado de cuenta|estratto conto|penyata akaun|对账单|對賬單`)},
	{domain.KindBankSlip, regexp.MustCompile(
		`(?i)^\W*((online|bank|account|wire|fund|funds|payment|instant|domestic|international|sepa)\s+)?` +
			`(transfer (receipt|confirmation|slip|details)|payment confirmation|proof of payment|` +
			`(deposit|withdrawal|bank|transaction) (slip|receipt|confirmation)|` +
			`überweisungs(beleg|bestätigung|auftrag)|zahlungsbestätigung|(avis|confirmation) de virement|` +
			`(ricevuta|contabile) (di|del) bonifico|(comprobante|justificante) de (transferencia|pago|dep[óo]sito)|` +
			`betaalbewijs|overschrijvingsbewijs|potwierdzenie (przelewu|transakcji|wykonania)|` +
			`comprovante de (transfer[êe]ncia|pagamento|pix)|bukti pembayaran|slip pindahan)\b|` +
			`银行回单|电子回单|(转账|汇款|交易)(凭证|回单)`)},
	{domain.KindInvoice, regexp.MustCompile(
		`(?i)\b(e-?)?inv[o0][il1]ces?\b|rechnung|\bfacture\b|\bfactuur|\bfattura\b|\bfactura\b|\bfaktura\b|` +
			`\bfatura\b|\binvois\b|发票|發票|請求書|请求书|חשבונית|فاتورة`)},
	{domain.KindReceipt, regexp.MustCompile(
		`(?i)\breceipt\b|cash\s*(bill|sales?)\b|quittung|kassen(bon|beleg)|\bre[çc]u\b|ticket de caisse|` +
			`kassabon|ricevuta|scontrino|documento commerciale|\brecibo\b|\bkvitto\b|\bparagon\b|\bresit\b|` +
			`收据|收據|小票|领収書|領収書|קבלה`)},
	{domain.KindQuotation, regexp.MustCompile(
		`(?i)^\W*(quotation|quote|estimate|angebot|kostenvoranschlag|devis|offerte|presupuesto|preventivo|oferta|` +
			`sebut harga|报价单|報價單|見積書)(\s+(no|nr|n[°º]|number|nummer)\b.*|\s+\S*\d\S*)?\W*$`)},
	{domain.KindDeliveryNote, regexp.MustCompile(
		`(?i)^\W*(delivery (note|order)|packing (list|slip)|lieferschein|bon de livraison|pakbon|vrachtbrief|albar[áa]n|` +
			`documento di trasporto|送货单|送貨單|出货单|納品書)(\s+(no|nr|n[°º]|number|nummer)\b.*|\s+\S*\d\S*)?\W*$`)},
	{domain.KindOrder, regexp.MustCompile(
		`(?i)^\W*(purchase order|order confirmation|auftragsbestätigung|bestellung|bon de commande|` +
			`orderbevestiging|orden de compra|ordine d'acquisto|pesanan belian|采购订单)\W*$`)},
	{domain.KindContract, regexp.MustCompile(
		`(?i)^\W*(\S+\s+){0,3}(contract|agreement|\w*vertrag|contrat|overeenkomst|contrato|contratto|perjanjian|` +
			`\S*(合同|协议书?))(\s+(no|nr)\b.*)?\W*$`)},
}

// isTitle reports whether a word at an offset is in a title or label and not in a sentence.
func isTitle(r *row, at int) bool {
	for _, block := range r.segments() {
		from, last := block.words[0].at, block.words[len(block.words)-1]
		if at >= from && at < last.at+len(last.Text) {
			before := len(strings.Fields(r.text[from:at]))
			return before <= 2 && len(block.words) <= 8
		}
	}
	return false
}

// isMention matches text before a title that makes it the subject of a payment or a letter.
var isMention = regexp.MustCompile(
	`(?i)(\b(purpose|remittance information|details of payment|payment (of|for)|paid for|in payment of|settlement of|` +
		`verwendungszweck|zahlungszweck|zahlung (der|von|für)|begleichung (der|von)|motif|paiement de( la)?|r[èe]glement de( la)?|` +
		`causale|pagamento (di|della)|concepto|pago de( la)?|omschrijving|betaling van|tytu[łl]em|avser)|用途|附言|摘要|支付)[\s:：]*$`)

// documentKind returns what the document calls itself at the top of its first page. An instruction to
// pay names other documents as its purpose, and a letter about an account those to be paid.
func (s *documentLayout) documentKind() finding {
	if title := s.orderTitle(); title != nil {
		return s.kindOf(title, 0, len(title.text), domain.KindOrder)
	}
	if row := s.accountNotice(); row != nil {
		return s.kindOf(row, 0, len(row.text), domain.KindNotice)
	}
	for _, of := range kindTitles {
		for i, r := range s.rows {
			if i == headLines || r.page != s.rows[0].page {
				break
			}
			at := of.title.FindStringIndex(r.text)
			if at != nil && isTitle(r, at[0]) && !isMention.MatchString(r.text[:at[0]]) {
				return s.kindOf(r, at[0], at[1], of.kind)
			}
		}
	}
	return finding{}
}

func (s *documentLayout) kindOf(r *row, from, to int, kind string) finding {
	words := r.wordsBetween(from, to)
	return finding{raw: limited(textOf(words)), value: kind, words: words,
		confidence: besideLabel * meanConfidence(words)}
}

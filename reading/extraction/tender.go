package extraction

import "regexp"

// tenderMark matches the words by which a receipt shows how it was paid: a card, its authorisation, cash
// and change, a tip.
var tenderMark = regexp.MustCompile(
	`(?i)(?:^|[^\pL])(visa|master\s?card|amex|american express|maestro|girocard|eftpos|interac|contactless|debit|credit card|card (payment|no|number)|` +
		`auth(ori[sz]ation)?( code| no)?\s*[:#]?\s*\d|approval( code| no)?|approved|tip|gratuity|cash|change( due)?|tendered|` +
		`bar|bargeld|barzahlung|ec-?karte|kartenzahlung|r[üu]e?ckgeld|gegeben|trinkgeld|` +
		`carte bancaire|cb|esp[èe]ces|rendu|comptant|monnaie|pourboire|r[ée]gl[ée]|pay[ée] (par|en)|` +
		`contant[ei]|bancomat|resto|importo pagato|pagamento (contante|elettronico)|` +
		`efectivo|tarjeta|cambio|propina|contado|cart[ãa]o|dinheiro|troco|` +
		`pinbetaling|contant|wisselgeld|betaald|kontant|kort(k[öo]p)?|v[äa]xel|got[óo]wka|karta|reszta|tunai|baki)(?:$|[^\pL])|` +
		`现金|現金|找零|刷卡|支付宝|微信支付|お釣り|お預り|クレジット`)

// maxTenderWords is the number of words of a row that shows a payment: a sentence has more.
const maxTenderWords = 8

// hasTender reports whether a row shows how the document was paid, with an amount or the number of a card
// or an authorisation.
func (s *documentLayout) hasTender(candidates []*candidate) bool {
	for _, c := range candidates {
		if (c.role == rolePaid || c.role == roleChange) && c.milli != 0 && len(c.row.words) <= maxTenderWords {
			return true
		}
	}
	for _, r := range s.rows {
		if len(r.words) <= maxTenderWords && tenderMark.MatchString(r.text) && countDigits(r.text) >= 2 {
			return true
		}
	}
	return false
}

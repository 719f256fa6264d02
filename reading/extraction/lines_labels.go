package extraction

import (
	"strings"
	"unicode"
)

// columnKind is the meaning of a column of a table of items.
type columnKind int

const (
	columnNone columnKind = iota
	columnPosition
	columnCode
	columnText
	columnQuantity
	columnUnit
	columnPrice
	columnRate
	columnDiscount
	columnAmount
	columnOther // such as a date or packs per unit: its numbers are no quantity
)

// columnRank decides which of several labels above each other names the column: "Preis/" above
// "Einheit" is a price.
var columnRank = map[columnKind]int{
	columnText: 9, columnAmount: 8, columnPrice: 7, columnQuantity: 6, columnDiscount: 5,
	columnRate: 4, columnOther: 3, columnUnit: 2, columnCode: 1, columnPosition: 0,
}

// columnLabels are the labels of columns, in lower case without punctuation, in English, German,
// French, Dutch, Spanish, Italian, Malay and Chinese. The longest label that fits counts.
var columnLabels = func() map[string]columnKind {
	labels := map[string]columnKind{}
	for kind, list := range map[columnKind]string{
		columnPosition: `pos|position|no|nr|lfd nr|line|#|s no|sl no|sr no|item no|n°|nº|ligne|regel|línea|riga|bil|序号|序號|行号`,
		columnCode:     `code|sku|article|article no|art|art nr|artnr|artikel nr|artikelnr|artikelnummer|art nr kunde|art nr lief|art nr lieferant|product code|item code|item #|part no|part number|ean|gtin|hsn|hsn sac|sac|référence|reference|ref|réf|codigo|código|codice|referencia|bestell nr|materialnummer|kod|货号|商品编号|编码|规格型号|規格型號|规格`,
		columnText: `description|descriptions|item|items|item description|product|products|product description|description of goods|goods|service|services|particulars|details|article description|name|
			beschreibung|bezeichnung|artikel|artikelbezeichnung|artikelbeschreibung|leistung|leistungen|produkt|ware|leistungsbeschreibung|text|
			désignation|designation|libellé|libelle|produit|prestation|prestations|omschrijving|beschrijving|artikelomschrijving|dienst|
			descripción|descripcion|concepto|producto|descrizione|prodotto|articolo|keterangan|perkara|butiran|barang|
			货物或应税劳务名称|货物或应税劳务 服务名称|货物或应税劳务、服务名称|项目名称|品名|名称|商品名称|描述|摘要|服务名称`,
		columnQuantity: `qty|quantity|quantities|qnty|units|pcs|hours|hrs|qty hrs|qty shipped|menge|anzahl|stück|stunden|std|quantité|quantite|qté|qte|nombre|aantal|hoeveelheid|cantidad|cant|uds|unidades|quantità|qtà|q tà|quantita|kuantiti|bilangan|kuant|数量|數量`,
		columnUnit:     `unit|uom|u m|einheit|me|mengeneinheit|meng|unité|unite|eenheid|unidad|unità|unita|单位|單位`,
		columnPrice: `unit price|price|unit cost|rate|price unit|price each|each|unit rate|cost|price w o tax|price w o|u price|unit amount|hourly rate|
			preis|einzelpreis|nettopreis|stückpreis|einzel|ep|e preis|preis pro einheit|preis einheit|vk preis|stundensatz|bruttopreis|
			prix|prix unitaire|prix unit|p u|pu|pu ht|p u ht|prix ht|prijs|stukprijs|eenheidsprijs|tarief|prijs per stuk|
			precio|precio unitario|precio ud|p unitario|prezzo|prezzo unitario|prezzo unit|harga|harga seunit|harga unit|单价|單價`,
		columnRate: `vat|tax|gst|tax rate|vat rate|tax code|vat %|tax %|gst %|ust|mwst|ust %|mwst %|steuer|steuersatz|mwst satz|ust satz|tva|taux|taux tva|tva %|btw|btw %|
			iva|iva %|aliquota|sst|cukai|税率|稅率|sales tax|vat amount|tax amount|gst amt|gst amount|税额|稅額|steuerbetrag|sst %`,
		columnDiscount: `disc|discount|disc %|rabatt|rabatt %|nachlass|remise|korting|descuento|dto|sconto|diskaun|折扣|rem`,
		columnAmount: `amount|total|line total|total price|ext price|extended price|extended|net amount|subtotal|sub total|sum|value|price total|total amount|amt|net value|taxable value|net total|
			betrag|gesamt|gesamtpreis|summe|gesamtbetrag|nettobetrag|entgelt|nettowert|wert|gp|netto|positionsbetrag|netto betrag|warenwert|gesamtnetto|
			montant|montant ht|total ht|prix total|montant net|total ttc|bedrag|totaal|totaalbedrag|totaalprijs|netto bedrag|
			importe|total línea|importo|totale|prezzo totale|valore|jumlah|amaun|金额|金額|小计|合计金额|总价`,
		columnOther: `date|datum|fecha|data|tarikh|日期|vke geb|pack|lot|serial no|service date|delivery date|from|to|geb|ve`,
	} {
		for label := range strings.SplitSeq(list, "|") {
			labels[strings.Join(strings.Fields(label), " ")] = kind
		}
	}
	return labels
}()

// maxLabelWords is the number of words in the longest label.
const maxLabelWords = 4

// labelText returns a word as in columnLabels: lower case, punctuation as spaces.
func labelText(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' && r != '%' && r != '°' &&
			r != 'º' && r != '、'
	}), " ")
}

// unitWords are units of measure besides a quantity, in lower case.
var unitWords = func() map[string]bool {
	units := map[string]bool{}
	for word := range strings.FieldsSeq(`pc pcs pce piece pieces ea each unit units unit(s) box boxes
		pack packs pkt set sets kg g l ltr liter litre liter(s) litres m m2 m² m3 m³ cm mm km t h hr hrs
		hour hours day days month months stk stk. stück std std. stunde stunden tag tage monat monate
		psch pausch. kwh kwh. mwh karton paar rolle flasche heure heures jour jours pièce pièces stuk
		stuks uur dag ud uds unidad unidades hora horas ore pz nr. unit. min 个 件 台 次 套 吨 千克 公斤 米
		小时 天 项 批 箱 x lot user users license licenses licence licences`) {
		units[word] = true
	}
	return units
}()

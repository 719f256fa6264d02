// A handful of words from German invoices; a real program would ask a translation service here.
export const glossary = {
  rechnung: 'invoice', rechnungsnummer: 'invoice number', rechnungsdatum: 'invoice date', datum: 'date', nummer: 'number',
  betrag: 'amount', gesamtbetrag: 'total amount', gesamt: 'total', netto: 'net', brutto: 'gross', mehrwertsteuer: 'value added tax',
  steuer: 'tax', steuernummer: 'tax number', zahlbar: 'payable', bis: 'until', menge: 'quantity', einzelpreis: 'unit price',
  lieferung: 'delivery', kunde: 'customer', kundennummer: 'customer number', straße: 'street', und: 'and', für: 'for', von: 'from',
  konto: 'account', kontonummer: 'account number', bank: 'bank', zahlung: 'payment', fällig: 'due', seite: 'page', invoice: 'invoice',
  total: 'total', date: 'date',
};

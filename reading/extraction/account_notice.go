package extraction

import (
	"regexp"
	"strings"
)

// accountChange matches the announcement that the issuer has another bank account. Each alternative has
// a word for the account and one for the change, at most 60 characters apart. # is the beginning of a
// word, also of one that begins with a letter outside ASCII.
var accountChange = regexp.MustCompile(`(?i)` + strings.ReplaceAll(strings.Join([]string{
	// English
	`#(?:new|updated|changed|amended|revised|different|alternative) (?:bank(?:ing)? (?:details|account|information|coordinates|data)|` +
		`(?:beneficiary|remittance|payment|account) (?:details|instructions)|beneficiary account)\b`,
	`#(?:our|this|the following|below) new (?:bank )?account\b|#new iban\b`,
	`#changes? (?:of|to|in) (?:our |the |your )?(?:bank(?:ing)?|account (?:details|number|information)|(?:remittance|payment) (?:details|instructions|information))\b`,
	`#(?:changed|updated|moved|switched|closed|replaced) (?:our|the) bank(?:ing)?(?: details| accounts?| information|s)?\b`,
	`#(?:bank(?:ing)? (?:details|accounts?|information)|account (?:details|number)|(?:remittance|payment) (?:details|instructions)|` +
		`our (?:\S+ )?account|our bank)\b[^!?。]{0,60}\b(?:(?:has|have|had) (?:been |recently |now )*(?:changed|updated|moved|closed|replaced|amended|frozen|blocked)|` +
		`(?:will|shall) (?:be )?change|(?:are|is) (?:changing|closed|no longer)|no longer (?:valid|in use|active|available))`,
	// German and Dutch
	`#(?:neue[nrs]?|geänderte[nrs]?|aktualisierte[nrs]?) (?:bank(?:verbindung|konto|daten|details)|konto(?:verbindung|daten|nummer|s)?|iban)\b`,
	`#(?:änderung|wechsel|umstellung|aktualisierung) (?:(?:unserer|unseres|der|des) )?(?:bank|konto|iban)`,
	`#(?:bankverbindung|bankdaten|bankkonto|kontoverbindung|kontodaten|konto|iban)\b[^!?。]{0,60}(?:geändert|gewechselt|aktualisiert|umgestellt|ändert sich|` +
		`erloschen|geschlossen|aufgelöst|gesperrt|nicht mehr (?:gültig|verwend|nutz))`,
	`#(?:nieuwe|gewijzigde?) (?:bank|rekening|iban)|#wijziging (?:van )?(?:onze |ons )?(?:bank|rekening|iban)|` +
		`#(?:bankgegevens|(?:bank)?rekening(?:nummer)?)\b[^!?。]{0,60}(?:gewijzigd|veranderd|opgeheven)`,
	// French, Spanish, Italian, Portuguese
	`#(?:nouve(?:aux?|lles?)|changements? d(?:e |es |['’])(?:nos |notre )?|modification d(?:e |es |u )(?:nos |notre )?)\s*` +
		`(?:coordonn[ée]es bancaires|compte bancaire|rib|iban|domiciliation|banque)\b|#notre nouveau compte\b`,
	`#(?:coordonn[ée]es bancaires|compte bancaire|rib|domiciliation bancaire)\b[^!?。]{0,60}(?:chang|modifi|mis(?:es)? [àa] jour|cl[ôo]tur|ferm[ée])`,
	`#(?:nuev[oa]s?|cambios? (?:de|en) (?:nuestr[oa]s? |l[oa]s? )?|modificaci[óo]n de (?:nuestr[oa]s? |l[oa]s? )?)\s*` +
		`(?:datos bancarios|cuenta bancaria|n[úu]mero de cuenta|banco|iban)\b|#nuestra nueva cuenta\b`,
	`#(?:datos bancarios|cuenta bancaria|n[úu]mero de cuenta)\b[^!?。]{0,60}(?:cambi|modific|actualiz|cerrad|cancelad)`,
	`#(?:nuov[oaie]|(?:variazione|cambio|modifica) (?:del(?:le|l['’])? ?)?(?:nostre |nostro )?)\s*(?:coordinate bancarie|conto corrente|iban|banca)\b|#nostro nuovo conto\b`,
	`#(?:coordinate bancarie|conto corrente)\b[^!?。]{0,60}(?:cambiat|modificat|variat|aggiornat|chius)`,
	`#(?:nov[oa]s?|altera[çc][ãa]o d(?:e|os|a) (?:nossos? |nossa )?)\s*(?:dados banc[áa]rios|conta banc[áa]ria|iban)\b`,
	// Polish, Swedish
	`#(?:now(?:y|ego|e)|zmian[aęy]|zmianie) (?:numeru? |nr )?(?:rachun|konta|konto)`,
	`#(?:nytt|nya|ändrat|ändrade) (?:bankgiro|plusgiro|kontonummer|bankkonto|bankuppgifter|iban)`,
	// Chinese and Japanese
	`(?:账户|账号|帐户|帐号|賬戶|賬號|帳戶|帳號|收款银行|收款行|开户行|银行信息)[^。！？]{0,12}(?:变更|更改|更换|更新|变动|改为|注销|停用|冻结|變更|更換|註銷)`,
	`(?:变更|更改|更换|變更|更換|新的?)[^。！？]{0,6}(?:账户|账号|帐户|帐号|賬戶|賬號|帳戶|帳號|收款银行|开户行|银行信息)`,
	`(?:振込先|口座)[^。]{0,10}変更|変更後の(?:振込先|口座)|新しい(?:振込先|口座)`,
}, "|"), "#", `(?:^|[^\pL])`))

var (
	// negatedChange matches a denial inside an announcement: invoices warn of false ones.
	negatedChange = regexp.MustCompile(
		`(?i)\b(?:not|never|nicht|nie|niemals|keine|niet|nooit|pas|jamais|nunca|mai|não|nie|aldrig)\b|不会|不會|没有|沒有|并未|從未|从未`)
	// deniedBefore matches a denial just before an announcement.
	deniedBefore = regexp.MustCompile(
		`(?i)(?:\b(?:never|will not|won['’]t|do not|don['’]t|nie|niemals|nicht|keine|nooit|niet|jamais|nunca|mai|aldrig)\s+(?:\S+\s+){0,4}|` +
			`(?:不会|不會|从不|從不)\S{0,8})$`)
	greetingLine = regexp.MustCompile(
		`(?i)^\W*(?:dear\b|to whom it may concern|sehr geehrte|liebe[rs]?\b|guten tag|hallo\b|madame\b|monsieur\b|ch(?:er|[èe]re)s?\b|` +
			`estimad[oa]s?\b|muy señor|gentil[ei]\b|spett|egregi|geachte\b|beste\b|prezad|szanown|hej\b|bästa |尊敬的|敬啟者|敬启者|致[：:]|` +
			`尊敬|拝啓|お客様各位|各位)`)
)

// announcesAccount reports whether the pages announce another bank account of their issuer.
func (s *documentLayout) announcesAccount() bool {
	if s.announces == nil {
		announces := s.findAnnouncement()
		s.announces = &announces
	}
	return *s.announces
}

func (s *documentLayout) findAnnouncement() bool {
	text := strings.ReplaceAll(s.text, "\n", " ")
	for _, at := range accountChange.FindAllStringIndex(text, 50) {
		if negatedChange.MatchString(text[at[0]:at[1]]) ||
			deniedBefore.MatchString(text[max(0, at[0]-60):min(at[0]+1, len(text))]) {
			continue
		}
		return true
	}
	return false
}

// accountNotice returns the row that makes the document a letter about another account: its subject or
// its salutation. It is nil for others, also for invoices with such a note, which state a tax.
func (s *documentLayout) accountNotice() *row {
	if len(s.rows) == 0 || !s.announcesAccount() || s.hasTaxRow() {
		return nil
	}
	var greeting *row
	for i, r := range s.rows {
		if i == headLines || r.page != s.rows[0].page {
			break
		}
		if len(r.words) <= maxSubjectWords && !strings.HasSuffix(strings.TrimSpace(r.text), ".") &&
			accountChange.MatchString(r.text) && !negatedChange.MatchString(r.text) {
			return r
		}
		if greeting == nil && greetingLine.MatchString(r.text) {
			greeting = r
		}
	}
	return greeting
}

// maxSubjectWords is the number of words of the subject of a letter.
const maxSubjectWords = 12

// rateInRow matches a row with a rate or amount of a tax.
var rateInRow = regexp.MustCompile(`\d\s*%|%\s*\d`)

// hasTaxRow reports whether a row names a tax with its rate, as invoices do.
func (s *documentLayout) hasTaxRow() bool {
	for _, r := range s.rows {
		if rateInRow.MatchString(r.text) && taxLabel.MatchString(r.folded) {
			return true
		}
	}
	return false
}

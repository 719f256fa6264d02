package domain

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// oneParty has a line for each group of spellings of one party.
var oneParty = [][]string{
	{"Muster Werke GmbH", "Muster Werke G.m.b.H.", "MUSTER WERKE GMBH", "Muster-Werke GmbH",
		"muster  werke\tg m b h", "Muster Werke Ges.m.b.H.", "MusterWerke GmbH",
		"Muster Werke Gesellschaft mit beschränkter Haftung", "Muster Werke Gesellschaft mbH",
		"Ｍｕｓｔｅｒ　Ｗｅｒｋｅ　ＧｍｂＨ", "Muster\u200bWerke GmbH", "“Muster Werke” GmbH", "Мuster Wеrke GmbH",
		"Muster\u00a0Werke\u202fGmbH"},
	{"Müller AG", "Mueller AG", "Muller A.G.", "MÜLLER Aktiengesellschaft", "Mu\u0308ller AG",
		"MUELLER AG"},
	{"Straßen & Söhne GmbH & Co. KG", "Strassen und Soehne GmbH und Co KG",
		"Strassen and Söhne G.m.b.H. & Co. K.G.",
		"Straßen & Söhne GmbH & Compagnie Kommanditgesellschaft"},
	{"Gute Werke gGmbH", "Gute Werke g.GmbH", "Gute Werke gemeinnützige GmbH"},
	{"Alpha Ltd", "Alpha Ltd.", "Alpha Limited", "ALPHA LIMITED", "AlphaLimited", "Alpha L.t.d."},
	{"Beta LLC", "Beta L.L.C.", "Beta, LLC", "Beta Limited Liability Company"},
	{"Gamma Inc", "Gamma, Inc.", "Gamma Incorporated"},
	{"Delta Corp.", "Delta Corporation", "Delta Corp"},
	{"The Epsilon Co", "The Epsilon Company", "The Epsilon Co."},
	{"Zeta S.A.", "Zeta SA", "Zeta Société Anonyme", "ZETA S. A."},
	{"Eta S.à r.l.", "Eta SARL", "Eta S.A.R.L.", "Eta Société à responsabilité limitée"},
	{"Theta SAS", "Theta S.A.S."}, {"Iota BV", "Iota B.V.", "Iota Besloten Vennootschap"},
	{"Kappa NV", "Kappa N.V."},
	{"Lambda S.p.A.", "Lambda SpA", "Lambda SPA", "Lambda Società per Azioni"},
	{"My S.r.l.", "My Srl", "My SRL"},
	{"Volvo AB", "Volvo Aktiebolag", "VOLVO A.B."}, {"Maersk A/S", "Maersk AS", "Maersk a.s.",
		"Maersk Aktieselskab"}, {"Legetøj ApS", "Legetoj Aps", "Legetøj Anpartsselskab"},
	{"Järvi Oy", "Jaervi OY", "Järvi Osakeyhtiö"}, {"Nokia Oyj", "Nokia Julkinen Osakeyhtiö"},
	{"Nu SE", "Nu S.E."},
	{"Xi Sdn Bhd", "Xi Sdn. Bhd.", "Xi Sendirian Berhad"}, {"Omikron Bhd", "Omikron Berhad"},
	{"Pi Pte Ltd", "Pi Pte. Ltd.", "Pi Pte Limited"},
	{"Rho Pty Ltd", "Rho Pty. Ltd.", "Rho Pty Limited", "Rho Proprietary Limited"},
	{"Sigma PLC", "Sigma P.L.C.", "Sigma Public Limited Company"},
	{"北京测试有限公司", "北京测试有限责任公司", "北京测试 有限公司"}, {"上海测试股份有限公司", "上海测试　股份有限公司"},
	{"Tau Kft", "Tau Kft.", "Tau Korlátolt Felelősségű Társaság"},
	{"Ypsilon s.r.o.", "Ypsilon SRO", "Ypsilon spol. s r.o."},
	{"Phi Sp. z o.o.", "Phi sp.z o.o.", "PHI SP ZOO",
		"Phi Spółka z ograniczoną odpowiedzialnością"},
	{"Acme Co., Ltd.", "Acme Company Limited", "ACME CO LTD"}, {"L'Oréal", "LOreal", "L’Oreal"},
	{"und", "UND"}, {"!!!", "! ! !"},
}

func TestSpellingsOfOnePartyHaveOneKey(t *testing.T) {
	t.Parallel()
	for _, names := range oneParty {
		for _, name := range names {
			if got, want := PartyKey(name), PartyKey(names[0]); got != want || got == "" {
				t.Errorf("%q: %q, of %q %q", name, got, names[0], want)
			}
		}
	}
}

func TestDifferentPartiesHaveDifferentKeys(t *testing.T) {
	t.Parallel()
	names := []string{"Muster AG", "Muster GmbH", "Muster KG", "Muster GmbH & Co. KG",
		"Muster gGmbH", "Muster", "Muster Werke GmbH", "Muster Ltd", "Muster Pte Ltd",
		"Muster Pty Ltd",
		"Muster PLC", "Muster LLC", "Muster Inc", "Muster Corp", "Muster Co", "Muster SA",
		"Muster SARL", "Muster SAS", "Muster SpA", "Muster Srl", "Muster BV", "Muster NV",
		"Muster AB", "Muster A/S", "Muster ApS", "Muster Oy", "Muster Oyj", "Muster SE",
		"Muster Sdn Bhd", "Muster Bhd", "Muster Kft", "Muster s.r.o.", "Muster Sp. z o.o.",
		"Alpha Ltd", "Alpha Beta Ltd", "Beta Ltd", "Alpha 1 Ltd", "Alpha 2 Ltd", "北京测试有限公司",
		"北京测试股份有限公司", "上海测试有限公司", "Müller AG", "Miller AG", "Möller AG"}
	by := map[string]string{}
	for _, name := range names {
		key := PartyKey(name)
		if other, taken := by[key]; taken {
			t.Errorf("%q and %q have one key: %q", name, other, key)
		}
		by[key] = name
	}
	for _, group := range oneParty {
		if other, taken := by[PartyKey(group[0])]; taken && PartyKey(other) != PartyKey(group[0]) {
			t.Errorf("%q and %q have one key", group[0], other)
		}
	}
}

// olderKey returns the key as computed by earlier versions of the program.
func olderKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(" .,;:'\"()-/&\t\n\u00a0", r)
	}), " ")
}

// names generates names of parties from words, legal forms and arbitrary characters.
func names() *rapid.Generator[string] {
	word := rapid.OneOf(rapid.SampledFrom([]string{"Muster", "Müller", "Mueller", "Straße", "and",
		"und", "&", "GmbH", "G.m.b.H.", "Limited", "Ltd.", "Company", "Co", "Lim", "ited",
		"s", "p", "a", "l", "t", "d", "有限公司", "有限责任公司", "ｆｕｌｌ", "ooе", "aee", "İstanbul", "ǅ",
		"ﬁ"}), rapid.String(), rapid.StringMatching(`[A-Za-z ]{0,12}`))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"),
			rapid.SampledFrom([]string{" ", "", "-", "."}).Draw(t, "between"))
	})
}

// The key of a key is the key itself, and names with equal keys in earlier versions still have
// equal keys.
func TestPartyKeyIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := names().Draw(t, "name")
		key := PartyKey(name)
		if again := PartyKey(key); again != key {
			t.Fatalf("%q: %q, then %q", name, key, again)
		}
		if older := PartyKey(olderKey(name)); older != key {
			t.Fatalf("%q: %q, by the older key %q", name, key, older)
		}
		if !utf8.ValidString(key) && utf8.ValidString(name) ||
			(key == "") != (strings.TrimSpace(olderKey(name)) == "") && olderKey(name) == "" {
			t.Fatalf("%q: %q", name, key)
		}
	})
}

// Case, width, punctuation, spaces and invisible characters between words do not change the key.
func TestPartyKeyIgnoresSpelling(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[B-DF-Zb-df-z]{1,8}`), 1, 4).Draw(t, "words")
		form := rapid.SampledFrom([][]string{{"GmbH", "G.m.b.H."}, {"Ltd", "Limited"},
			{"S.A.", "SA"}, {"Sdn. Bhd.", "SDN BHD"}, {"& Co. KG", "und Co KG"},
			{"AG", "A. G."}}).Draw(t, "form")
		between := func() string {
			return rapid.SampledFrom([]string{" ", "-", " - ", ". ", "\u00a0", " & ", "'",
				" \u200b", "_", "＆", " – "}).Draw(t, "between")
		}
		spelled := func() string {
			var name strings.Builder
			for _, word := range words {
				switch rapid.IntRange(0, 2).Draw(t, "case") {
				case 0:
					word = strings.ToUpper(word)
				case 1:
					word = wide(word)
				}
				name.WriteString(word + between())
			}
			return name.String() + rapid.SampledFrom(form).Draw(t, "spelled")
		}
		if a, b := spelled(), spelled(); PartyKey(a) != PartyKey(b) {
			t.Fatalf("%q: %q, and %q: %q", a, PartyKey(a), b, PartyKey(b))
		}
	})
}

// wide converts ASCII letters to full width.
func wide(text string) string {
	return strings.Map(func(r rune) rune { return r + 0xfee0 }, text)
}

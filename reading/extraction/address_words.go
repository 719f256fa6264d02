package extraction

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// addressPhrase is a phrase of addresses in small letters, such as kuala lumpur.
type addressPhrase []string

// addressPhrases are the words of streets, regions and cities of all languages, and knownAddressWords
// their words.
var addressPhrases = sync.OnceValue(func() (phrases []addressPhrase) {
	for _, l := range languages {
		for _, list := range [][]string{l.street, l.region, l.city} {
			for _, phrase := range list {
				if words := strings.Fields(strings.Trim(phrase, "*")); isASCII(phrase) && len(words) > 0 {
					phrases = append(phrases, words)
				}
			}
		}
	}
	return phrases
})

var knownAddressWords = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, phrase := range addressPhrases() {
		for _, word := range phrase {
			known[word] = true
		}
	}
	return known
})

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// addressToken matches a word of an address, with digits that an engine may have read for letters.
var addressToken = regexp.MustCompile(`\d?\pL[\pL\d]{2,}`)

// doubtfulTokens returns the tokens that the engines read differently, in small letters. What one
// engine read alone, or both read alike, is not doubted: it may be a name that resembles another one.
func doubtfulTokens(words []*word) map[string]bool {
	doubtful := map[string]bool{}
	for _, w := range words {
		if !w.compared || w.isAgreed() {
			continue
		}
		for _, token := range addressToken.FindAllString(repairAddress(wideMarks.Replace(w.Text), nil), -1) {
			doubtful[strings.ToLower(token)] = true
		}
	}
	return doubtful
}

// repairAddressWords replaces doubtful words of an address that differ in few letters from a word that
// addresses have: Jaian by Jalan, Johor Babru by Johor Bahru. A word that addresses have stays as it is.
func repairAddressWords(text string, doubtful map[string]bool) string {
	if len(doubtful) == 0 {
		return text
	}
	at := addressToken.FindAllStringIndex(text, -1)
	words := make([]string, len(at))
	for i, span := range at {
		words[i] = strings.ToLower(text[span[0]:span[1]])
	}
	var repaired strings.Builder
	end := 0
	for i := 0; i < len(at); i++ {
		phrase := nearestPhrase(words[i:], at[i:], text, doubtful)
		for j, word := range phrase {
			span := at[i+j]
			if printed := text[span[0]:span[1]]; words[i+j] != word {
				repaired.WriteString(text[end:span[0]])
				repaired.WriteString(likeCase(strings.ToUpper(word), caseOf(printed)))
				end = span[1]
			}
		}
		i += max(0, len(phrase)-1)
	}
	repaired.WriteString(text[end:])
	return repaired.String()
}

// caseOf returns letters in the case of a word. A digit at the beginning of small letters was a capital.
func caseOf(printed string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, printed)
	if unicode.IsDigit(rune(printed[0])) && strings.ToLower(letters) == letters {
		return "A" + letters
	}
	return letters
}

// nearestPhrase returns the phrase that the first words are a misreading of; nil if there is none, or
// several.
func nearestPhrase(
	words []string, at [][]int, text string, doubtful map[string]bool,
) addressPhrase {
	var best addressPhrase
	least, tied := 0, false
	for _, phrase := range addressPhrases() {
		if len(phrase) > len(words) || !areAdjacent(at[:len(phrase)], text) {
			continue
		}
		distance, near := phrase.distance(words, doubtful)
		switch {
		case !near || best != nil && (len(phrase) < len(best) || len(phrase) == len(best) && distance > least):
		case best != nil && len(phrase) == len(best) && distance == least:
			tied = tied || strings.Join(phrase, " ") != strings.Join(best, " ")
		default:
			best, least, tied = phrase, distance, false
		}
	}
	if tied {
		return nil
	}
	return best
}

// areAdjacent reports whether only blanks are between the words.
func areAdjacent(at [][]int, text string) bool {
	for i := 1; i < len(at); i++ {
		if strings.TrimSpace(text[at[i-1][1]:at[i][0]]) != "" {
			return false
		}
	}
	return true
}

// beginsLike reports whether the first letters are equal, or a digit was read for one. A word that
// lacks its first letter is more often another word.
func beginsLike(read, want string) bool {
	return read[0] == want[0] || unicode.IsDigit(rune(read[0]))
}

// distance measures how much the words differ from the phrase. It is not near if a word differs in too
// many letters for its length, or is another word of addresses.
func (p addressPhrase) distance(words []string, doubtful map[string]bool) (sum int, near bool) {
	exact := 0
	for i, want := range p {
		if words[i] == want {
			exact += len(want)
		}
	}
	for i, want := range p {
		read := words[i]
		if read == want {
			continue
		}
		allowed := 0
		switch {
		case len(want) >= 8, len(want) >= 5 && exact >= 4:
			allowed = 2
		case len(want) >= 5, len(want) >= 4 && exact >= 4:
			allowed = 1
		}
		different := levenshtein.ComputeDistance(read, want)
		if different > allowed || !beginsLike(read, want) || !doubtful[read] || knownAddressWords()[read] {
			return 0, false
		}
		sum += 2 * different
		if len(read) != len(want) {
			sum++ // a letter is misread more often than it is lost
		}
	}
	return sum, sum > 0
}

package modelvendor

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// instruction matches phrases with which a document addresses the model, in several languages.
var instruction = regexp.MustCompile(`(?i)ignore\s+(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+)?(?:previous|prior|above|earlier)` +
	`|disregard\s+(?:all|any|the|your|previous)|system\s*(?:prompt|message)?\s*:|you\s+are\s+now` +
	`|new\s+instructions?|note\s+to\s+(?:the\s+)?(?:ai|model|assistant)|(?:to|dear)\s+(?:the\s+)?(?:ai|language\s+model)` +
	`|<\|im_start\|>|\[inst\]|忽略|无视|新的?指令|系统提示` +
	`|ignorier\w*|vergiss\b|missachte\w*|ignorez|oubliez|ne\s+tenez\s+pas\s+compte|ignora\b|ignore\s+as|olvida\b` +
	`|игнорируй\w*|забудь|تجاهل|無視して|무시`)

// demand matches what an instruction wants a field to be.
const demand = `(?i)(?:^|[^\p{L}\p{N}])%s["'”」]?(?:\s*(?:=>|=|:|：|为|是|设为|改为|設為)\s*` +
	`|\s+(?:to|is|be|auf|ist|à|est|a|es)\s+)["'“「]?([^\n;"'”」。]+)`

// obey returns a value of the schema in which the demands of instructions replace what the document
// says.
func obey(text string, s *schema) any {
	document := documentOf(text)
	at := instruction.FindStringIndex(document)
	if at == nil {
		return extract(text, s)
	}
	replaced := map[string]string{}
	demands(document[1+strings.LastIndexByte(document[:at[0]], '\n'):], s, replaced)
	return fill(linesOf(text), s, found{}, replaced)
}

// demands adds what the text demands of every property.
func demands(text string, s *schema, replaced map[string]string) {
	for name, property := range s.Properties {
		demands(text, property, replaced)
		if isPartOfField(name) {
			continue
		}
		for _, label := range append(labelsOf(name, property), name) {
			pattern, err := regexp.Compile(strings.Replace(demand, "%s", regexp.QuoteMeta(label), 1))
			if err != nil {
				continue
			}
			if wanted := pattern.FindStringSubmatch(text); wanted != nil {
				value, _, _ := strings.Cut(wanted[1], " and ")
				replaced[name] = strings.TrimRight(strings.TrimSpace(value), ".,!")
				break
			}
		}
	}
}

// digitWords are the words of NumbersAsWords.
var digitWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// inWords replaces numbers, and texts that are numbers, by words.
func inWords(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, element := range value {
			if name != "page" { // a page is a place, not a value
				value[name] = inWords(element)
			}
		}
	case float64:
		return spoken(strconv.FormatFloat(value, 'f', -1, 64))
	case string:
		if strings.ContainsFunc(value, unicode.IsDigit) && !strings.ContainsFunc(value, unicode.IsLetter) {
			return spoken(value)
		}
	}
	return value
}

func spoken(number string) string {
	var words []string
	for _, r := range number {
		switch {
		case r >= '0' && r <= '9':
			words = append(words, digitWords[r-'0'])
		case r == '.':
			words = append(words, "point")
		}
	}
	return strings.Join(words, " ")
}

// replaceTexts replaces every text of the value.
func replaceTexts(value any, by string) any {
	switch value := value.(type) {
	case map[string]any:
		for name, element := range value {
			value[name] = replaceTexts(element, by)
		}
	case string:
		return by
	}
	return value
}

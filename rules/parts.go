package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
)

// partsKey is the key of the value that lists the documents in a file, and statedKey that of what each of
// them states.
const (
	partsKey  = "parts"
	statedKey = "stated"
)

// partFields returns the fields whose values are uncertain because a file has several documents: those
// that identify and pay one of them, and what they state differently.
func partFields(parts []domain.DocumentPart) []string {
	if len(parts) < 2 {
		return []string{}
	}
	named := []string{domain.FieldNumber, domain.FieldDate, domain.FieldTotal}
	for _, part := range parts {
		named = append(named, part.Differs...)
	}
	return slices.DeleteFunc(domain.FieldNames(),
		func(name string) bool { return !slices.Contains(named, name) })
}

// partValues returns what each document states: its number, its total, and its account if it is another
// one than that of the first document. It is "" if none of them was read.
func partValues(parts []domain.DocumentPart) []string {
	values := make([]string, 0, len(parts))
	for _, part := range parts {
		stated := []string{shorten(part.Number)}
		if part.Total != "" {
			stated = append(stated, strings.TrimSpace(part.Total+" "+part.Currency))
		}
		if slices.Contains(part.Differs, domain.FieldIBAN) {
			stated = append(stated, accountEnds(part.Account))
		}
		stated = slices.DeleteFunc(stated, func(text string) bool { return text == "" })
		values = append(values, strings.ReplaceAll(strings.Join(stated, " · "), ",", " "))
	}
	return values
}

// accountEnds returns the first and last characters of an account, because a value of a finding is short.
func accountEnds(account string) string {
	if len(account) < 12 {
		return account
	}
	return account[:4] + "…" + account[len(account)-4:]
}

// statedTexts lists what documents in a file state for readers of a language.
func statedTexts(language string, values []string) string {
	unread, separator, more := "not read", "; ", " and others"
	if language == "zh" {
		unread, separator, more = "未读出", "；", "等"
	}
	texts := make([]string, 0, shownParts)
	for _, value := range values[:min(len(values), shownParts)] {
		if value == "" {
			value = unread
		}
		texts = append(texts, value)
	}
	if len(values) <= shownParts {
		more = ""
	}
	return strings.Join(texts, separator) + more
}

// partCodes returns a short text for each document in a file: "1", "2-3", "1:left", "1:area 2".
func partCodes(parts []domain.DocumentPart) []string {
	codes := make([]string, 0, len(parts))
	areas := map[int]int{}
	for _, part := range parts {
		code := strconv.Itoa(part.First)
		if part.Last > part.First {
			code += "-" + strconv.Itoa(part.Last)
		}
		switch part.Place {
		case "":
		case domain.PlaceArea:
			areas[part.First]++
			code += fmt.Sprintf(":%s %d", part.Place, areas[part.First])
		default:
			code += ":" + string(part.Place)
		}
		codes = append(codes, code)
	}
	return codes
}

// placeTexts are the texts of places on a page by language; the verb is the page.
var placeTexts = map[string]map[string]string{
	"en": {"left": "the left of page %s", "right": "the right of page %s",
		"top": "the top of page %s", "bottom": "the bottom of page %s"},
	"zh": {"left": "第 %s 页左侧", "right": "第 %s 页右侧", "top": "第 %s 页上部",
		"bottom": "第 %s 页下部"},
}

// shownParts is the number of documents that a sentence lists.
const shownParts = 6

// partTexts lists documents in a file for readers of a language.
func partTexts(language string, codes []string) string {
	texts := make([]string, 0, shownParts)
	for _, code := range codes[:min(len(codes), shownParts)] {
		texts = append(texts, partText(language, code))
	}
	if len(codes) > shownParts {
		if language == "zh" {
			return strings.Join(texts, "、") + "等"
		}
		return strings.Join(texts, ", ") + " and others"
	}
	if language == "zh" {
		return strings.Join(texts, "、")
	}
	last := len(texts) - 1
	if last < 1 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

func partText(language, code string) string {
	pages, place, _ := strings.Cut(code, ":")
	if template, ok := placeTexts[language][place]; ok {
		return fmt.Sprintf(template, pages)
	}
	area, isArea := strings.CutPrefix(place, string(domain.PlaceArea)+" ")
	switch {
	case language == "zh" && isArea:
		return fmt.Sprintf("第 %s 页区域 %s", pages, area)
	case language == "zh":
		return fmt.Sprintf("第 %s 页", pages)
	case isArea:
		return fmt.Sprintf("area %s of page %s", area, pages)
	case strings.Contains(pages, "-"):
		return "pages " + pages
	}
	return "page " + pages
}

// requiredRules are in every published set as they are built in, because the program relies on them: a
// file with several documents must not pass by a set that was published before the rule existed, or
// that has another rule of this name.
var requiredRules = []string{domain.RuleSeveralDocuments}

// addRequiredRules adds the built-in rules that every set has, in place of a rule with the same id.
func (s *Set) addRequiredRules(builtinSets []*Set) {
	for _, id := range requiredRules {
		for _, other := range builtinSets {
			rule, found := other.Rule(id)
			if !found {
				continue
			}
			if at := slices.IndexFunc(s.Rules, func(r *Rule) bool { return r.ID == id }); at >= 0 {
				s.Rules[at] = rule
			} else {
				s.Rules = append(s.Rules, rule)
			}
			break
		}
	}
}

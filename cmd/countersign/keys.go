package main

import (
	"bytes"
	"strings"
	"unicode"
)

// camelKeys rewrites the keys of a valid JSON text in camel case as in the API: CaseID becomes
// caseId.
func camelKeys(text []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	for at := 0; at < len(text); {
		if text[at] != '"' {
			out.WriteByte(text[at])
			at++
			continue
		}
		end := at + 1
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		word := string(text[at+1 : end])
		if end+1 < len(text) && text[end+1] == ':' { // the encoder writes no space before a colon
			word = camel(word)
		}
		out.WriteString(`"` + word + `"`)
		at = end + 1
	}
	return out.Bytes()
}

// camel lowers the leading capitals of a name: Reference -> reference, ID -> id, URLPath ->
// urlPath.
func camel(name string) string {
	letters := []rune(name)
	for i, letter := range letters {
		if !unicode.IsUpper(letter) || i > 0 && i+1 < len(letters) &&
			unicode.IsLower(letters[i+1]) {
			break
		}
		letters[i] = unicode.ToLower(letter)
	}
	return strings.ReplaceAll(string(letters), "ID", "Id")
}

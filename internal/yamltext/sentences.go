package yamltext

import "regexp"

// sentences say what the messages of the YAML library mean, because those name types of this program or
// terms of its parser.
var sentences = []struct {
	message  *regexp.Regexp
	sentence func(parts []string) string
}{
	{regexp.MustCompile(`cannot unmarshal (\S+(?: \{\})?) into Go (?:struct field \S+|value) of type (\S+)`),
		func(parts []string) string { return needed(parts[2], parts[1]) }},
	{regexp.MustCompile(`(\w+) was used where (\w+) is expected`),
		func(parts []string) string { return needed(parts[2], parts[1]) }},
	{regexp.MustCompile(`unknown field ("[^"]*")`),
		func(parts []string) string { return "the attribute " + parts[1] + " is unknown" }},
	{regexp.MustCompile(`mapping key ("[^"]*") already defined at \[(\d+):\d+\]`),
		func(parts []string) string { return parts[1] + " is written twice, first in line " + parts[2] }},
	{regexp.MustCompile(`non-map value is specified`), func([]string) string {
		return "the line has no key with a colon, or begins further left or right than the lines above"
	}},
	{regexp.MustCompile(`(?:mapping )?value is not allowed in this context`), func([]string) string {
		return "the line does not continue the lines above: check its indentation, colons and quotes"
	}},
	{regexp.MustCompile(`',' or '([}\]])' must be specified`),
		func(parts []string) string { return "a comma or the closing " + parts[1] + " is missing" }},
	{regexp.MustCompile(`(?:sequence|mapping) end token '([}\]])' not found`),
		func(parts []string) string { return "the closing " + parts[1] + " is missing" }},
	{regexp.MustCompile(`could not find end character of \S+ text`),
		func([]string) string { return "the closing quotation mark is missing" }},
}

// sentenceOf returns the message with the sentences in it that users understand.
func sentenceOf(message string) string {
	for _, known := range sentences {
		message = known.message.ReplaceAllStringFunc(message, func(found string) string {
			return known.sentence(known.message.FindStringSubmatch(found))
		})
	}
	return message
}

// kinds are the names of the values of YAML, by the types of the library and of this program.
var kinds = []struct {
	types *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`^(sequence|\[\].*)$`), "a list"},
	{regexp.MustCompile(`^(mapping|map.*)$`), "a mapping"},
	{regexp.MustCompile(`^\*?(int|uint|float|Integer|Float)\w*$`), "a number"},
	{regexp.MustCompile(`^\*?[bB]ool\w*$`), "true or false"},
	{regexp.MustCompile(`^\*?[sS]tring$`), "a text"},
	{regexp.MustCompile(`^[nN]ull$`), "nothing"},
}

func needed(expected, found string) string {
	name := func(of string) string {
		for _, kind := range kinds {
			if kind.types.MatchString(of) {
				return kind.name
			}
		}
		return "another value"
	}
	return name(expected) + " is needed here, not " + name(found)
}

package modelvendor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// pieceRunes is how many characters a chunk of a stream has.
const pieceRunes = 16

// answered is the content of an answer, before the protocol.
type answered struct {
	content, refusal string
	finish           string
}

// answer returns the content that the behaviour demands.
func (v *Vendor) answer(asked *request, behaviour Behaviour) answered {
	text, schema := asked.text(), parseSchema(asked.ResponseFormat.JSONSchema.Schema)
	result := answered{finish: "stop"}
	switch behaviour {
	case Refuses:
		result.refusal = "I cannot help with this document."
	case InvalidJSON, InvalidJSONOnce:
		if behaviour == InvalidJSON || !asked.isRepair() {
			result.content = `Here are the values: {"total": 12,`
			return result
		}
		result.content = encode(extract(text, schema))
	case SchemaMiss, SchemaMissOnce:
		if behaviour == SchemaMiss || !asked.isRepair() {
			result.content = `{"approve": true}`
			return result
		}
		result.content = encode(extract(text, schema))
	case WrongType:
		result.content = `["not", "an", "object"]`
	case OtherDocument:
		result.content = encode(extract(v.options.Other, schema))
	case NumbersAsWords:
		result.content = encode(inWords(extract(text, schema)))
	case Obeys:
		result.content = encode(obey(text, schema))
	case Huge:
		result.content = strings.Repeat("all work and no play ", hugeAnswer/21+1)[:hugeAnswer]
	case StopsAtLength:
		result.finish = "length"
		whole := []rune(encode(extract(text, schema)))
		result.content = string(whole[:len(whole)/2])
	case EchoesKey:
		result.content = encode(replaceTexts(extract(text, schema), asked.key))
	default:
		result.content = encode(extract(text, schema))
	}
	return result
}

// usage returns the tokens that are reported, nil for none.
func (r *request) usage(content string, behaviour Behaviour) map[string]any {
	switch behaviour {
	case NoUsage:
		return nil
	case NegativeUsage:
		return map[string]any{"prompt_tokens": -1_000_000, "completion_tokens": -5, "total_tokens": -1_000_005}
	case AbsurdUsage:
		return map[string]any{"prompt_tokens": 1e30, "completion_tokens": "a million", "total_tokens": 1}
	}
	input := 0
	for _, message := range r.Messages {
		for _, one := range parts(message.Content) {
			input += CountTokens(one.Text)
		}
	}
	for _, one := range r.images {
		if behaviour != TextUsage {
			input += one.tokens()
		}
	}
	input += CountTokens(string(r.ResponseFormat.JSONSchema.Schema))
	output := CountTokens(content)
	return map[string]any{"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output}
}

// CountTokens counts a token per started four letters or digits, and one per other visible character.
func CountTokens(text string) int {
	tokens, inWord := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			tokens, inWord = tokens+1, 0
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if inWord%4 == 0 {
				tokens++
			}
			inWord++
		default:
			inWord = 0
			if !unicode.IsSpace(r) {
				tokens++
			}
		}
	}
	return tokens
}

func (v *Vendor) send(w http.ResponseWriter, r *http.Request, asked *request, a answered, behaviour Behaviour) {
	chunks := []string{asked.whole(a, behaviour)}
	kind := "application/json"
	if asked.Stream {
		chunks, kind = asked.chunks(a, behaviour), "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	switch behaviour {
	case Cuts:
		whole := strings.Join(chunks, "")
		_, _ = w.Write([]byte(whole[:len(whole)/2]))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case Drips:
		for _, letter := range []byte(strings.Join(chunks, "")) {
			_, err := w.Write([]byte{letter})
			_ = http.NewResponseController(w).Flush()
			if err != nil || !v.pause(r, v.options.Pace) {
				return
			}
		}
		return
	}
	for _, chunk := range chunks {
		if _, err := w.Write([]byte(chunk)); err != nil {
			return
		}
		if asked.Stream {
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// envelope is what a completion and a chunk have in common.
func (r *request) envelope(object string, choice, usage any) map[string]any {
	choices := []any{}
	if choice != nil {
		choices = append(choices, choice)
	}
	return map[string]any{"id": "chatcmpl-1", "object": object, "created": 0, "model": r.Model,
		"choices": choices, "usage": usage}
}

func nilIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (r *request) whole(a answered, behaviour Behaviour) string {
	return encode(r.envelope("chat.completion", map[string]any{"index": 0, "finish_reason": a.finish,
		"message": map[string]any{"role": "assistant", "content": nilIfEmpty(a.content),
			"refusal": nilIfEmpty(a.refusal)}}, r.usage(a.content, behaviour)))
}

// chunks returns the events of a stream.
func (r *request) chunks(a answered, behaviour Behaviour) []string {
	events := []string{": a comment keeps the connection\n\n"}
	add := func(delta map[string]any, finish any) {
		events = append(events, event(r.envelope("chat.completion.chunk",
			map[string]any{"index": 0, "delta": delta, "finish_reason": finish}, nil)))
	}
	add(map[string]any{"role": "assistant", "content": ""}, nil)
	if a.refusal != "" {
		add(map[string]any{"refusal": a.refusal}, nil)
	}
	piece := pieceRunes
	if behaviour == Huge {
		piece = 64 << 10
	}
	for rest := []rune(a.content); len(rest) > 0; {
		n := min(piece, len(rest))
		add(map[string]any{"content": string(rest[:n])}, nil)
		rest = rest[n:]
	}
	add(map[string]any{}, a.finish)
	if usage := r.usage(a.content, behaviour); r.StreamOptions.IncludeUsage && usage != nil {
		events = append(events, event(r.envelope("chat.completion.chunk", nil, usage)))
	}
	return append(events, "data: [DONE]\n\n")
}

func event(value any) string { return fmt.Sprintf("data: %s\n\n", encode(value)) }

func encode(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "null"
	}
	return string(encoded)
}

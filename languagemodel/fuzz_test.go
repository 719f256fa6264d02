package languagemodel

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// FuzzAnswers checks that no body of a response, as one completion or as a stream, exceeds the bounds,
// or becomes an answer that does not match the schema or cannot be stored.
func FuzzAnswers(f *testing.F) {
	const most = 4 << 10
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"{\"total\":1}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`,
		`{"choices":[{"message":{"content":"{\"total\":1e999999999}"}}]}`,
		`{"choices":[{"message":{"content":"{\"total\":\"a\\u0000\"}"}}]}`,
		`{"choices":null,"error":{}}`, `{"choices":{}}`, `{"choices":[null]}`, `[]`, "\xff", ``,
		`{"usage":{"prompt_tokens":-1,"completion_tokens":1e400}}`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"total\\\":\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"1}\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		": comment\r\n\r\nevent: x\ndata: [DONE]", "data:\ndata:\n\n", "data: {\n\n",
	} {
		f.Add(true, []byte(seed))
		f.Add(false, []byte(seed))
	}
	schema, err := compile([]byte(`{"type":"object","properties":{"total":{"type":["number","string"]},"lines":{"type":"array"}}}`))
	if err != nil {
		f.Fatal(err)
	}
	asked := prompt{text: 300, maxTokens: 100, body: make([]byte, 900)}
	f.Fuzz(func(t *testing.T, stream bool, body []byte) {
		response := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
		if stream {
			response.Header.Set("Content-Type", "text/event-stream")
		}
		got := reply{sent: true}
		failed := got.read(response, most)
		if len(got.text) > most || len(got.model) > maxModelName {
			t.Fatalf("%d bytes of text, %d of the name of the model", len(got.text), len(got.model))
		}
		used := got.usageOf(asked)
		if used.InputTokens < 15 || used.InputTokens > 1900 || used.OutputTokens < 0 || used.OutputTokens > most+claimTolerance {
			t.Fatalf("the usage is %+v", used)
		}
		if failed != nil {
			return
		}
		value, wrong := parse(got.text)
		if wrong != nil {
			return
		}
		answer, wrong := matched(schema, value)
		if wrong != nil {
			if len(wrong.problems) == 0 || len(strings.Join(wrong.problems, "")) > maxProblems*maxProblemText {
				t.Fatalf("the problems are %q", wrong.problems)
			}
			return
		}
		again, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
		if err != nil || schema.Validate(again) != nil || !json.Valid(answer) || strings.Contains(string(answer), `\u0000`) ||
			strings.Contains(storable(got.text), "\x00") {
			t.Fatalf("the answer %q of %q cannot be used (%v)", answer, got.text, err)
		}
	})
}

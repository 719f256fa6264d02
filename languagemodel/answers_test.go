package languagemodel_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/domain"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
)

// The values come from the document, the tokens from the endpoint, and the request asks for JSON of
// the schema.
func TestAnswersFromTheDocument(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		vendor := startVendor(t, modelvendor.Options{})
		client := newClient(t, vendor.URL+"/", func(s *languagemodel.Settings) { s.Stream, s.Temperature = stream, 0.5 })
		answer, err := client.Ask(t.Context(), invoiceRequest())
		if err != nil || string(answer.JSON) != invoiceAnswer || answer.Text != invoiceAnswer || answer.Model != "stub" {
			t.Fatalf("%+v, %v", answer, err)
		}
		if output := modelvendor.CountTokens(answer.Text); answer.Usage.OutputTokens != output ||
			answer.Usage.InputTokens <= modelvendor.CountTokens(invoice) {
			t.Errorf("the usage is %+v, want %d output tokens", answer.Usage, output)
		}
		seen := vendor.Requests()[0]
		var body struct {
			Temperature    float64
			MaxTokens      int `json:"max_tokens"`
			Messages       []struct{ Role, Content string }
			ResponseFormat struct {
				Type       string
				JSONSchema struct {
					Name   string
					Strict bool
					Schema json.RawMessage
				} `json:"json_schema"`
			} `json:"response_format"`
			StreamOptions *struct{} `json:"stream_options"`
		}
		if err := json.Unmarshal(seen.Body, &body); err != nil {
			t.Fatal(err)
		}
		format := body.ResponseFormat
		if seen.Stream != stream || seen.Key != testKey || body.Temperature != 0.5 || body.MaxTokens != 500 ||
			len(body.Messages) != 2 || body.Messages[0].Role != "system" || body.Messages[1].Content != invoice ||
			format.Type != "json_schema" || !format.JSONSchema.Strict || format.JSONSchema.Name != "invoice" ||
			!json.Valid(format.JSONSchema.Schema) || (body.StreamOptions != nil) != stream {
			t.Errorf("stream %t sends %s", stream, seen.Body)
		}
	}
}

// Images are parts after the text, each with its label, and the endpoint decodes them.
func TestImagesAreSentAsParts(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{})
	r := invoiceRequest()
	var first, second bytes.Buffer
	if err := errors.Join(png.Encode(&first, modelvendor.Picture(200, 300, "Due date: 2026-12-31")),
		jpeg.Encode(&second, modelvendor.Picture(400, 600, "Buyer: Nordkauf AG"), nil)); err != nil {
		t.Fatal(err)
	}
	r.Images = []languagemodel.Image{{Label: "Image of page 1:", MediaType: "image/png", Bytes: first.Bytes()},
		{Label: "Image of page 2:", MediaType: "image/jpeg", Bytes: second.Bytes()}}
	answer, err := newClient(t, vendor.URL, nil).Ask(t.Context(), r)
	seen := vendor.Requests()[0]
	if err != nil || string(answer.JSON) != invoiceAnswer || len(seen.Images) != 2 ||
		!strings.Contains(string(seen.Body), `{"type":"text","text":"<document>`) {
		t.Fatalf("%+v: %s, %v", seen.Images, answer.JSON, err)
	}
	sum := sha256.Sum256(second.Bytes())
	want := modelvendor.SeenImage{Label: "Image of page 2:", MediaType: "image/jpeg", Bytes: second.Len(),
		SHA256: hex.EncodeToString(sum[:]), Width: 400, Height: 600, Text: "Buyer: Nordkauf AG"}
	if seen.Images[1] != want || seen.Images[0].Text != "Due date: 2026-12-31" {
		t.Errorf("the vendor saw %+v", seen.Images)
	}
}

// An endpoint whose model reads no images refuses the request; it is not asked again.
func TestRefusedImages(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.RefusesImages})
	r := invoiceRequest()
	client := newClient(t, vendor.URL, nil)
	if _, err := client.Ask(t.Context(), r); err != nil {
		t.Fatalf("without an image: %v", err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, modelvendor.Picture(64, 64, "")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"image_not_supported": picture.Bytes(), "invalid_image": []byte("x")} {
		r.Images = []languagemodel.Image{{MediaType: "image/png", Bytes: content}}
		answer, err := client.Ask(t.Context(), r)
		if !domain.HasCode(err, domain.ValidationFailed) || !strings.Contains(err.Error(), name) ||
			len(answer.Calls) != 1 || answer.Calls[0].Outcome != languagemodel.Refused ||
			answer.Usage.InputTokens != 0 {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
}

// The repair turn has the answer and its problems, and there is one.
func TestRepairTurnListsTheProblems(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.SchemaMiss})
	answer, err := newClient(t, vendor.URL, nil).Ask(t.Context(), invoiceRequest())
	seen := vendor.Requests()
	if !domain.HasCode(err, domain.ValidationFailed) || len(seen) != 2 || seen[0].Repair || !seen[1].Repair ||
		answer.Text != `{"approve": true}` {
		t.Fatalf("%d requests, %+v, %v", len(seen), answer, err)
	}
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(seen[1].Body, &body); err != nil || len(body.Messages) != 4 {
		t.Fatalf("%s: %v", seen[1].Body, err)
	}
	problems := body.Messages[3]
	if body.Messages[2].Role != "assistant" || body.Messages[2].Content != answer.Text || problems.Role != "user" ||
		!strings.Contains(problems.Content, "'approve'") || !strings.Contains(problems.Content, "'number', 'date', 'total', 'iban'") {
		t.Errorf("the problems are %q", problems.Content)
	}
}

// A long answer is sent back in part, and the text that is kept can be stored.
func TestLongAnswersAreSentBackInPart(t *testing.T) {
	t.Parallel()
	var sizes [2]int
	calls := 0
	client := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sizes[min(calls, 1)] = len(body)
		calls++
		_, _ = io.WriteString(w, completion("a\x00"+strings.Repeat("é", 100<<10)))
	}), nil)
	answer, err := client.Ask(t.Context(), invoiceRequest())
	if calls != 2 || sizes[1]-sizes[0] > 18<<10 || sizes[1]-sizes[0] < 16<<10 || !strings.HasPrefix(answer.Text, "a\uFFFDé") {
		t.Errorf("%d calls of %d bytes, %.20q (%v)", calls, sizes, answer.Text, err)
	}
}

// Temporary failures of the repair turn are retried, but there is no other repair turn.
func TestFailuresOfTheRepairTurn(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{Sequence: []modelvendor.Behaviour{modelvendor.Error503,
		modelvendor.SchemaMiss, modelvendor.Error500, modelvendor.InvalidJSON}})
	answer, err := newClient(t, vendor.URL, nil).Ask(t.Context(), invoiceRequest())
	if outcomes(answer) != "unavailable schema_miss unavailable invalid_json" || !domain.HasCode(err, domain.ValidationFailed) {
		t.Errorf("%s, %v", outcomes(answer), err)
	}
	vendor.Then(modelvendor.Error503, modelvendor.SchemaMiss, modelvendor.Error500, modelvendor.Error500)
	answer, err = newClient(t, vendor.URL, nil).Ask(t.Context(), invoiceRequest())
	if outcomes(answer) != "unavailable schema_miss unavailable unavailable" || !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("%s, %v", outcomes(answer), err)
	}
}

// completion is a complete answer with this content.
func completion(content string) string {
	encoded, _ := json.Marshal(content)
	return fmt.Sprintf(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}`, encoded)
}

// Values that the schema or the database cannot bear are refused before anything reads them.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	value := func(number, total string) string {
		return fmt.Sprintf(`{"number":%s,"date":null,"total":%s,"iban":null}`, number, total)
	}
	for name, tc := range map[string]struct{ content, outcomes, want string }{
		"huge exponent":    {value("null", "1e999999999"), "invalid_json invalid_json", ""},
		"small exponent":   {value("null", "1e-999999999"), "invalid_json invalid_json", ""},
		"many digits":      {value("null", strings.Repeat("9", 65)), "invalid_json invalid_json", ""},
		"deep":             {value(strings.Repeat("[", 5000)+strings.Repeat("]", 5000), "1"), "invalid_json invalid_json", ""},
		"many values":      {value("["+strings.Repeat("[],", 20_000)+"[]]", "1"), "invalid_json invalid_json", ""},
		"NUL":              {value(`"a\u0000b"`, "1"), "invalid_json invalid_json", ""},
		"text behind":      {value("null", "1") + " Done.", "invalid_json invalid_json", ""},
		"two values":       {value("null", "1") + value("null", "2"), "invalid_json invalid_json", ""},
		"nothing":          {"", "invalid_json invalid_json", ""},
		"text":             {"I cannot read it.", "invalid_json invalid_json", ""},
		"null":             {"null", "schema_miss schema_miss", ""},
		"word for number":  {value("null", `"twelve"`), "schema_miss schema_miss", ""},
		"further name":     {`{"approve":true,` + value("null", "1")[1:], "schema_miss schema_miss", ""},
		"invalid date":     {`{"number":null,"date":"2026-02-30","total":1,"iban":null}`, "schema_miss schema_miss", ""},
		"name twice":       {`{"total":1,` + value("null", "2")[1:], "answered", `{"date":null,"iban":null,"number":null,"total":2}`},
		"half a symbol":    {value(`"\ud800"`, "1"), "answered", "{\"date\":null,\"iban\":null,\"number\":\"\uFFFD\",\"total\":1}"},
		"exact number":     {value("null", "0.10000000000000000000000001"), "answered", `{"date":null,"iban":null,"number":null,"total":0.10000000000000000000000001}`},
		"markup":           {value(`"<b>&"`, "1"), "answered", `{"date":null,"iban":null,"number":"<b>&","total":1}`},
		"spaces, newlines": {" \n" + value("null", "1") + "\n", "answered", `{"date":null,"iban":null,"number":null,"total":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, completion(tc.content))
			}), nil)
			answer, err := client.Ask(t.Context(), invoiceRequest())
			if outcomes(answer) != tc.outcomes || string(answer.JSON) != tc.want {
				t.Errorf("%s: %s (%v)", outcomes(answer), answer.JSON, err)
			}
		})
	}
}

// An endless answer is cut off while it is read: the endpoint cannot send much more than the bound,
// in any form.
func TestEndlessAnswersAreCutOff(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	filler := strings.Repeat("x", 4<<10)
	for name, tc := range map[string]struct {
		kind, start, repeated string
		stream                bool
	}{
		"one completion":      {"application/json", `{"choices":[{"message":{"content":"`, filler, false},
		"one line":            {"text/event-stream", `data: {"choices":[{"delta":{"content":"`, filler, true},
		"one event":           {"text/event-stream", "", "data: " + filler + "\n", true},
		"comments":            {"text/event-stream", "", ": " + filler + "\n\n", true},
		"empty lines":         {"text/event-stream", "", strings.Repeat("\n", 4<<10), true},
		"chunks":              {"text/event-stream", "", `data: {"choices":[{"delta":{"content":"` + filler + "\"}}]}\n\n", true},
		"chunks without text": {"text/event-stream", "", "data: {\"choices\":[]}\n\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				_, err := io.WriteString(w, tc.start)
				for err == nil {
					var n int
					n, err = io.WriteString(w, tc.repeated)
					sent.Add(int64(n))
				}
			}), func(s *languagemodel.Settings) { s.MaxAnswerBytes, s.Stream = most, tc.stream })
			answer, err := client.Ask(t.Context(), invoiceRequest())
			if outcomes(answer) != languagemodel.TooLarge || !domain.HasCode(err, domain.ValidationFailed) || len(answer.Text) > 0 {
				t.Errorf("%s: %v", outcomes(answer), err)
			}
			// 16 bytes of a stream per byte of its text, and the buffers of the connection.
			if sent.Load() > 16*most+(8<<20) {
				t.Errorf("the endpoint sent %d bytes", sent.Load())
			}
		})
	}
}

// A compressed answer is bounded after decompression.
func TestCompressedAnswersAreBounded(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(writer, completion(strings.Repeat(" ", 100<<20)))
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}), nil)
	answer, err := client.Ask(t.Context(), invoiceRequest())
	if outcomes(answer) != languagemodel.TooLarge {
		t.Errorf("%s: %v", outcomes(answer), err)
	}
}

// Streams of other servers: without [DONE], with CRLF, several choices, errors within, ends too early.
func TestStreams(t *testing.T) {
	t.Parallel()
	chunk := func(content, finish string) string {
		encoded, _ := json.Marshal(content)
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]}`, encoded, finish)
	}
	whole := `{"number":null,"date":null,"total":1,"iban":null}`
	for name, tc := range map[string]struct{ stream, outcomes string }{
		"done":               {chunk(whole, "null") + "\n\ndata: [DONE]\n\n", "answered"},
		"finished":           {chunk(whole, `"stop"`) + "\n\n", "answered"},
		"no empty line":      {chunk(whole, `"stop"`), "answered"},
		"no space":           {strings.Replace(chunk(whole, `"stop"`), "data: ", "data:", 1) + "\n\n", "answered"},
		"CRLF":               {chunk(whole, `"stop"`) + "\r\n\r\ndata: [DONE]\r\n\r\n", "answered"},
		"other fields":       {"event: x\nid: 1\nretry: 99999999\n" + chunk(whole, `"stop"`) + "\n\n", "answered"},
		"data on two lines":  {"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"" + strings.ReplaceAll(whole, `"`, `\"`) + "\"},\"finish_reason\":\"stop\"}]}\n\n", "answered"},
		"after done":         {chunk(whole, "null") + "\n\ndata: [DONE]\n\n" + chunk("garbage", "null") + "\n\n", "answered"},
		"second choice":      {`data: {"choices":[{"delta":{"content":` + fmt.Sprintf("%q", whole) + `},"finish_reason":"stop"},{"delta":{"content":"x"}}]}` + "\n\n", "answered"},
		"ends too early":     {chunk(whole, "null") + "\n\n", "cut cut cut"},
		"ends within a line": {chunk(whole, "null")[:40], "cut cut cut"},
		"nothing":            {"", "cut cut cut"},
		"error":              {chunk("{", "null") + "\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n", "unavailable unavailable unavailable"},
		"not JSON":           {"data: hello\n\n" + chunk(whole, `"stop"`) + "\n\n", "invalid_json"},
		"length":             {chunk(whole[:9], `"length"`) + "\n\ndata: [DONE]\n\n", "too_large"},
		"filter":             {chunk("", `"content_filter"`) + "\n\ndata: [DONE]\n\n", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				_, _ = io.WriteString(w, tc.stream)
			}), func(s *languagemodel.Settings) { s.Stream = true })
			answer, err := client.Ask(t.Context(), invoiceRequest())
			if outcomes(answer) != tc.outcomes || (err == nil) != (tc.outcomes == "answered") {
				t.Errorf("%s: %s (%v)", outcomes(answer), answer.JSON, err)
			}
		})
	}
}

package languagemodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

var (
	errTooLarge      = errors.New("languagemodel: the answer is too large")
	errNotCompletion = errors.New("languagemodel: the answer is not a chat completion")
	errReported      = errors.New("languagemodel: the endpoint reported an error within the answer")
)

// streamOverhead is how many bytes of a stream one byte of its text may cost.
const streamOverhead = 16

// reply is what one response contains.
type reply struct {
	status  int
	sent    bool // the model may have worked on the request
	text    string
	model   string
	finish  string
	refusal bool
	usage   claimedUsage
}

// completion is a chat completion, or a chunk of one. Only its first choice is decoded.
type completion struct {
	Model   string
	Choices firstChoice
	Usage   json.RawMessage
	Error   json.RawMessage
}

type firstChoice struct {
	FinishReason   string `json:"finish_reason"`
	Message, Delta struct{ Content, Refusal string }
}

// UnmarshalJSON reads a list and decodes its first element, so that a list of many small choices
// uses no memory.
func (f *firstChoice) UnmarshalJSON(list []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(list))
	start, err := decoder.Token()
	if err != nil || start == nil { // null
		return err
	}
	if start != json.Delim('[') {
		return errNotCompletion
	}
	if !decoder.More() {
		return nil
	}
	type plain firstChoice
	return decoder.Decode((*plain)(f))
}

// boundedReader returns errTooLarge after its bytes.
type boundedReader struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(into []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	n, err := b.from.Read(into[:min(int64(len(into)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, errTooLarge
	}
	return n, err
}

// read reads the body of a response: one completion, or a stream of chunks.
func (r *reply) read(response *http.Response, most int64) error {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return r.readStream(response.Body, most)
	}
	text, err := io.ReadAll(&boundedReader{response.Body, most})
	if err != nil {
		return err
	}
	var whole completion
	if json.Unmarshal(text, &whole) != nil {
		return errNotCompletion
	}
	var content strings.Builder
	if err := r.add(whole, &content, most); err != nil {
		return err
	}
	r.text = content.String()
	return nil
}

// add adds a completion or a chunk to the reply and to its text.
func (r *reply) add(part completion, content *strings.Builder, most int64) error {
	if len(part.Error) > 0 && string(part.Error) != "null" {
		return errReported
	}
	choice := part.Choices
	text := choice.Message.Content + choice.Delta.Content
	if int64(content.Len()+len(text)) > most {
		return errTooLarge
	}
	_, _ = content.WriteString(text)
	r.refusal = r.refusal || choice.Message.Refusal != "" || choice.Delta.Refusal != ""
	if choice.FinishReason != "" {
		r.finish = choice.FinishReason
	}
	if part.Model != "" {
		r.model = shortName(part.Model)
	}
	if len(part.Usage) > 0 && string(part.Usage) != "null" {
		r.usage = parseUsage(part.Usage)
	}
	return nil
}

// readStream reads server-sent events. The answer is complete at [DONE], or when the stream ends
// after the model has said why it finished.
func (r *reply) readStream(body io.Reader, most int64) error {
	var content strings.Builder
	// The text of a broken answer is not used, but its tokens were.
	defer func() { r.text = content.String() }()
	lines := bufio.NewScanner(&boundedReader{body, most * streamOverhead})
	lines.Buffer(nil, int(most)+len("data: ")+bufio.MaxScanTokenSize)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if value, found := bytes.CutPrefix(line, []byte("data:")); found {
			if int64(len(data)+len(value)) > most+bufio.MaxScanTokenSize {
				return errTooLarge
			}
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			continue
		}
		if len(line) > 0 { // a comment, or another field
			continue
		}
		if done, err := r.addEvent(data, &content, most); done || err != nil {
			return err
		}
		data = data[:0]
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return errTooLarge
	}
	if err == nil {
		// Some servers end without an empty line.
		if done, failed := r.addEvent(data, &content, most); done || errors.Is(failed, errTooLarge) {
			return failed
		}
		err = io.ErrUnexpectedEOF
	}
	if r.finish != "" && !errors.Is(err, errTooLarge) {
		return nil
	}
	return err
}

// addEvent adds the data of one event. It reports whether the answer is complete.
func (r *reply) addEvent(data []byte, content *strings.Builder, most int64) (bool, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return false, nil
	}
	if string(data) == "[DONE]" {
		return true, nil
	}
	var chunk completion
	if json.Unmarshal(data, &chunk) != nil {
		return false, errNotCompletion
	}
	return false, r.add(chunk, content, most)
}

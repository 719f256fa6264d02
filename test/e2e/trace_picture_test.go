package e2e

import (
	"cmp"
	"encoding/hex"
	"flag"
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// tracePicture makes the test of a document's traces also draw them, for people.
var tracePicture = flag.String("trace-picture", "", "file to write the picture of a document's traces to (SVG)")

// Of the picture, in pixels.
const (
	rowHeight  = 18
	labelWidth = 420
	barWidth   = 660
)

var programColours = map[string]string{"server": "#3b5bdb", "worker": "#2b8a3e"}

// drawTraces writes a picture in which each trace has its own scale of time, in the order of their
// beginnings. Statements of Postgres are left out.
func drawTraces(t *testing.T, receiver *otlpReceiver) {
	t.Helper()
	if *tracePicture == "" {
		return
	}
	byTrace := map[string][]receivedSpan{}
	for _, span := range receiver.all() {
		if !isStatement(span.Name) {
			byTrace[span.trace()] = append(byTrace[span.trace()], span)
		}
	}
	var traces [][]receivedSpan
	for _, spans := range byTrace {
		if named(spans, "command submit") || named(spans, "command claim") || named(spans, "command decide") {
			slices.SortFunc(spans, func(a, b receivedSpan) int {
				return cmp.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano)
			})
			traces = append(traces, spans)
		}
	}
	slices.SortFunc(traces, func(a, b []receivedSpan) int {
		return cmp.Compare(a[0].StartTimeUnixNano, b[0].StartTimeUnixNano)
	})
	var rows strings.Builder
	y := 20
	for _, spans := range traces {
		y = drawTrace(&rows, receiver, spans, y)
	}
	picture := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, labelWidth+barWidth+20, y, rows.String())
	if err := os.WriteFile(*tracePicture, []byte(picture), 0o644); err != nil { //nolint:gosec // a picture that is no secret
		t.Fatal(err)
	}
}

// isStatement reports whether a span is a statement of Postgres.
func isStatement(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), " ")
	return slices.Contains([]string{"select", "insert", "update", "delete", "with", "begin", "commit",
		"rollback", "prepare", "connect", "batch", "set", "lock", "pool.acquire", "postgres", "query"}, first)
}

func named(spans []receivedSpan, name string) bool {
	return slices.ContainsFunc(spans, func(s receivedSpan) bool { return s.Name == name })
}

// drawTrace draws one trace below y and returns where the next one begins.
func drawTrace(to *strings.Builder, receiver *otlpReceiver, spans []receivedSpan, y int) int {
	begin, end := spans[0].StartTimeUnixNano, uint64(0)
	for _, span := range spans {
		end = max(end, span.EndTimeUnixNano)
	}
	took := time.Duration(end - begin) //nolint:gosec // of a test
	heading := fmt.Sprintf("trace %s…, %s", spans[0].trace()[:8], took.Round(time.Millisecond))
	var linked []string
	for _, span := range spans {
		for _, link := range span.Links {
			id := hex.EncodeToString(link.TraceId)[:8] + "…"
			if !slices.Contains(linked, id) {
				linked = append(linked, id)
			}
		}
	}
	if len(linked) > 0 {
		heading += ", linked to " + strings.Join(linked, ", ")
	}
	fmt.Fprintf(to, `<text x="10" y="%d" font-weight="bold">%s</text>`+"\n", y, html.EscapeString(heading))
	scale := barWidth / float64(max(end-begin, 1))
	for _, span := range asTree(spans) {
		y += rowHeight
		x := labelWidth + float64(span.StartTimeUnixNano-begin)*scale
		width := max(float64(span.EndTimeUnixNano-span.StartTimeUnixNano)*scale, 2)
		fmt.Fprintf(to, `<text x="%d" y="%d">%s</text><rect x="%.1f" y="%d" width="%.1f" height="12" fill="%s"/>`+"\n",
			10+10*(len(receiver.path(span))-1), y, html.EscapeString(span.program+": "+span.Name), x, y-10, width,
			programColours[span.program])
	}
	return y + 2*rowHeight
}

// asTree returns the spans with what is below each directly after it.
func asTree(spans []receivedSpan) (ordered []receivedSpan) {
	known, below := map[string]bool{}, map[string][]receivedSpan{}
	for _, span := range spans {
		known[string(span.SpanId)] = true
	}
	for _, span := range spans {
		parent := string(span.ParentSpanId)
		if !known[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], span)
	}
	var add func(parent string)
	add = func(parent string) {
		for _, span := range below[parent] {
			ordered = append(ordered, span)
			add(string(span.SpanId))
		}
	}
	add("")
	return ordered
}

package bpmn

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/golden"
	"countersign/workflow"
)

// definitions returns the built-in definitions and those of workflow's testdata, by name.
func definitions(t rapid.TB) map[string]*workflow.Definition {
	t.Helper()
	var names []string
	for _, pattern := range []string{"definitions/*.yaml", "testdata/definitions/*.yaml"} {
		found, err := filepath.Glob(filepath.Join("..", "workflow", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	names = append(names, "testdata/entries.yaml", "testdata/gateways.yaml", "testdata/callable.yaml",
		"testdata/calling.yaml", "testdata/attributes.yaml", "testdata/defaults.yaml")
	parsed := map[string]*workflow.Definition{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		def, err := workflow.Parse(recorded(t, text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		parsed[strings.TrimSuffix(filepath.Base(name), ".yaml")] = def
	}
	return parsed
}

// recorded returns a text with the process kyc_check, if it calls it.
func recorded(t rapid.TB, text []byte) []byte {
	t.Helper()
	out, problems, err := workflow.Record(text, func(string) (int, string, error) {
		callable, err := os.ReadFile("testdata/callable.yaml")
		return 1, string(callable), err
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return out
}

// TestExports writes the exports that the frontend's tests load in bpmn-js.
func TestExports(t *testing.T) {
	t.Parallel()
	for name, def := range definitions(t) {
		golden.Equal(t, "exports/"+name+".bpmn", Export(def))
	}
}

// TestImports writes the imports of the exports, in which the frontend's tests find no changed step.
func TestImports(t *testing.T) {
	t.Parallel()
	for name, def := range definitions(t) {
		golden.Equal(t, "imports/"+name+".yaml", Import(Export(def)).Text)
	}
}

type rectangle struct{ x, y, width, height int }

func (r rectangle) overlaps(o rectangle) bool {
	return r.x < o.x+o.width && o.x < r.x+r.width && r.y < o.y+o.height && o.y < r.y+r.height
}

// onBorder reports whether a point is in the middle of a side, where the outline of every shape is.
func (r rectangle) onBorder(p point) bool {
	return (p.x == r.x || p.x == r.x+r.width) && p.y == r.y+r.height/2 ||
		(p.y == r.y || p.y == r.y+r.height) && p.x == r.x+r.width/2
}

// crosses reports whether a horizontal or vertical line runs through the inside.
func (r rectangle) crosses(a, b point) bool {
	line := rectangle{min(a.x, b.x), min(a.y, b.y), max(a.x, b.x) - min(a.x, b.x),
		max(a.y, b.y) - min(a.y, b.y)}
	return line.x < r.x+r.width && r.x < line.x+line.width+1 && line.y < r.y+r.height &&
		r.y < line.y+line.height+1 && !(line.x == r.x && line.width == 0) &&
		!(line.y == r.y && line.height == 0) && line.x+line.width != r.x &&
		line.y+line.height != r.y
}

func number(t rapid.TB, e *element, name string) int {
	t.Helper()
	value, err := strconv.Atoi(e.attribute(name))
	if err != nil {
		t.Fatalf("%s of %s: %v", name, e.name, err)
	}
	return value
}

// drawn reads the shapes and lines of an export.
func drawn(t rapid.TB, source []byte) (map[string]rectangle, map[string][]point, *element) {
	t.Helper()
	root, problem := readXML(source)
	if problem != nil {
		t.Fatal(problem)
	}
	shapes, lines := map[string]rectangle{}, map[string][]point{}
	for _, one := range root.named("bpmndi:BPMNDiagram")[0].children[0].children {
		id := one.attribute("bpmnElement")
		if one.name == "bpmndi:BPMNShape" {
			b := one.children[0]
			shapes[id] = rectangle{number(t, b, "x"), number(t, b, "y"), number(t, b, "width"),
				number(t, b, "height")}
			continue
		}
		for _, at := range one.children {
			lines[id] = append(lines[id], point{number(t, at, "x"), number(t, at, "y")})
		}
	}
	return shapes, lines, root.named("bpmn:process")[0]
}

// checkDrawing checks that shapes do not overlap, and that lines begin and end at the borders of their
// shapes and cross no other shape.
func checkDrawing(t rapid.TB, name string, source []byte) {
	t.Helper()
	shapes, lines, process := drawn(t, source)
	hosts := map[string]string{}
	for _, one := range process.named("bpmn:boundaryEvent") {
		hosts[one.attribute("id")] = one.attribute("attachedToRef")
	}
	nodes := 0
	for _, one := range process.children {
		if one.name == "bpmn:extensionElements" || one.name == "bpmn:sequenceFlow" {
			continue
		}
		nodes++
		if _, ok := shapes[one.attribute("id")]; !ok {
			t.Errorf("%s: %s is not drawn", name, one.attribute("id"))
		}
	}
	if nodes != len(shapes) || len(lines) != len(process.named("bpmn:sequenceFlow")) {
		t.Errorf("%s: %d nodes, %d shapes, %d lines", name, nodes, len(shapes), len(lines))
	}
	for a, one := range shapes {
		for b, other := range shapes {
			if a < b && one.overlaps(other) && hosts[a] != b && hosts[b] != a {
				t.Errorf("%s: %s overlaps %s: %v %v", name, a, b, one, other)
			}
		}
	}
	for _, one := range process.named("bpmn:sequenceFlow") {
		points := lines[one.attribute("id")]
		from, to := one.attribute("sourceRef"), one.attribute("targetRef")
		if !shapes[from].onBorder(points[0]) || !shapes[to].onBorder(points[len(points)-1]) {
			t.Errorf("%s: %s does not touch its shapes: %v", name, one.attribute("id"), points)
		}
		for id, shape := range shapes {
			if id == from || id == to || hosts[from] == id {
				continue
			}
			for i := range points[1:] {
				if shape.crosses(points[i], points[i+1]) {
					t.Errorf("%s: %s crosses %s: %v %v", name, one.attribute("id"), id, points,
						shape)
				}
			}
		}
	}
}

func TestShapesDoNotOverlapAndLinesTouchThem(t *testing.T) {
	t.Parallel()
	for name, def := range definitions(t) {
		checkDrawing(t, name, Export(def))
	}
}

// TestAParallelGatewayWaitsForWhatAJoinWaitsFor checks that no parallel gateway has two incoming flows
// that are alternatives: BPMN would wait for both.
func TestAParallelGatewayWaitsForWhatAJoinWaitsFor(t *testing.T) {
	t.Parallel()
	_, _, process := drawn(t, Export(definitions(t)["gateways"]))
	incoming := map[string][]string{}
	for _, one := range process.named("bpmn:sequenceFlow") {
		incoming[one.attribute("targetRef")] = append(incoming[one.attribute("targetRef")],
			one.attribute("sourceRef"))
	}
	for id, want := range map[string]string{
		"split":          "Merge_split",
		"Merge_split":    "first checks Error_2_checks",
		"both":           "a Merge_b_both",
		"Merge_b_both":   "b Timeout_b",
		"seal_abandoned": "Start_on_abandon",
	} {
		if got := strings.Join(incoming[id], " "); got != want {
			t.Errorf("%s follows %s, not %s", id, got, want)
		}
	}
}

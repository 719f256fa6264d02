package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/events"
)

// LabelsFile is the path of the labels of all event types, from the module's root. People write it.
const LabelsFile = "events/labels.json"

// label is the label of an event type in each language of the pages.
type label struct {
	English string `json:"en"`
	Chinese string `json:"zh"`
}

// Labels returns the content of the files with the labels of one language, by path from the
// module's root. It fails if a type has no label or a label has no type.
func Labels(contracts []*events.Contract, text []byte) (map[string][]byte, error) {
	var labels map[string]label
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&labels); err != nil {
		return nil, fmt.Errorf("parse %s: %w", LabelsFile, err)
	}
	english, chinese := map[string]map[string]string{}, map[string]map[string]string{}
	for _, kind := range append(kinds(contracts), events.StatusChanged) {
		found, ok := labels[string(kind)]
		if !ok || found.English == "" || found.Chinese == "" {
			return nil, fmt.Errorf("%s: %s needs a label in en and zh", LabelsFile, kind)
		}
		delete(labels, string(kind))
		group, name, _ := strings.Cut(string(kind), ".")
		put(english, group, name, found.English)
		put(chinese, group, name, found.Chinese)
	}
	for kind := range labels {
		return nil, fmt.Errorf("%s: %s is not an event type", LabelsFile, kind)
	}
	files := map[string][]byte{}
	for language, tree := range map[string]map[string]map[string]string{
		"en": english, "zh": chinese,
	} {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(tree); err != nil {
			return nil, fmt.Errorf("write the labels: %w", err)
		}
		files["frontend/src/i18n/"+language+"/eventTypes.json"] = out.Bytes()
	}
	return files, nil
}

func put(tree map[string]map[string]string, group, name, text string) {
	if tree[group] == nil {
		tree[group] = map[string]string{}
	}
	tree[group][name] = text
}

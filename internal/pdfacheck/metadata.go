package pdfacheck

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"unicode/utf8"
)

// predefined are the properties of predefined schemas that a file may have here, by their namespaces.
var predefined = map[string][]string{
	"http://www.aiim.org/pdfa/ns/id/":  {"part", "conformance", "amd", "corr"},
	"http://purl.org/dc/elements/1.1/": {"format", "title", "source", "creator", "description", "identifier"},
	"http://ns.adobe.com/xap/1.0/":     {"CreatorTool", "CreateDate", "ModifyDate", "MetadataDate"},
	"http://ns.adobe.com/pdf/1.3/":     {"Producer", "Keywords"},
}

const rdfSpace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

var packetHeader = regexp.MustCompile(`^<\?xpacket begin="[^"]*" id="W5M0MpCehiHzreSzNTczkc9d"([^>]*)\?>`)

func (f *file) checkMetadata(catalog dict) {
	o := f.streamOf(catalog["Metadata"])
	if o == nil {
		f.report("6.6.2.1", "the catalogue has no metadata")
		f.report("6.6.4", "the file does not identify its part and level")
		return
	}
	d, _ := o.value.(dict)
	data, err := f.decoded(o)
	if err != nil || d["Type"] != name("Metadata") || d["Subtype"] != name("XML") {
		f.report("6.6.2.1", "the metadata are %v (%v)", d, err)
	}
	header := packetHeader.FindSubmatch(data)
	if header == nil || len(bytes.TrimSpace(header[1])) > 0 || !utf8.Valid(data) ||
		!bytes.Contains(data, []byte("<?xpacket end=")) {
		f.report("6.6.2.1", "the metadata are no packet in UTF-8 without bytes and encoding")
	}
	properties, err := f.properties(data)
	if err != nil {
		f.report("6.6.2.1", "the metadata are not well-formed: %v", err)
	}
	const id = "http://www.aiim.org/pdfa/ns/id/"
	if part, level := properties[xml.Name{Space: id, Local: "part"}],
		properties[xml.Name{Space: id, Local: "conformance"}]; part != "2" || level != "U" {
		f.report("6.6.4", "the file is identified as part %q, level %q", part, level)
	}
}

// properties reads the properties with their texts.
func (f *file) properties(data []byte) (map[xml.Name]string, error) {
	found := map[xml.Name]string{}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	var path []xml.Name
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && len(path) == 0 {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name)
			if len(path) > 1 && path[len(path)-2] == (xml.Name{Space: rdfSpace, Local: "Description"}) {
				f.checkProperty(t.Name)
			}
			if t.Name == (xml.Name{Space: rdfSpace, Local: "Description"}) {
				for _, attribute := range t.Attr {
					if attribute.Name.Space != "xmlns" && attribute.Name.Space != rdfSpace {
						f.checkProperty(attribute.Name)
						found[attribute.Name] = attribute.Value
					}
				}
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if len(path) > 0 {
				found[path[len(path)-1]] += string(t)
			}
		}
	}
}

func (f *file) checkProperty(property xml.Name) {
	for _, known := range predefined[property.Space] {
		if known == property.Local {
			return
		}
	}
	f.report("6.6.2.3.1", "the property %s of %s is not predefined", property.Local, property.Space)
}

package pdfacheck

import (
	"errors"
	"strings"
)

// operators are those of content streams (ISO 32000-1, annex A).
var operators = strings.Fields(`b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID
	j J K k l m M MP n q Q re RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' "`)

// shownCodes are the codes that text shows, by the objects of their fonts.
type shownCodes map[int64]map[int]bool

func (f *file) checkPage(number int64, page dict, shown shownCodes) {
	box := f.list(page["MediaBox"])
	if len(box) != 4 {
		f.report("6.1.13", "page %d has the bounds %v", number, page["MediaBox"])
	}
	var corners [4]float64
	for i := range min(len(box), 4) {
		corners[i], _ = numberOf(f.resolve(box[i]))
	}
	for _, side := range []float64{corners[2] - corners[0], corners[3] - corners[1]} {
		if side < 3 || side > 14400 {
			f.report("6.1.13", "page %d has a side of %g units", number, side)
		}
	}
	if _, has := page["Resources"]; !has {
		f.report("6.2.2", "page %d has no resources of its own", number)
	}
	o := f.streamOf(page["Contents"])
	if o == nil {
		f.report("6.2.2", "page %d has no content stream", number)
		return
	}
	data, err := f.decoded(o)
	if err != nil {
		f.report("6.2.2", "the content of page %d: %v", number, err)
		return
	}
	c := &content{file: f, page: number, resources: f.dict(page["Resources"]), shown: shown}
	c.run(data)
}

func numberOf(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// content is the state of reading a content stream.
type content struct {
	file      *file
	page      int64
	resources dict
	shown     shownCodes
	font      int64 // object, 0 for none
	nesting   int
}

func (c *content) run(data []byte) {
	p := &parser{data: data, report: c.file.report}
	var operands []any
	for {
		value, err := p.value()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			c.file.report("6.2.2", "the content of page %d: %v", c.page, err)
			return
		}
		op, ok := value.(operator)
		if !ok {
			operands = append(operands, value)
			continue
		}
		c.operate(string(op), operands)
		operands = nil
	}
	if len(operands) > 0 || c.nesting != 0 {
		c.file.report("6.2.2", "the content of page %d is incomplete", c.page)
	}
}

func (c *content) operate(op string, operands []any) {
	known := false
	for _, candidate := range operators {
		known = known || candidate == op
	}
	if !known {
		c.file.report("6.2.2", "page %d has the operator %q", c.page, op)
	}
	switch op {
	case "q":
		if c.nesting++; c.nesting > 28 {
			c.file.report("6.1.13", "page %d nests q %d times", c.page, c.nesting)
		}
	case "Q":
		c.nesting--
	case "Do":
		c.resource("XObject", operands)
	case "gs":
		c.file.report("6.2.5", "page %d uses an extended graphics state", c.page)
	case "Tf":
		r, _ := c.resource("Font", operands).(ref)
		c.font = r.number
	case "Tj", "TJ", "'", `"`:
		for _, operand := range operands {
			c.show(operand)
		}
	}
}

// resource returns an entry of the resources of the page.
func (c *content) resource(kind name, operands []any) any {
	if len(operands) > 0 {
		if wanted, ok := operands[0].(name); ok {
			if value, ok := c.file.dict(c.resources[kind])[wanted]; ok {
				return value
			}
		}
	}
	c.file.report("6.2.2", "page %d uses %v, which is not in its resources", c.page, operands)
	return nil
}

func (c *content) show(value any) {
	switch v := value.(type) {
	case array:
		for _, element := range v {
			c.show(element)
		}
	case text:
		if c.font == 0 || len(v)%2 != 0 {
			c.file.report("6.2.11.2", "page %d shows text of %d bytes with font %d", c.page, len(v), c.font)
			return
		}
		if c.shown[c.font] == nil {
			c.shown[c.font] = map[int]bool{}
		}
		for i := 0; i+1 < len(v); i += 2 {
			c.shown[c.font][int(v[i])<<8|int(v[i+1])] = true
		}
	}
}

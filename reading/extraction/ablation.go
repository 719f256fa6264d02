package extraction

// Ablation names the parts of the extraction that a measurement leaves out, to find what each is
// worth. The zero value leaves out none; the product never sets another.
type Ablation struct {
	Repairs   bool // of the letters and digits that engines confuse
	Sums      bool // constraints: sums of amounts, repeated amounts, payment less change
	NameRules bool // company before brand, names over two rows, position by the address
	CleanUp   bool // removal of marks, labels and register numbers from names
}

// leaveOut applies an ablation to the layout.
func (s *documentLayout) leaveOut(parts Ablation) {
	s.without = parts
	for _, r := range s.rows {
		r.unrepaired = parts.Repairs
	}
}

// cleanName returns the name in a block as it is reported.
func (s *documentLayout) cleanName(b nameBlock) string {
	switch {
	case s.without.CleanUp:
		return textOf(b.words)
	case s.without.Repairs:
		return cleanName(wideMarks.Replace(b.text))
	}
	return tidyName(b.text)
}

// dateRepair returns the repair of dates, or one that changes nothing.
func (s *documentLayout) dateRepair(repair func(string) string) func(string) string {
	if s.without.Repairs {
		return func(text string) string { return text }
	}
	return repair
}

package main

import "strings"

// amounts describes the amount of a case, and the amount at risk if it is another one.
func amounts(amount, atRisk *money) string {
	if atRisk == nil {
		return amount.String()
	}
	return amount.String() + ", at risk " + atRisk.String()
}

// showDifferences prints the fields with different values, the current one of each first.
func (c *console) showDifferences(differences []caseDifference) error {
	var rows [][]string
	for i := range differences {
		for at, value := range differences[i].Values {
			text, state := orDash(value.Value), ""
			if value.Currency != nil {
				text += " " + *value.Currency
			}
			if at == 0 {
				state = "current"
				if differences[i].Pending != nil {
					state = "needs a second person: " +
						strings.ReplaceAll(strings.ToLower(*differences[i].Pending), "_", " ")
				}
			}
			when := ""
			if value.At != nil {
				when = localTime(*value.At)
			}
			rows = append(rows, []string{differences[i].Field, text,
				strings.ToLower(value.Source), value.By.String(), orDash(when), orDash(state)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	c.printLine("")
	return c.printTable(nil, []string{"DIFFERENT VALUES", "VALUE", "SOURCE", "BY", "AT", "STATE"},
		rows)
}

package domain

import "strconv"

// SumBand returns the band in which an amount in minor units is summed: amounts with the same length
// and the same first two digits share one. It rises with the amount. The database has the same
// function.
func SumBand(baseMinor int64) int {
	if baseMinor < 10 {
		return int(baseMinor)
	}
	text := strconv.FormatInt(baseMinor, 10)
	return (len(text)-2)*90 + int(text[0]-'0')*10 + int(text[1]-'0')
}

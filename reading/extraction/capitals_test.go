package extraction

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAmountsInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"柒仟零壹拾捌圆捌角叁分": 701883, "壹圆整": 100, "拾圆整": 1000, "壹拾元正": 1000, "零圆伍角整": 50, "伍角整": 50,
		"叁分": 3, "壹佰圆零叁分": 10003, "贰佰捌拾贰圆伍角整": 28250, "壹万零伍佰圆整": 1050000, "壹万伍佰圆整": 1050000,
		"壹亿贰仟万圆整": 12000000000, "貳萬參仟陸佰圓整": 2360000, "壹仟零伍圆整": 100500, "玖仟玖佰玖拾玖万圆整": 9999000000,
		"壹拾伍圆陆角": 1560,
	} {
		if got, ok := parseCapitals(text); !ok || got != want {
			t.Errorf("%s is %d, want %d (%t)", text, got, want, ok)
		}
	}
	// Words with a missing or misread character confirm nothing.
	for _, text := range []string{"", "圆", "圆整", "整", "贰佰伍圆整", "柒仟壹拾捌", "壹圆", "壹拾壹拾圆整", "壹佰壹仟圆整",
		"壹万万圆整", "亿圆整", "五圆整", "壹圆壹分壹角", "壹零圆整", "零零圆整", "壹拾佰圆整", "壹角壹角", "壹 圆整",
		strings.Repeat("壹", 60) + "圆整", "7018.83"} {
		if got, ok := parseCapitals(text); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// capitals writes an amount in words as an invoice does.
func capitals(hundredths int64) string {
	digits := []rune("零壹贰叁肆伍陆柒捌玖")
	section := func(n int64) string {
		var text strings.Builder
		zero := false
		for _, unit := range []struct {
			times int64
			name  string
		}{{1000, "仟"}, {100, "佰"}, {10, "拾"}, {1, ""}} {
			digit := n / unit.times % 10
			if digit == 0 {
				zero = text.Len() > 0
				continue
			}
			if zero {
				text.WriteString("零")
				zero = false
			}
			text.WriteString(string(digits[digit]) + unit.name)
		}
		return text.String()
	}
	units := hundredths / 100
	text := ""
	for _, part := range []struct {
		times int64
		name  string
	}{{100_000_000, "亿"}, {10_000, "万"}, {1, ""}} {
		n := units / part.times % 10_000
		if n == 0 {
			continue
		}
		if text != "" && n < 1000 {
			text += "零"
		}
		text += section(n) + part.name
	}
	if text == "" {
		text = "零"
	}
	text += "圆"
	tenths, ones := hundredths/10%10, hundredths%10
	switch {
	case tenths == 0 && ones == 0:
		return text + "整"
	case tenths == 0:
		return text + "零" + string(digits[ones]) + "分"
	case ones == 0:
		return text + string(digits[tenths]) + "角整"
	}
	return text + string(digits[tenths]) + "角" + string(digits[ones]) + "分"
}

func TestAmountsInWordsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64Range(0, 999_999_999_999).Draw(t, "hundredths")
		text := capitals(want)
		if got, ok := parseCapitals(text); !ok || got != want {
			t.Fatalf("%d is written %s and read as %d, %t", want, text, got, ok)
		}
	})
}

func FuzzParseCapitals(f *testing.F) {
	f.Add("柒仟零壹拾捌圆捌角叁分")
	f.Add("壹亿零叁万圆整")
	f.Add("零圆伍角")
	f.Fuzz(func(t *testing.T, text string) {
		value, ok := parseCapitals(text)
		if !ok {
			return
		}
		if value < 0 || value > 10_000*100_000_000*100 {
			t.Errorf("%q is %d", text, value)
		}
		again, ok := parseCapitals(capitals(value))
		if !ok || again != value {
			t.Errorf("%q is %d, again %d", text, value, again)
		}
	})
}

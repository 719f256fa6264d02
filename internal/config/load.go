package config

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"countersign/domain"
)

// prefix marks the variables that are ours alone; an unknown one is a misspelt setting.
const prefix = "COUNTERSIGN_"

// Setting describes one variable for help texts and for the page in docs.
type Setting struct {
	Name, Default, Doc string
	Secret             bool
}

// Load reads the environment of this process. The error is InvalidInput and names every wrong
// variable.
func Load() (Config, error) { return parse(os.Environ()) }

// Settings lists every setting in the order of the struct.
func Settings() []Setting {
	var list []Setting
	var c Config
	walk(reflect.ValueOf(&c).Elem(), func(f field) {
		list = append(list, Setting{Name: f.name, Default: f.fallback, Doc: f.doc,
			Secret: f.secret})
	})
	return list
}

// Redacted lists "NAME=value" of every setting that is not empty, secrets as dots; it is fit for
// logs.
func (c Config) Redacted() []string {
	var lines []string
	walk(reflect.ValueOf(&c).Elem(), func(f field) {
		text := f.text()
		switch {
		case text == "":
		case f.secret:
			lines = append(lines, f.name+"=…")
		default:
			lines = append(lines, f.name+"="+text)
		}
	})
	return lines
}

// field is one setting together with the place its value goes.
type field struct {
	name, fallback, doc string
	oneOf               []string
	min                 string
	secret              bool
	value               reflect.Value
}

// parse reads settings from lines "NAME=value".
func parse(environ []string) (Config, error) {
	given := map[string]string{}
	for _, line := range environ {
		if name, value, ok := strings.Cut(line, "="); ok && value != "" {
			given[name] = value
		}
	}
	var c Config
	var wrong []string
	known := map[string]bool{}
	walk(reflect.ValueOf(&c).Elem(), func(f field) {
		known[f.name] = true
		if problem := f.set(given); problem != "" {
			wrong = append(wrong, problem)
		}
	})
	for name := range given {
		if strings.HasPrefix(name, prefix) && !known[name] {
			wrong = append(wrong, unknown(name, known))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return Config{}, domain.Errorf(domain.InvalidInput, "These settings are not valid: %s.",
			strings.Join(wrong, "; ")).
			WithRemedy("Correct or unset the named variables.")
	}
	return c, nil
}

// walk visits every setting, going down into groups.
func walk(group reflect.Value, visit func(field)) {
	for i := range group.NumField() {
		tag := group.Type().Field(i).Tag
		name, ok := tag.Lookup("env")
		if !ok {
			walk(group.Field(i), visit)
			continue
		}
		visit(field{
			name: name, fallback: tag.Get("default"), doc: tag.Get("doc"), min: tag.Get("min"),
			oneOf: strings.Fields(tag.Get("oneof")), secret: tag.Get("secret") == "true",
			value: group.Field(i),
		})
	}
}

// set parses the given value, else the default. The returned sentence never repeats a secret.
func (f field) set(given map[string]string) string {
	text, ok := given[f.name]
	if !ok {
		text = f.fallback
	}
	if len(f.oneOf) > 0 && !slices.Contains(f.oneOf, text) {
		return fmt.Sprintf("%s must be one of %s, not %q", f.name, strings.Join(f.oneOf, ", "),
			text)
	}
	if err := assign(f.value, text); err != nil {
		return fmt.Sprintf("%s must be %s, not %q", f.name, err, f.displayed(text))
	}
	if f.min == "" {
		return ""
	}
	least := reflect.New(f.value.Type()).Elem()
	if err := assign(least, f.min); err != nil {
		return fmt.Sprintf("%s has a wrong tag min: %v", f.name, err)
	}
	if f.value.Int() < least.Int() {
		return fmt.Sprintf("%s must be at least %s, not %q", f.name, f.min, f.displayed(text))
	}
	return ""
}

func (f field) displayed(text string) string {
	if f.secret {
		return "…"
	}
	return text
}

// text renders the present value as it would be written in the environment.
func (f field) text() string {
	if list, ok := f.value.Interface().([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(f.value.Interface())
}

// assign parses text into a setting; the error is the name of what was expected.
func assign(value reflect.Value, text string) error {
	if value.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		value.SetInt(int64(d))
		return expected(err, "a duration like 30s or 5m")
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(text)
		return nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		value.SetBool(b)
		return expected(err, "true or false")
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, value.Type().Bits())
		value.SetInt(n)
		return expected(err, "a whole number")
	case reflect.Float64:
		share, err := strconv.ParseFloat(text, 64)
		if err == nil && !(share >= 0 && share <= 1) { // also not a number
			err = strconv.ErrRange
		}
		value.SetFloat(share)
		return expected(err, "a number from 0 to 1")
	case reflect.Slice:
		value.Set(reflect.ValueOf(splitList(text)))
		return nil
	default:
		return fmt.Errorf("a type that package config knows (%s is none)", value.Type())
	}
}

func expected(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s", what)
}

// splitList splits a list at commas; blanks around and empty entries fall away.
func splitList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// unknown says which variable is none of ours, and the nearest name that is.
func unknown(name string, known map[string]bool) string {
	best, distance := "", 4
	for candidate := range known {
		if d := levenshtein.ComputeDistance(name, candidate); d < distance || (d == distance && candidate < best) {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return name + " is not a setting"
	}
	return fmt.Sprintf("%s is not a setting (%s is)", name, best)
}

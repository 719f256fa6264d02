package domain

// PersonSetting is what a person chose about the layout of the pages, as a number. It is stored with the
// account, so every browser of the person has it.
type PersonSetting string

// The settings.
const (
	SettingHiddenMenu PersonSetting = "hidden_menu" // 1: the menu is hidden on wide screens
	SettingSideWidth  PersonSetting = "side_width"  // pixels of the side panel of a review; 0 is the default
)

// personSettings are the settings with their largest values.
var personSettings = map[PersonSetting]int{SettingHiddenMenu: 1, SettingSideWidth: 10_000}

// CheckPersonSetting refuses settings that do not exist, and values outside of their bounds.
func CheckPersonSetting(name PersonSetting, value int) error {
	most, known := personSettings[name]
	switch {
	case !known:
		return Invalid("name", "There is no such setting.")
	case value < 0 || value > most:
		return Invalid("value", "The value of this setting is between 0 and %d.", most)
	}
	return nil
}

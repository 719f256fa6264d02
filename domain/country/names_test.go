package country_test

// named holds texts that Parse knows, by country.
var named = map[string][]string{
	"IR": {
		"Iran", "IRAN", "iran", "Islamic Republic of Iran", "IRAN (ISLAMIC REPUBLIC OF)",
		"Iran, Islamic Republic of", "Iran (Islamic Republic of)", "I.R. Iran", "Persia", "Irán",
		"伊朗", "伊朗伊斯兰共和国", "IR", "IRN", "ir", "irn", "Tehran, Iran", "Tehran Iran", "Tehran - Iran",
		"Tehran / Iran", "Tehran (Iran)", "Iran (IR)", "IR - Iran", "Iran / IR",
		"No. 12, Valiasr Ave, Tehran, Iran", "Isfahan, I.R. Iran", "伊朗德黑兰", "伊朗 德黑兰", "Iran.",
		"Tehran, IR", "Tehran, Iran (Islamic Republic of)", "Tehran, Iran, Islamic Republic of",
		"Iran, Tehran",
	},
	"CI": {
		"Ivory Coast", "Côte d'Ivoire", "Cote d’Ivoire", "COTE D'IVOIRE", "Elfenbeinküste",
		"Abidjan, Ivory Coast",
	},
	"MM": {
		"Burma", "Myanmar", "MYANMAR (BURMA)", "缅甸", "Yangon, Myanmar",
	},
	"KP": {
		"North Korea", "DPRK", "D.P.R.K.", "Democratic People's Republic of Korea",
		"Korea, Democratic People’s Republic of", "KOREA (THE DEMOCRATIC PEOPLE'S REPUBLIC OF)",
		"朝鲜", "北朝鲜", "Korea (North)", "Nordkorea", "Pyongyang, DPR Korea", "朝鮮", "Corée du Nord",
	},
	"KR": {
		"South Korea", "Republic of Korea", "Korea, Republic of", "Korea (the Republic of)",
		"S. Korea", "Südkorea", "Suedkorea", "韩国", "Seoul, Korea", "Busan, Republic of Korea",
	},
	"GB": {
		"UK", "U.K.", "u.k.", "Great Britain", "England", "Scotland", "Wales", "Northern Ireland",
		"United Kingdom", "UNITED KINGDOM OF GREAT BRITAIN AND NORTHERN IRELAND", "Großbritannien",
		"London, UK", "London, England, UK", "英国",
	},
	"US": {
		"USA", "U.S.A.", "U. S. A.", "US", "United States", "United States of America",
		"Estados Unidos", "États-Unis", "美国", "New York, NY, USA", "Atlanta, Georgia, USA",
		"Georgia, USA", "Cuba Street, Austin, USA",
	},
	"AE": {
		"UAE", "U.A.E.", "United Arab Emirates", "Dubai, UAE", "Dubai U.A.E.", "阿联酋",
		"Abu Dhabi, United Arab Emirates",
	},
	"NL": {
		"Holland", "Netherlands", "The Netherlands", "Pays-Bas", "Niederlande", "荷兰",
		"Rotterdam, The Netherlands",
	},
	"CZ": {
		"Czech Republic", "Czechia", "Tschechien", "Česká republika", "Praha, Czech Republic",
	},
	"TR": {
		"Türkiye", "Turkey", "TURKIYE", "Türkei", "土耳其", "Istanbul, Türkiye",
	},
	"RU": {
		"Russia", "Russian Federation", "Russische Föderation", "Россия", "俄罗斯", "Moscow, Russia",
		"RUS",
	},
	"DE": {
		"Deutschland", "Germany", "GERMANY", "Bundesrepublik Deutschland", "Allemagne", "Alemania",
		"DE - Deutschland", "德国", "DEU",
	},
	"ES": {
		"España", "Espana", "Spain", "Spanien", "西班牙",
	},
	"CH": {
		"Schweiz", "Switzerland", "Suisse", "Swiss Confederation", "Zürich, Schweiz", "CHE",
	},
	"HK": {
		"Hong Kong", "Hongkong", "HONG KONG SAR", "香港", "中国香港", "Hong Kong, China",
		"Kowloon, Hong Kong", "Hong Kong, CN",
	},
	"MO": {
		"Macau", "Macao SAR", "澳门",
	},
	"TW": {
		"Taiwan", "Taiwan, Province of China", "R.O.C.", "台湾", "Taipei, Taiwan",
	},
	"CN": {
		"China", "P.R. China", "P. R. China", "PR CHINA", "People's Republic of China",
		"Shanghai, China", "中国", "中华人民共和国", "中国上海市浦东新区", "中国广东省深圳市", "中国上海",
	},
	"GE": {
		"Georgia", "Tbilisi, Georgia", "Georgien", "格鲁吉亚",
	},
	"JO": {
		"Jordan", "Hashemite Kingdom of Jordan", "Amman, Jordan",
	},
	"CD": {
		"DR Congo", "Congo (the Democratic Republic of the)", "Zaire", "Kinshasa, DRC",
	},
	"CG": {
		"Republic of the Congo", "Congo-Brazzaville",
	},
	"LA": {
		"Laos", "Lao People's Democratic Republic",
	},
	"VN": {
		"Viet Nam", "Vietnam", "越南",
	},
	"SY": {
		"Syria", "Syrian Arab Republic", "叙利亚",
	},
	"VE": {
		"Venezuela (Bolivarian Republic of)",
	},
	"BO": {
		"Bolivia, Plurinational State of",
	},
	"TZ": {
		"Tanzania, United Republic of",
	},
	"MD": {
		"Moldova (the Republic of)",
	},
	"FM": {
		"Micronesia (Federated States of)",
	},
	"PS": {
		"Palestine, State of",
	},
	"VA": {
		"Holy See",
	},
	"MK": {
		"North Macedonia", "FYROM",
	},
	"SZ": {
		"Eswatini", "Swaziland",
	},
	"CV": {
		"Cabo Verde", "Cape Verde",
	},
	"TL": {
		"East Timor", "Timor-Leste",
	},
	"LC": {
		"St. Lucia", "Saint Lucia",
	},
	"TT": {
		"Trinidad & Tobago", "Trinidad and Tobago",
	},
	"VG": {
		"BVI", "Virgin Islands (British)",
	},
	"PR": {
		"Puerto Rico", "San Juan, Puerto Rico, USA",
	},
	"GR": {
		"Greece", "Griechenland", "Hellas", "EL",
	},
	"XK": {
		"Kosovo", "XK",
	},
	"CU": {
		"Cuba", "古巴",
	},
	"LB": {
		"Lebanon", "Beirut, Lebanon",
	},
	"SE": {
		"Sverige",
	},
	"AT": {
		"Österreich", "Oesterreich",
	},
	"GW": {
		"Guinea-Bissau",
	},
	"PG": {
		"Papua New Guinea",
	},
	"GQ": {
		"Equatorial Guinea",
	},
	"SS": {
		"South Sudan",
	},
	"SD": {
		"Sudan",
	},
}

// unnamed are texts in which Parse must not find a country.
var unnamed = []string{
	"", "", "x", "ZZ", "XX", "QQ", "UN", "EU", "AA", "ZZZ", "Atlantis", "Georgia Ave",
	"Jordan Smith", "Jordan Smith, Georgia Ave", "Turkey sandwich", "Chad's Garage", "Niger Street",
	"Jersey City, NJ", "Jersey City", "Atlanta, Georgia", "Paris, Texas", "New Mexico",
	"Bank of China (Hong Kong)", "Bank of China", "Bank of China Limited", "中国银行", "中国银行股份有限公司",
	"中国工商银行上海市分行", "美国运通", "法国餐厅", "Korea", "Congo", "Virgin Islands", "Europe", "European Union",
	"Asia", "Middle East", "Wilmington, DE", "San Francisco, CA", "Indianapolis, IN", "Atlanta, GA",
	"Lebanon, PA", "Denver, CO", "Bangor, ME", "Mobile, AL", "Little Rock, AR", "Toronto, ON",
	"Peru, IN", "China, ME", "Norway, ME", "Cuba, MO", "Iran, Germany",
	"Hamburg, Germany / Tehran, Iran", "Jordan, Germany", "Tehran", "Pyongyang", "Paris", "London",
	"Moscow", "德黑兰", "北京", "上海市浦东新区", "+98 21 1234", "IR-1234", "DE89370400440532013000", "Iranian",
	"German", "French toast", "Swiss cheese", "Swiss", "China plate", "Fine China Ltd",
	"Brazil nuts", "Panama hat", "Guinea pig", "Cuban cigar", "s", "Persian rug", "Turkish delight",
	"New York", "New Delhi", "Mexico City", "Guatemala City Hall", "West Virginia", "Côte", "Ivory",
	"not Iran", "to Iran or Iraq", "Iran and Iraq", "Iraq, Iran", "Air France", "Via Roma 12",
	"Rue de Suisse", "Chad Johnson", "Israel Garcia", "Kenya Brown", "India Jones",
	"Georgia O'Keeffe", "Sudan Grass", "Niger seed", "Malta beer", "Chile con carne", "Java",
	"Macedonia Street 3", "Republic", "United", "Kingdom", "Islands", "Democratic Republic", "n/a",
	"none", "unknown", "-", "???", "12345", "USD", "EUR", "Amount: 5", "Invoice", "De", "Ir", "iN",
	"Lan", "The", "Moldova Street", "US Dollar", "U.S. Robotics", "Hong Kong Dollar", "HK$",
	"Singapore Airlines", "Bank of America", "America First", "Kowloon", "Deutschland AG",
	"Schweizer Käse", "España SL", "UK-registered", "Usage", "Uke", "Norwegian", "Ltd, Jordan, Inc",
	"Jordanian dinar", "Congo red", "Holland & Barrett", "England Logistics", "Scotland Yard",
	"Wales Ltd", "Ireland Ave", "Cyprus Hill", "Lebanon bologna", "Peruvian", "Poland Spring",
	"Greece Road 4", "Egyptian cotton", "Singapore noodles", "Macau Street", "Taiwan Semiconductor",
	"Chile verde", "Chad Smith, CEO", "Kuwait Road, Leeds", "Georgia, Atlanta", "Atlanta Georgia",
	"Augusta, Georgia", "Georgia 30303",
}

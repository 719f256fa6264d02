package country_test

// addressed holds addresses by country, their lines separated by semicolons.
var addressed = map[string][]string{
	"IR": {
		"12 Valiasr Ave;Tehran;Iran", "Acme;Tehran, Iran", "12 Valiasr Ave, Tehran, Iran",
		"Tehran 11369 Iran", "Acme;Tehran Iran;Tel: +98 21 5550",
		"Acme;Tehran;IRAN (ISLAMIC REPUBLIC OF)", "Acme;Tehran;Country: Iran",
		"Acme;Isfahan;I.R. Iran", "Acme;Bandar Abbas;伊朗",
	},
	"DE": {
		"Siemens AG;80331 München;Deutschland", "Siemens AG;Hauptstr. 1;80331 München Deutschland",
		"Siemens AG;D-80331 München", "Acme;10115 Berlin;DE", "Acme;10115 Berlin;DE - Deutschland",
		"Acme GmbH, Hauptstr. 1, 80331 München, Germany",
		"Acme;10115 Berlin;Germany;www.acme.example", "Acme;10115 Berlin;GERMANY;info@acme.example",
	},
	"FR": {
		"12 Rue X;75001 Paris;France", "12 Rue X, 75001 Paris, France", "F-75008 Paris",
		"75001 PARIS FRANCE",
	},
	"GB": {
		"10 High Street;London SW1A 1AA;United Kingdom", "London SW1A 1AA, UK",
		"London SW1A 1AA United Kingdom", "1 Road;Leeds LS1 4AP;England",
	},
	"US": {
		"1 Main St;New York, NY 10001;USA", "New York, NY 10001, USA",
		"1 Peachtree St, Atlanta, Georgia, USA", "New York, NY 10001 USA",
		"1 Road;Cuba, Missouri, USA",
	},
	"AE": {
		"PO Box 1;Dubai UAE", "PO Box 1;Dubai, UAE", "PO Box 1234;Dubai;U.A.E.",
	},
	"JO": {
		"P.O. Box 12;11183 Amman;Jordan", "11183 Amman, Jordan", "Amman 11183, Jordan",
		"Amman Jordan",
	},
	"GE": {
		"1 Rustaveli Ave;0105 Tbilisi;Georgia", "Tbilisi, Georgia", "0105 Tbilisi, Georgia",
	},
	"SG": {
		"1 Raffles Place;Singapore 048616", "1 Raffles Place;Singapore",
		"1 Raffles Place, Singapore 048616",
	},
	"HK": {
		"1 Queen's Road;Central;Hong Kong", "8 Finance St, Central, Hong Kong",
		"1 Road, Kowloon, Hong Kong, China",
	},
	"CN": {
		"Pudong, Shanghai, China 200120", "8 Road;Shanghai 200120;P.R. China", "中国上海市浦东新区世纪大道1号",
		"深圳公司;中国广东省深圳市南山区",
	},
	"TR": {
		"Ataturk Cad. 5;34000 Istanbul;Türkiye", "34000 Istanbul, Turkey",
	},
	"CH": {
		"CH-8001 Zürich", "Bahnhofstr. 1;8001 Zürich;Schweiz",
	},
	"CA": {
		"1 King St;Toronto ON M5H 2N2;Canada", "Toronto, ON M5H 2N2, Canada",
		"Toronto, Canada M5H 2N2",
	},
	"NL": {
		"1 Kade;1011 AB Amsterdam;The Netherlands", "1011 AB Amsterdam, Holland",
	},
	"IN": {
		"5 Road;Mumbai 400001;India", "Mumbai, India - 400001",
	},
	"JP": {
		"1-2-3 Chiyoda;Tokyo 100-0001;Japan", "Tokyo, Japan 100-0001",
	},
	"IT": {
		"Via Roma 1;20121 Milano (Italy)", "Milano (Italy)",
	},
	"MC": {
		"98000 Monaco",
	},
	"LU": {
		"L-1234 Luxembourg", "1 Rue;L-1234 Luxembourg",
	},
	"PG": {
		"1 Street;Port Moresby 111;Papua New Guinea",
	},
	"KP": {
		"1 Street;Pyongyang;DPRK", "Pyongyang, North Korea",
	},
	"KR": {
		"100 Sejong-daero;Seoul 03045;Korea", "Seoul, Korea",
	},
}

// unaddressed are texts in which InAddress must not find a country.
var unaddressed = []string{
	"", "Jordan", "Georgia", "Jordan Smith", "Jordan Smith;Georgia Ave",
	"Jordan Smith, Georgia Ave", "Turkey sandwich", "Chad's Garage", "Niger Street",
	"Jersey City, NJ", "Jersey City, NJ 07302", "Atlanta, Georgia", "Atlanta, Georgia 30303",
	"12 Peachtree St;Atlanta;Georgia", "Paris, Texas", "New Mexico", "Santa Fe, New Mexico",
	"Santa Fe 87501 New Mexico", "Santa Fe, New Mexico 87501", "Bank of China (Hong Kong)",
	"Acme;Bank of China (Hong Kong)", "Bank of China", "1234 Bank of China", "Smith, Jordan",
	"Smith;Jordan", "Attn:;Jordan", "Garcia, Israel", "Garage;Chad", "Ham, Turkey", "Cups, China",
	"Wilmington, DE", "Wilmington;DE", "1 Road;Wilmington;DE", "San Jose;CA",
	"1 Road, San Jose, CA", "1 Road;San Jose, CA 95101", "Atlanta, GA", "Indianapolis, IN",
	"Mobile, AL", "Lebanon, PA", "Lebanon, PA 17042", "Lebanon, New Hampshire", "Cuba, Missouri",
	"Peru, Indiana", "Mexico, Missouri 65265", "Norway, Maine", "Germany", "Iran", "France",
	"Iran Street 5", "5 Iran Street;12345 Berlin", "12345 Berlin", "80331 München", "75001 Paris",
	"SW1A 1AA London", "Tehran", "Tehran 11369", "10001 New York, NY", "Rue de France 5",
	"Germany;12345 Berlin", "Iran;Acme Ltd", "We ship to Iran", "made in 1234 Germany of old",
	"Tel +98 21 1234", "Tel: Iran", "+98 21 1234", "Milano, MI", "Roma (RM)", "中国银行", "中国银行;上海",
	"美国运通公司", "上海市浦东新区世纪大道1号", "Turkey 12345", "Jordan 84088", "2 Turkey", "12345 Turkey",
	"Invoice 12345 Jordan", "Order 1234 Chad", "Guinea Pig Ltd", "Little Italy, New York",
	"Gulf of 1234 Mexico", "South 12345 Georgia", "Port of Spain Street", "Via Cuba 1;00100 Roma",
	"Hotel Jordan", "Jordan Jones;CA", "AND;CAN", "1 Road;CAN", "1 Road;PER", "Ltd, CO",
	"Smith & Sons, Co", "North Korea Street 1", "Holland, Michigan", "Holland, MI 49423",
	"England, Arkansas", "Chile", "Kenya", "China", "India", "Miss India", "Miss;Kenya", "Mr;Chad",
	"Dear;Georgia", "Poland, Ohio", "Denmark, South Carolina", "Sweden, New York",
	"Brazil, Indiana", "Egypt, Texas", "Greece, NY", "Panama City, Florida", "Jamaica, Queens",
	"Jamaica, NY 11432", "Malta, NY", "Ireland, WV", "Palestine, Texas", "Angola, Indiana",
	"Moscow, Idaho", "Odessa, Texas", "Athens, GA", "Rome, Georgia", "Rome, GA", "Dublin, Georgia",
	"Vienna, Georgia", "Lima, Ohio", "Cairo, Illinois", "Berlin, NH", "Manchester, NH",
	"Naples, FL", "Toledo, OH", "St. Petersburg, FL", "Melbourne, FL", "Birmingham, AL",
	"Cambridge, MA", "Warsaw, IN", "Geneva, IL", "Delhi, NY", "Cuba Libre", "Mali Smith",
	"Togo bag", "India ink", "Sales of 12345 China", "No 12345 Germany", "Our 12345 France",
	"Tax 12345 Iran;Tax: Iran", "DE123456789", "Deutschland AG", "Schweizer Käse",
	"Deutschland GmbH;Abteilung Iran-Handel", "Iran Air", "Iran Air;Schalter 5",
	"Air France;Gate 5", "Bank Melli Iran;Filiale", "Embassy of Iran;Podbielskiallee",
	"France Telecom, 12345 Paris Cedex", "EU", "ZZ", "1 Road;ZZ", "1 Road;EU", "Korea",
	"Seoul Grill, Korea BBQ", "Acme;Congo", "Republic of",
}

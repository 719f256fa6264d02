package extraction

// malay holds the words of Malay documents.
var malay = language{
	name: "ms",
	street: []string{
		"jalan", "jln", "jl", "lorong", "lrg", "taman", "tmn", "kampung", "kg", "kawasan", "bandar",
		"bdr", "seksyen", "sek", "persiaran", "lebuh*", "wisma", "bangunan", "menara", "batu",
		"desa", "medan", "pusat", "kompleks", "darul", "jaya",
	},
	contact: []string{
		"tarikh", "masa", "resit", "invois", "no pendaftaran", "no telefon", "juruwang",
	},
	region: []string{
		"johor", "kedah", "kelantan", "melaka", "negeri sembilan", "pahang", "perak", "perlis",
		"pulau pinang", "penang", "sabah", "sarawak", "selangor*", "terengganu", "kuala lumpur",
		"wilayah persekutuan", "darul*",
	},
	city: []string{
		"kuala lumpur", "johor bahru", "johor baru", "petaling jaya", "subang jaya", "shah alam",
		"george town", "ipoh", "klang", "kajang", "seremban", "puchong", "ampang", "cheras", "rawang",
		"gombak", "kepong", "setapak", "seri kembangan", "balakong", "cyberjaya", "putrajaya", "sepang",
		"nilai", "muar", "batu pahat", "kluang", "skudai", "kulai", "pasir gudang", "kuantan",
		"kota bharu", "kuala terengganu", "alor setar", "sungai petani", "butterworth", "taiping",
		"kota kinabalu", "kuching", "miri", "sandakan", "damansara", "kelana jaya", "batang kali",
		"perindustrian", "perniagaan", "utama", "utara", "selatan", "timur", "barat", "tengah", "perdana",
		"mahkota", "indah", "permai", "mutiara", "setia", "baharu", "sultan", "temenggung", "malaysia",
	},
	sub: []string{
		"jumlah kecil",
	},
	net: []string{
		"jumlah sebelum cukai",
	},
	tax: []string{
		"cukai",
	},
	grand: []string{
		"jumlah besar*", "jumlah bayaran*", "jumlah keseluruhan*", "jumlah perlu dibayar",
	},
	due: []string{
		"jumlah bayaran*",
	},
	plain: []string{
		"*jumlah*",
	},
	paid: []string{
		"*bayar*", "*tunai*",
	},
	change: []string{
		"*baki*",
	},
	other: []string{
		"*kuantiti*", "diskaun",
	},
	date: []string{
		"tarikh",
	},
	issueDate: []string{
		"tarikh invois", "tarikh resit",
	},
	dueDate: []string{
		"tarikh akhir bayaran",
	},
	otherDate: []string{
		"tarikh penghantaran",
	},
	orderNumber: []string{
		"no pesanan", "nombor pesanan",
	},
	deliveryDate: []string{
		"tarikh penghantaran",
	},
	paymentTerms: []string{
		"terma pembayaran", "syarat pembayaran",
	},
	prepaid: []string{
		"bayaran pendahuluan", "deposit dibayar",
	},
	currency: []string{
		"mata wang",
	},
	payment: []string{
		"pembayaran", "bayaran", "pindahan bank",
	},
	earlier: []string{
		"asal",
	},
}

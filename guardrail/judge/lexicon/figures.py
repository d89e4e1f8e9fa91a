"""What figures count and how they are spoken, in en, fr and es. It must never hold a word of one product alone."""

from __future__ import annotations

from guardrail.judge.lexicon.words import numerals, word_set


def _groups(text: str) -> dict[str, str]:
    """Each word of a line under the first word of the line."""
    return {word: line.split()[0] for line in text.strip().splitlines() for word in line.split()}


def _ordered(text: str) -> dict[str, int]:
    """Each word under the number of its group, counted from one; `|` parts the groups."""
    return {word: place for place, group in enumerate(text.split("|"), 1) for word in group.split()}


ABBREVIATIONS = word_set("dr dre dra mr mrs ms m mme mlle st sr sra no p")
"""Words whose full stop ends no sentence."""

# --- what is counted -------------------------------------------------------------------------------------------------

UNITS: dict[str, str] = _groups(
    """
second seconds sec seconde secondes segundo segundos
minute minutes min mins minuto minutos
hour hours hr hrs heure heures hora horas h
day days jour jours dia dias journee journees jornada jornadas daily quotidien diario diaria diarios diarias
night nights nuit nuits nuitee nuitees noche noches nightly
week weeks semaine semaines semana semanas weekly hebdomadaire hebdomadaires semanal semanales
fortnight fortnights fortnightly
month months mois mes meses monthly mensuel mensuelle mensuels mensuelles mensual mensuales
quarter trimestre trimestres trimestriel trimestrielle trimestral quarterly
semester semesters semestre semestres
year years an ans annee annees ano anos annual annually yearly annuel annuelle annuels annuelles anual anuales
decade decades decennie decennies decada decadas
person persons personne personnes persona personas head participant participants adulte adult adults adulto adultos
kilometre kilometres kilometer kilometers km kms kilometro kilometros mile miles
metre metres meter meters metro metros
centimetre centimetres centimeter centimeters cm centimetro centimetros inch inches
kilo kilos kg kilogram kilograms kilogramme kilogrammes
gram grams gramme grammes gramo gramos
litre litres liter liters litro litros
piece pieces unite unites pieza piezas unidad unidades item items article articles articulo articulos
lesson lessons class classes session sessions seance seances cours leccion lecciones clase clases sesion sesiones
visit visits visite visites visita visitas
gb gigabyte gigabytes go gigas giga gigaoctets
claim claims sinistre sinistres siniestro siniestros
booking reservation reservations reserva reservas
"""
)
"""Nouns that figures count, or that a price or a limit is for, under the first of their kin."""

ADVERBS = word_set(
    "daily quotidien diario diaria diarios diarias nightly weekly hebdomadaire hebdomadaires semanal semanales fortnightly"
    " monthly mensuel mensuelle mensuels mensuelles mensual mensuales quarterly trimestriel trimestrielle trimestral"
    " annual annually yearly annuel annuelle annuels annuelles anual anuales"
)
"""Units that say how often by themselves: monthly. No figure counts them."""

MINUTES: dict[str, float] = {
    "second": 1 / 60,
    "minute": 1,
    "hour": 60,
    "day": 1_440,
    "night": 1_440,
    "week": 10_080,
    "fortnight": 20_160,
    "month": 43_200,
    "quarter": 129_600,
    "semester": 259_200,
    "year": 518_400,
    "decade": 5_184_000,
}
"""How long the units of time last. A month has 30 days and a year twelve months: so people count when they round."""

WHOLE_SPANS: dict[str, float] = {
    "fortnight": 20_160,
    "quinzaine": 21_600,
    "quincena": 21_600,
    "trimestre": 129_600,
    "semester": 259_200,
    "semestre": 259_200,
    "decade": 5_184_000,
}
"""Spans of time, in minutes, that say how long without a figure. French and Spanish count fifteen days in two weeks."""

FIFTEENS = word_set("quinzaine quincena")
"""What is a fortnight alone, and fifteen before a noun: une quinzaine de minutes."""

ORDINAL_UNITS = word_set("second seconde segundo segunda")
"""Units that before a noun are ordinals: a second visit."""

_MEASURES = {
    "length": "mm 1, millimetre 1, millimetres 1, millimeter 1, millimeters 1, milimetro 1, milimetros 1,"
    " cm 10, centimetre 10, centimetres 10, centimeter 10, centimeters 10, centimetro 10, centimetros 10,"
    " m 1000, metre 1000, metres 1000, meter 1000, meters 1000, metro 1000, metros 1000,"
    " km 1000000, kms 1000000, kilometre 1000000, kilometres 1000000, kilometer 1000000, kilometers 1000000,"
    " kilometro 1000000, kilometros 1000000, mile 1609344, miles 1609344",
    "mass": "g 1, gram 1, grams 1, gramme 1, grammes 1, gramo 1, gramos 1, kg 1000, kgs 1000, kilo 1000, kilos 1000,"
    " kilogram 1000, kilograms 1000, kilogramme 1000, kilogrammes 1000, kilogramo 1000, kilogramos 1000",
    "volume": "ml 1, millilitre 1, millilitres 1, mililitro 1, mililitros 1, cl 10, centilitres 10, centilitros 10,"
    " l 1000, litre 1000, litres 1000, liter 1000, liters 1000, litro 1000, litros 1000",
    "size": "mb 1, mo 1, megabyte 1, megabytes 1, megas 1, gb 1000, go 1000, gig 1000, gigs 1000, giga 1000, gigas 1000,"
    " gigabyte 1000, gigabytes 1000, gigaoctet 1000, gigaoctets 1000, tb 1000000, terabyte 1000000, terabytes 1000000",
}
MEASURES: dict[str, tuple[str, float]] = {
    word: (kind, float(factor)) for kind, table in _MEASURES.items() for word, factor in numerals(table)
} | {"inch": ("length", 25.4), "inches": ("length", 25.4)}
"""What is measured, with the kind and the factor to its smallest unit: millimetres, grams, millilitres, megabytes."""

LETTER_UNITS = word_set("l m g")
"""Measures of one letter: capitals are names, and no price is said to be for them."""
POWERS = word_set("2 3")
"""Behind a length, an area or a volume: 20 m2."""

OCCASIONS = word_set("time times fois vez veces")
ONCE_BEFORE = word_set("a an per every each")
"""Words behind the English once that say how often; else it is a conjunction, or the Spanish eleven."""
OFTEN: dict[str, int] = {"twice": 2, "thrice": 3}
ADJECTIVES = word_set(
    "full working business calendar whole consecutive more further additional clear bonnes petites bons good short little straight buenos"
)
"""Words between a figure and what it counts."""

# --- money and percents ----------------------------------------------------------------------------------------------

CURRENCIES = word_set(
    "€ £ $ euro euros eur pound pounds quid gbp livre livres libra libras dollar dollars bucks usd dolares dolar pesos peso francs franc chf soles sol"
)
CURRENCIES_BEFORE = word_set("€ £ $ eur gbp usd chf")
"""What stands before an amount: £250, CHF 68."""
CENTS = word_set("cent cents centime centimes centimo centimos pence p penny")
CENT_LINKS = word_set("and y et")
"""Between an amount and its cents, when these are named: 5 euros and 20 cents."""
PERCENTS = word_set("% percent pct pourcent porciento")
PERCENT_PHRASES: dict[str, frozenset[str]] = {
    "per": word_set("cent"),
    "pour": word_set("cent"),
    "por": word_set("ciento cien"),
}

# --- numbers in words ------------------------------------------------------------------------------------------------

ARTICLES = word_set("a an un une una one")
"""Words for one that figures alone don't show: they count before a unit."""
AMBIGUOUS = word_set("once sept neuf second un une una uno one oh zero")
"""Number words that are everyday words too, here or in another of the languages."""
_FRENCH_NOUNS = word_set(
    "euros minutes heures jours nuits semaines mois ans annees personnes kilometres km kilos litres cents cent mille pour seances visites"
)
NOUNS_THAT_DECIDE: dict[str, frozenset[str]] = {
    "sept": _FRENCH_NOUNS,
    "neuf": _FRENCH_NOUNS,
    "once": word_set("euros minutos horas dias noches semanas meses anos personas kilometros km kilos litros mil por"),
}
"""Nouns that show an ambiguous word to be a number: neuf euros, once horas."""
TEENS_OF_SCORES = word_set("dix onze douze treize quatorze quinze seize")
"""French counts on from 60 and 80 by these: soixante et onze, quatre-vingt-dix."""
TEEN_HEADS = word_set("dix")
UNITS_OF_TEN = word_set("sept huit neuf")
"""French says 17 to 19 with dix."""
FRENCH_TWENTY = word_set("vingt vingts")
TEN_LINKS: dict[str, frozenset[int]] = {"et": frozenset({1, 11}), "y": frozenset(range(1, 10))}
"""What may link a ten with what follows: vingt et un, treinta y cinco."""
HUNDREDS: dict[str, int] = dict(
    numerals(
        "hundred 100, cien 100, ciento 100, cent 100, doscientos 200, trescientos 300, cuatrocientos 400, quinientos 500,"
        " seiscientos 600, setecientos 700, ochocientos 800, novecientos 900, doscientas 200, trescientas 300,"
        " cuatrocientas 400, quinientas 500, seiscientas 600, setecientas 700, ochocientas 800, novecientas 900"
    )
)
TIMES_HUNDRED = word_set("hundred cent cents")
"""Words that make hundreds of a number before them."""
THOUSAND = word_set("thousand mille mil")
TIMES_THOUSAND = THOUSAND | {"grand"}
MULTIPLES: dict[str, float] = {
    **dict.fromkeys(("k", "grand", "thousand", "mil", "mille"), 1e3),
    **dict.fromkeys(("million", "millions", "millon", "millones"), 1e6),
}
"""Words that multiply digits before them."""
DOZENS: dict[str, int] = dict(
    numerals(
        "dozen 12, dozens 12, douzaine 12, douzaines 12, docena 12, docenas 12, dizaine 10, dizaines 10, decena 10,"
        " decenas 10, quinzaine 15, quincena 15, vingtaine 20, veintena 20, trentaine 30, treintena 30, quarantaine 40,"
        " cinquantaine 50, cincuentena 50, centaine 100, centenar 100, couple 2, pair 2"
    )
)
"""Nouns that are numbers: a dozen, une vingtaine de minutes."""
DOZENS_COUNTED = word_set("dozen dozens douzaine douzaines docena docenas dizaines decenas")
"""Those that a number may stand before: two dozen."""
LINKS_OF_NOUN = word_set("of de d")

# --- parts -----------------------------------------------------------------------------------------------------------

HALF_AFTER = word_set("demi demie media medio")
"""Behind `et` or `y`: deux heures et demie, dos y medio."""
HALF_LINKS = word_set("and et y")
HALF_BEFORE = word_set("half demi demie media medio")
HALF_FILLERS = word_set("an a de d")
"""Between half and a unit: half an hour."""
FRACTIONS: dict[str, float] = {
    **dict.fromkeys(("half", "moitie", "mitad"), 50.0),
    **dict.fromkeys(("third", "tiers", "tercio"), 100 / 3),
    **dict.fromkeys(("quarter", "quart", "cuarto", "cuarta"), 25.0),
    **dict.fromkeys(("fifth", "cinquieme", "quinto"), 20.0),
    **dict.fromkeys(("tenth", "dixieme", "decimo"), 10.0),
}
"""Parts in percent."""
FRACTIONS_COUNTED: dict[str, float] = {
    "halves": 50.0,
    **dict.fromkeys(("thirds", "tiers", "tercios"), 100 / 3),
    **dict.fromkeys(("quarters", "quarts", "cuartos"), 25.0),
    **dict.fromkeys(("fifths", "cinquiemes", "quintos"), 20.0),
    **dict.fromkeys(("tenths", "dixiemes", "decimos"), 10.0),
}
"""Parts that a number stands before: three quarters, deux tiers."""
QUARTERS = word_set("quarter quart cuarto")
"""Parts that need no link before a unit of time: a quarter hour."""
FRACTIONS_ALONE = word_set("half moitie mitad")
FRACTION_FOLLOWERS = word_set("off of parte parts")
"""Content words that may follow a part; before any other it is an ordinal: a third party."""
FRACTION_FILLERS = word_set("of an a d de un una the l la")

# --- times of day ----------------------------------------------------------------------------------------------------

NOON = word_set("noon midday midi mediodia")
MIDNIGHT = word_set("midnight minuit medianoche")
AFTER = word_set("apres")
"""Before midi it makes an afternoon."""
MORNING_PARTS = word_set("morning am matin manana madrugada")
LATER_PARTS = word_set("evening night afternoon pm soir tarde noche")
NIGHT_PARTS = word_set("night noche")
"""Parts of the day in which twelve is midnight."""
PART_FILLERS = word_set("in de la du the at l por del")
"""Between a time and its part of the day: 8 in the evening, las 7 de la tarde."""
HOUR_WORDS = word_set("heure heures h")
HOURS_SPELT = word_set("heure heures")
CLOCK_TAILS = word_set("h hours heures horas hrs")
"""What may follow 8:30 and says nothing more."""
MINUTES_SPOKEN = frozenset(range(5, 60, 5))
MINUTES_AFTER: dict[str, int] = {"demie": 30, "media": 30, "quart": 15, "cuarto": 15}
"""Behind `et` or `y`: huit heures et quart, las siete y media."""
MINUTES_PAST = frozenset({5, 10, 20, 25})
"""Before `past` in words: twenty past eight."""
MINUTES_BEFORE = word_set("quart cuarto")
LESS = word_set("moins menos")
CLOCK_CUES = word_set(
    "a al las la jusqu avant apres des vers entre partir hasta est es son desde at by until till from before after around to"
)
"""Before an hour they say that it is a time of day."""
HOUR_CUES = word_set("a jusqu avant apres des vers entre partir")
"""Those that say it of `8 heures`, which else is a duration."""
OPENING_CUES = word_set("entre jusqu ouvert ouverts ouverte ferme")
"""Words near `de 8 heures` that say that it is a time of day."""
DURATION_CUES = word_set(
    "pendant sous dans en dure durent duree durer dura duran compter comptez within lasts last takes for durante attend attendre"
)
"""Before an hour they say that it is a duration."""

# --- dates -----------------------------------------------------------------------------------------------------------

MONTHS: dict[str, int] = _ordered(
    "january jan janvier enero ene|february feb fevrier febrero|march mar mars marzo|april apr avril abril abr"
    "|may mai mayo|june jun juin junio|july jul juillet julio|august aug aout agosto ago"
    "|september sept sep septembre septiembre|october oct octobre octubre|november nov novembre noviembre"
    "|december dec decembre diciembre dic"
)
MONTHS_FIRST = word_set(
    "january jan february feb march mar april apr may june jun july jul august aug september sept sep october oct november nov december dec"
)
"""Months that a day may follow: March 3. Only English writes so."""
ORDINAL_ENDINGS = word_set("er st nd rd th")
MONTH_LINKS = ORDINAL_ENDINGS | word_set("de of du")
"""Between a day and its month: 1st of March, 3 de enero."""
WEEKDAYS: dict[str, int] = {
    word: place - 1
    for word, place in _ordered(
        "monday mondays lundi lundis lunes|tuesday tuesdays mardi mardis martes"
        "|wednesday wednesdays mercredi mercredis miercoles|thursday thursdays jeudi jeudis jueves"
        "|friday fridays vendredi vendredis viernes|saturday saturdays samedi samedis sabado sabados"
        "|sunday sundays dimanche dimanches domingo domingos"
    ).items()
}
"""Days of the week, 0 for Monday."""
DAY_LINKS = word_set("to a au al through until till hasta jusqu - –")
"""Between two days that end a range."""

# --- ranges and rates ------------------------------------------------------------------------------------------------

RANGE_LINKS = word_set("to a and or et ou y o - – — until through")
"""Between two figures of which the first counts what the second does: 24 to 48 hours."""
RATE_WORDS = word_set("per par por each every chaque cada further additional supplementaire adicional")
"""Words that say what a figure is for: per night."""
RATE_ARTICLES = word_set("a an la le l al un une una")
"""Articles that do too: 5 euros l'heure."""
RATE_FILLERS = word_set("the el")
RATE_LINKS = word_set("les cada per par por each every the la l chaque")
"""Between a figure and the duration that it is for: 5 euros les 15 minutes."""
NO_RATE_BEFORE = word_set("within in for dans en pendant durante after before of least about than sous under")
"""Before `a week` they say that it is a span of its own, not how often."""

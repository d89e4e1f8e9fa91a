"""What lifts a limit, disclaims knowledge or says that a thing isn't offered, in en, fr and es.

It must never hold a word of one product alone. Notation: lexicon.words.Lexicon.
"""

from guardrail.judge.lexicon.words import phrases, word_set

WAIVERS = phrases("""
even if|when|though|without; whether or not; whether ** or not; whichever; whatever; no matter; regardless;
with or without; without having|needing to; without any need; at any time; anytime; any time; any day; all day;
around the clock; as often as; as many ** as you; as much as you; as long as you like|want; in every|any case;
in all cases; for everyone|everybody|anyone|anybody; every single; without exception; without limit; no limit;
no questions asked; however far|long|much|many|late|old|often; wherever; whenever; unconditionally; irrespective;
makes no difference; does not matter; come what may; under any circumstances; no strings; free of any condition;
all year round; day or night; as you please; unlimited; without restriction|restrictions; to anyone who asks;
no proof|receipt|ticket|notice|appointment|paperwork ?is needed|required|necessary; at no point;
do|does not have|need to; not even if; every time; each and every; automatically; guaranteed; always;
meme si|sans|apres|quand; y compris si|quand|pour|le|les|la; que vous ** ou non|pas; que ce soit ** ou;
quel|quelle|quels|quelles que soit|soient; qu importe; peu importe; n importe quel~|quelle~; n importe quand;
n importe ou; sans avoir a; sans avoir besoin; sans qu il; a tout moment; a toute heure; autant de fois; autant que;
aussi souvent; dans tous les cas; en toutes circonstances; pour tous|toutes; pour tout le monde; sans exception;
sans limite; sans condition~; quoi qu il; ou que vous; systematiquement; automatiquement; avec ou sans;
sans distinction; tout le temps; en permanence; jour et nuit; que vous ** ou que vous; aussi longtemps;
sans justificatif~|justification~|restriction~|delai; toute l annee; garanti~; illimite~; a volonte; toujours;
aunque; incluso si|cuando|sin|despues|el|la|los|las; da igual; tanto si ** como; sea cual sea; sean cuales; sea quien;
sin necesidad; sin que haga falta; sin tener que; en cualquier momento|caso; a cualquier hora; cualquier dia;
cuantas veces; tantas veces; todas las veces; en todos los casos; para todos; para todo el mundo; sin excepcion;
sin limite~; sin condicion~; siempre que quiera~; cuando quiera~; con o sin; pese lo que; independientemente;
automaticamente; pase lo que pase; lo que sea; a todas horas; donde sea; sea el|la que sea; todo el dia;
sin justificante~|restriccion~; todo el ano; garantizad~; ilimitad~; de dia o de noche
""")
"""Phrases that make a rule hold whatever its conditions say."""

DISCLAIMERS = phrases("""
no|any information|info|details|mention|figure|instructions|guidance|word|record; not ** listed|mentioned|specified|indicated|stated|given|documented;
do|does|did not ** say|mention|specify|state|cover|list; can not ** say|tell|confirm|find; could not find; no way of;
nothing ** about|on|listed|says|mentions|stated; do not have ** information|details|figure~;
ne precis~ ** pas; n est pas precise~|indique~|mentionne~; rien n est indique|precise|prevu|dit;
aucune consigne|information|indication|mention|precision|donnee; ne parle~|mentionne~|indique~|dit|disent|figure~ pas;
pas d information~; n ai trouve; ne trouve ** aucun~|pas; ne dispos~ ** information~;
no consta~; no se contempla~|recoge~|menciona~|indica~|especifica~|detalla~; no aparece~|figura~;
no tengo|dispongo|tenemos|disponemos|hay ** informacion|datos|constancia; no dice~|indica~|menciona~|contempla~|recoge~|especifica~;
no encuentro; ninguna indicacion|mencion|informacion|referencia; nada sobre
""")
"""Phrases that say that nothing is known of a thing."""

UNAVAILABLE = phrases("""
nothing we can; there is no way; is not ** possible|available; not available; not possible;
we|i do not ** offer|provide|have|do|accept|take|allow|run|sell|handle|stock|deliver|make|give|arrange|cover;
we|you can not; has|have nothing for; no option; not an option; no arrangement; unfortunately; sadly; not even;
no longer; out of the question; we have no; i am afraid; regrettably; impossible; no such; is not something; not offered;
n est ** pas possible; pas possible; il n y a pas|aucun~; n avons pas|aucun~|plus; ne propos~ pas; ne fais~ ** pas;
ne dispos~ pas; ne pouvons ** pas|plus; pas moyen; n est pas|plus disponible|propose~; impossible; n offrons pas;
aucun~ solution; n existe pas; malheureusement; n acceptons pas; ne prenons pas; n est pas prevu; helas; nous regrettons;
no se puede; no lo hacemos; no ofrec~; no dispon~; no tenemos; no contamos; no hay; no es posible; lamentablemente;
desgraciadamente; por desgracia; no podemos; no se le puede; no admit~; no existe; imposible; no acept~; no realiz~;
no hacemos; no se hace~; no se permit~; ni siquiera; no trabaj~; ya no
""")
"""Phrases that say that a thing isn't offered or can't be had."""

CLAUSE_WORDS = word_set("""
    and but while whereas if unless except because since although though or then
    et mais tandis alors si sauf car puisque ou puis y e pero mientras salvo excepto porque aunque o luego
    """)
"""Words that begin another clause."""

LIGHT_WORDS = word_set("""
    within after before during while until since yes which whose being each other per only there here both also still
    even yet such same own once again any every none get gets got getting make makes made put puts take takes taken
    come comes goes gone going one ones day yea yep yup nope wow haha lol hmm
    dans apres avant pendant lors jusqu des depuis tout toute tous toutes chaque autre autres meme ainsi car lorsque si
    entre quant etant cas afin va vais vas allez vont iront met mettre mis prendre prend prenez pris avoir eu lui soi
    lequel laquelle lesquels abord ensuite ouais bah ben
    antes despues durante mientras cada otro otra otros otras todo toda todos todas mismo misma asi si cuando solo
    ademas luego aun donde sea ser va voy van vamos vas haga hacer hace hacen poner pone tener tiene tienen tenemos
    tienes teneis toma dar da dan cosa casa ahi pues
    """)
"""Words that carry nothing of what a claim is about, beside the languages' stop words."""

TOLD = word_set("""
    was were had did became been began etait etaient fut furent avait avaient eut eurent devint devinrent
    fue fueron era eran habia habian hubo estaba estaban tuvo
    """)
"""Verbs of the past: what tells a story by them states no rule."""

SEQUENCE = word_set("""
    first firstly then next finally afterwards lastly once abord ensuite puis enfin finalement premierement
    primero luego despues finalmente continuacion ultimo entonces
    """)
"""Words that put steps in an order."""

OPPOSED = (
    ("before avant antes", "after apres despues"),
    (
        "must required mandatory compulsory doit doivent devez obligatoire obligatoires faut exige debe deben obligatorio",
        "can may could optional peut peuvent pouvez peux facultatif puede pueden puedes opcional",
    ),
    (
        "more over above exceed exceeds least minimum plus mas minimo",
        "less under below most fewer maximum moins menos maximo",
    ),
    ("first premier premiere primero primera", "last dernier derniere ultimo ultima"),
    (
        "included including inclus compris comprise incluido incluida",
        "excluded excluding exclu exclus excluido excluida",
    ),
)
"""Words of two poles: who puts one for the other in a copy turns it round."""

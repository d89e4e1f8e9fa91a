"""Words that join a sentence to what was said before it, and words that only say where it is from, in en, fr and es.

It must never hold a word that asserts anything. Written as `text.fold` gives them.
"""


def _words(*languages: str) -> frozenset[str]:
    """The words of each language's line, parted by bars."""
    return frozenset(word for line in languages for word in line.split("|"))


LEAD_OPENINGS = _words(
    "according|based|as|per|following|from|going|answer|to|in|under",
    "selon|d|pour|conformement|sur|suivant|comme|en|au",
    "segun|de|para|con|conforme|como|en|por",
)
"""Words that a lead ("According to our records, ") opens with."""

LEAD_WORDS = _words(
    "according|to|based|on|by|as|stated|shown|per|following|from|in|of|under|the|our|your|this|these|that|available|given"
    "|provided|information|documentation|documents|document|records|record|evidence|text|passage|passages|source|sources"
    "|context|answer|reply|question|policy|policies|terms|rules|guidelines|manual|files|database"
    "|notes|details|i|we|have|can|see|what|know|you",
    "selon|d|apres|pour|conformement|a|au|aux|sur|la|le|les|l|base|de|des|du|suivant|comme|indique|en|nos|notre|votre|vos"
    "|cette|ce|ces|disponible|disponibles|informations|information|documentation|documents|document|sources|source|texte"
    "|contexte|repondre|reponse|question|politique|conditions|regles|reglement|fournies|fourni|guide|notice|dossier"
    "|base|donnees",
    "segun|de|para|con|conforme|como|en|por|el|la|los|las|a|al|del|base|acuerdo|se|indica|nuestra|nuestro|nuestros|nuestras"
    "|su|sus|esta|este|estos|disponible|disponibles|informacion|documentacion|documentos|documento|registros|fuentes|fuente"
    "|texto|manual|ficha|contexto|responder|contestar|respuesta|pregunta|politica|condiciones|normas|reglamento|proporcionada",
)
"""All that a lead is made of: it names no one and no figure."""

CONNECTIVES = tuple(
    phrase
    for line in (
        "however|also|moreover|furthermore|in addition|additionally|besides|so|therefore|thus|hence|then|instead"
        "|otherwise|still|yet|likewise|similarly|on the other hand|for example|for instance|as a result|consequently"
        "|that said|in that case|because of that|after that|nevertheless|in contrast",
        "cependant|toutefois|neanmoins|pourtant|aussi|egalement|de plus|en plus|en outre|par ailleurs|ainsi"
        "|alors|ensuite|puis|en revanche|par contre|sinon|en effet|par exemple|par consequent|dans ce cas|apres cela|or"
        "|du coup|a l inverse|au contraire",
        "sin embargo|no obstante|ademas|tambien|asi que|por tanto|por lo tanto|entonces|luego|despues"
        "|en cambio|por el contrario|de lo contrario|asimismo|igualmente|por ejemplo|en ese caso|por otro lado|aun asi",
    )
    for phrase in line.split("|")
)
"""What ties a sentence to the one before it and says nothing by itself, where a comma parts it off."""

CONJUNCTIONS = _words(
    "and|but|or|however|moreover|furthermore|additionally|therefore|nevertheless",
    "et|mais|donc|cependant|toutefois|neanmoins|pourtant|egalement",
    "pero|y|tambien|ademas|asimismo",
)
"""What does so without a comma too."""

ANAPHORS = _words(
    "it|this|that|these|those|they|he|she|its|their|his|her|them|such|both|neither|there",
    "il|elle|ils|elles|cela|ca|ce|c|celui|celle|ceux|celles|ceci|son|sa|ses|leur|leurs|tous|toutes|celui-ci",
    "esto|eso|ello|ellos|ellas|este|esta|estos|estas|ese|esa|esos|esas|aquello|su|sus|ambos|ambas",
)
"""Openings that speak of what the sentence before named."""

IMPERSONAL = (
    *("it is possible", "it is important", "it is necessary", "it is best", "there is", "there are", "this service"),
    *("il y a", "il faut", "il est possible", "il est important", "il suffit", "il est necessaire", "ce service"),
    *("este servicio", "esta clinica"),
)
"""Openings that look like it and speak of nothing before."""

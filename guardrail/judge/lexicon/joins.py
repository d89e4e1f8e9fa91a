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
        "however|also|moreover|furthermore|in addition|additionally|besides|still|yet|likewise|similarly"
        "|on the other hand|that said|nevertheless",
        "cependant|toutefois|neanmoins|pourtant|aussi|egalement|de plus|en plus|en outre|par ailleurs|or",
        "sin embargo|no obstante|ademas|tambien|asimismo|igualmente|por otro lado|aun asi",
    )
    for phrase in line.split("|")
)
"""What ties a sentence to the one before it and says nothing by itself, where a comma parts it off."""

DEPENDENTS = tuple(
    phrase
    for line in (
        "otherwise|instead|then|so|therefore|thus|hence|as a result|consequently|in that case|because of that|after that"
        "|in contrast|for example|for instance|if so|if not|in this case|in such cases|until then|from then on",
        "sinon|dans ce cas|dans le cas contraire|a defaut|alors|ensuite|puis|ainsi|par consequent|apres cela|du coup|donc"
        "|en revanche|par contre|a l inverse|au contraire|en effet|par exemple|jusque la|des lors",
        "de lo contrario|en ese caso|en este caso|en caso contrario|si no|entonces|luego|despues|asi que|por tanto"
        "|por lo tanto|en cambio|por el contrario|por ejemplo|hasta entonces|a partir de entonces|por eso",
    )
    for phrase in line.split("|")
)
"""What makes a sentence hold only as the one before it says: without that one it would say more."""

CONJUNCTIONS = _words(
    "and|but|or|however|moreover|furthermore|additionally|nevertheless",
    "et|mais|cependant|toutefois|neanmoins|pourtant|egalement",
    "pero|y|tambien|ademas|asimismo",
)
"""What does so without a comma too."""

PRONOUNS = _words(
    "it|they|he|she|them|him",
    "il|elle|ils|elles|cela|ca|ceci|c",
    "esto|eso|aquello|ello|ella|ellos|ellas",
)
"""Openings that stand for what the sentence before named, whatever follows."""

POINTERS = _words(
    "this|that|these|those|both|neither|such",
    "ce|celui|celle|ceux|celles|tous|toutes",
    "este|esta|estos|estas|ese|esa|esos|esas|ambos|ambas",
)
"""Openings that do so before a verb; before a noun they name it themselves ("This week", "Toutes les chambres")."""

PARTICLES = _words(
    "also|only|still|usually|always|never|not|just|now|then|both|all",
    "ci|la|ne|n|se|s|y|en|me|m|vous|nous|l|lui|leur|aussi|toujours",
    "no|se|me|le|les|lo|nos|os|te|tambien|ya|solo|siempre|nunca",
)
"""What may stand between such an opening and its verb."""

RELATIVES = _words("who|whose|which", "qui|que|qu|dont", "que|quien|quienes|cuyo|cuya")
"""Behind a pronoun they say themselves whom it means: "They who come late"."""

AUXILIARIES = _words(
    "is|are|was|were|be|been|has|have|had|does|do|did|can|could|will|would|may|might|must|shall|should|isn|aren|wasn|weren"
    "|hasn|haven|hadn|doesn|don|didn|cannot|couldn|won|wouldn|mustn|shouldn|costs|takes|opens|closes|applies|means"
    "|includes|requires|lasts|becomes|remains|allows|covers|depends|goes|comes|gets|makes|happens|includes",
    "est|sont|etait|etaient|sera|seront|serait|seraient|soit|fut|furent|a|ont|avait|avaient|aura|auront|peut|peuvent"
    "|pourra|pourront|pourrait|doit|doivent|devra|devront|devrait|va|vont|faut|fait|font|coute|coutent|ouvre|ouvrent"
    "|ferme|ferment|dure|durent|paie|paient|paye|payent|reste|restent|comprend|comprennent|suffit|permet|permettent"
    "|commence|commencent|devient|deviennent|vaut|valent",
    "es|son|era|eran|sera|seran|seria|serian|fue|fueron|esta|estan|estaba|estaban|estara|estaran|ha|han|habia|habian"
    "|hay|puede|pueden|podra|podran|podria|debe|deben|debera|deberan|tiene|tienen|tendra|tendran|va|van|cuesta|cuestan"
    "|abre|abren|cierra|cierran|dura|duran|incluye|incluyen|requiere|requieren|permite|permiten|vale|valen|cubre|cubren"
    "|queda|quedan|empieza|empiezan|comienza|comienzan|pagan|necesita|necesitan",
)
"""Finite verbs that nothing else is written like, the commonest ones: what holds none may be no sentence."""

VERBS = AUXILIARIES | _words(
    "open|close|cost|start|starts|begin|begins|began|end|ends|run|runs|ran|need|needs|require|include|cover|pay|pays|paid"
    "|get|got|go|went|come|came|apply|last|mean|meant|make|made|work|works|depend|stay|stays|remain|become|became|give"
    "|gives|gave|allow|offer|offers|serve|serves|leave|leaves|left|arrive|arrives|arrived|hold|holds|held|show|shows|keep"
    "|keeps|kept|let|lets|lie|lies|contain|contains|receive|receives|received|expire|expires|see|saw|know|knows|found"
    "|used|called|played|won|lost|rose|fell|died|born|wrote|said|took|began|grew|led|met|ran|set|sent|sold|wore",
    "ouvrons|fermons|accueille|accueillent|propose|proposent|offre|offrent|donne|donnent|prend|prennent|met|mettent"
    "|arrive|arrivent|part|partent|vient|viennent|revient|reviennent|recoit|recoivent|sert|servent|tient|tiennent"
    "|contient|contiennent|couvre|couvrent|demande|demandent|facture|rembourse|remboursent|accepte|acceptent|intervient"
    "|devenez|pouvez|devez|avez|etes|sommes|avons|pouvons|devons|recevez|payez|recevrez|obtient|perd|gagne",
    "abrimos|cerramos|ofrece|ofrecen|da|dan|llega|llegan|sale|salen|viene|vienen|recibe|reciben|sirve|sirven|contiene"
    "|contienen|acepta|aceptan|paga|aplica|aplican|entrega|entregan|devuelve|devuelven|revisa|firma|presenta|somos|estamos"
    "|tenemos|podemos|debemos|hace|hacen|pone|ponen|permanece|permanecen|devuelven|reembolsa|reembolsan|gana|pierde",
)
"""More of them, some of which are nouns too."""

IMPERSONAL = (
    *("it is possible", "it is important", "it is necessary", "it is best", "there is", "there are", "this service"),
    *("il y a", "il n y a", "il faut", "il ne faut", "il suffit", "il convient", "il vaut mieux", "il s agit"),
    *("ce service", "este servicio", "esta clinica"),
)
"""Openings that look like it and speak of nothing before."""

IMPERSONAL_VERBS = _words("is|was|takes|costs", "est|etait|sera|serait|reste")
"""Behind it or il, with a word or two and one of `IMPERSONAL_ENDS`, they speak of nothing before: "It is forbidden to"."""

IMPERSONAL_ENDS = _words("to|that", "de|d|que|qu")

COORDINATORS = _words("and|but|or|so|while|whereas", "et|mais|ou|donc", "y|e|pero|o|u")
"""Words that join one clause to another of the same rank."""

TURNING = _words(
    "if|unless|when|whenever|except|excepting|excluding|only|solely|merely|provided|providing|subject|until|till|once|whether"
    "|barring|apart|other|otherwise|while|whilst|although|though|despite|depending|assuming|supposing|lest|hardly|rarely"
    "|seldom|barely|scarcely|where|exception|exceptions|condition|conditions|formerly|previously|longer"
    "|false|falsely|untrue|wrong|wrongly|myth|myths|legend|legends|rumor|rumors|rumour|rumours|hoax|misconception"
    "|misconceptions|belief|beliefs|believe|believes|believed|believing|think|thinks|thought|claim|claims|claimed|claiming"
    "|say|says|said|allege|alleges|alleged|allegedly|suppose|supposes|supposed|supposedly|reportedly|purported|purportedly"
    "|pretend|pretends|pretended|according|suggest|suggests|suggested|argue|argues|argued|deny|denies|denied|doubt|doubts"
    "|doubtful|fiction|folklore|superstition|error|mistake|mistaken|lie|incorrect|inaccurate|fake|imagine|imagined|told|heard",
    "si|sauf|excepte|hormis|hors|seul|seule|seuls|seules|seulement|uniquement|exclusivement|quand|lorsque|lorsqu|pourvu"
    "|condition|conditions|reserve|sinon|moins|malgre|quoique|exception|exceptions|ne|guere"
    "|faux|fausse|fausses|mythe|mythes|legende|legendes|rumeur|rumeurs|croyance|croyances|croit|croient|croire|pense"
    "|pensent|pretend|pretendent|affirme|affirment|dit|disent|selon|suppose|supposent|disant|nie|nient|dement|conteste"
    "|contestent|doute|doutent|erreur|canular|mensonge|infox|intox|tort",
    "salvo|excepto|menos|solo|solamente|unicamente|exclusivamente|cuando|siempre|mientras|hasta|aunque|pese|condicion"
    "|condiciones|sujeto|sujeta|sino|apenas|excepcion|excepciones|caso"
    "|falso|falsa|mito|mitos|leyenda|leyendas|rumor|rumores|bulo|creencia|creencias|cree|creen|creer|piensa|piensan|dice"
    "|dicen|afirma|afirman|segun|supuesto|supuesta|supuestamente|presunto|presunta|presuntamente|niega|niegan|desmiente"
    "|duda|dudan|error|mentira",
)
"""Beside the negations: words that bind what is said to a condition, except from it, or lay it in another's mouth."""

SOURCES = _words("according|reportedly", "selon", "segun")
"""Those that say whose word it is only of what stands beside them."""

EXCEPTING = _words(
    "if|unless|except|excepting|excluding|only|provided|providing|subject|exception|exceptions|condition|conditions"
    "|maximum|minimum|max|min|limit|limits|limited",
    "si|sauf|excepte|hormis|seulement|uniquement|pourvu|condition|conditions|reserve|exception|exceptions|limite|limites",
    "si|salvo|excepto|solo|solamente|unicamente|condicion|condiciones|sujeto|sujeta|excepcion|excepciones|maximo|minimo|limite"
    "|limites|tope",
)
"""Those that bind or except from wherever they stand."""

BINDING = _words(
    "for|with|without|on|by|from|at|to|under|upon|in|during|within|between|before|after|since|as|per|against|among",
    "pour|avec|sans|sur|par|a|au|aux|sous|en|dans|des|pendant|durant|avant|apres|entre|chez|jusqu|jusque|lors|tant|d",
    "para|con|sin|sobre|por|desde|a|al|bajo|en|durante|antes|despues|entre|hasta|tras|como",
)
"""Openings of what may bind all that follows to a case: "With a valid pass, "."""

BOUND = tuple(
    f"{phrase} "
    for line in (
        "for|on|by|from|without|until|up to|at least|at most|at the|upon|under|after|before|within|per|against|with a|with your"
        "|with the|with proof|with valid|with prior|with advance|in case|in advance|as long",
        "pour|sur|sans|a partir|a condition|jusqu|sous|apres|avant|chez|avec un|avec une|avec votre|avec le|avec la|tant que"
        "|en cas|des que",
        "para|sin|desde|hasta|a partir|bajo|tras|despues|antes|con un|con una|con su|con el|con la|con previa|en caso|segun",
    )
    for phrase in line.split("|")
)
"""What goes on so behind a statement may bind it to a case."""

"""Phrases by which a clause speaks of the talk itself, in en, fr and es: wishes said again, hand-overs, sympathy.

It must never hold a phrase that could open a rule of a service. Notation: lexicon.words.Lexicon; `^` begins a clause.
"""

from guardrail.judge.lexicon.words import phrases, word_set

WISHES = phrases("""
    you ?would ?d ?really ?also ?rather like|love|prefer|want to|your|that|the|a|an|us|me; ^ ?so ?and ?then you
    ?also want|wish|wanted; ^ ?so ?and you are ?just ?also
    hoping|wondering|asking|after|thinking|planning|trying|worried|curious|interested; ^ ?so ?and you are ?just
    looking for|to; ^ ?so ?and you have a question|query; ^ ?so you were|mentioned|asked|said|wrote|write; ^ ?so it
    is ** you would like|want; ^ ?so your question is; ^ ?so this is about; ^ ?donc ?alors ?et vous|tu
    souhait~|voudr~|voulez|voulais|vouliez|veux|cherch~|demand~|aimer~|desir~|envisag~|pensez|penses; vous|te
    vous|te demand~ si|comment|quand|ce|quel **; ^ ?donc ?alors ?et vous|tu avez|as ?une envie|question|demande; ^
    ?donc il s agit; ^ ?donc votre|ta demande|question; ^ ?asi ?que ?entonces ?pues ?y ?usted ?vos
    quier~|queres|querias|querria~|dese~|busc~|pretend~ **; ^ ?asi ?que ?entonces necesita~ saber **; ^ ?asi ?que
    ?entonces le|te|les|os gustaria|interesa~|apetece; ^ ?asi ?que ?entonces tiene~ una consulta|pregunta|duda; ^
    ?asi ?que ?entonces su|tu consulta|pregunta|duda es|va; y ?te ?se ?le
    quieres|quiere|queres|preguntas|pregunta|gustaria * **; ^ ?y ?vale no sabe~ que|como|donde|cual|si
    """)
"""Openings that say again what the user wants."""

RESTATING = phrases("""
    if i understand|understood|follow|got|get ?you ?it ?this ** correctly|right|you|well; if i have **
    right|correctly; ^ ?i ?can see ?that you want|would|wish|hope; ^ ?so in other words; do i understand|get; si
    je|j ?vous ?te ?ai ?bien comprend~|compris|suis|saisi~; ^ ?je vois|comprends|note|crois ?comprendre ?bien que
    vous|tu souhait~|voudr~|voul~|pens~|cherch~|aimer~; ^si ?le ?te ?lo ?la he|entend~|entiendo|comprend~ **
    ?bien|entendido; ^si no me equivoco; ^ ?ya veo|entiendo|comprendo que ?usted ?le ?te ?se
    quier~|queres|dese~|busc~|gustaria|interesa
    """)
"""What puts a whole sentence as the user's own: "if I understand you well"."""

REQUESTS = phrases("""
    ^ ?please ?just ?do ?could ?can ?would ?so ?then ?you ?please give|tell|send|share|let|confirm|remind|text|read
    me|us ?know **; ^ ?may|could|can i|we ?please ?just have|get|ask|take ** your|you; i ?would ?will ?just ?only
    ?also need ?to ?know ?just your **; ^ ?please ?just ?do try|ask|write|shout|say|come|get ?me ?us ?again ?back
    **; just shout|ask|say **; ^ ?merci ?de ?pouvez ?pourriez ?vous ?veuillez ?et ?m ?me ?nous
    donnez|donne|donner|dites|dis|dire|envoyez|envoie|envoyer|indiquez|indique|indiquer|precisez|precise|preciser|communiquez|communiquer|rappelez|rappeler|confirmez|confirmer
    ?moi ?nous **; il me faut|faudrait ** votre|vos|ton|le numero|nom; n hesit~ **; ecri~ moi|nous; ^ ?por ?favor ?y
    ?puedes ?puede ?podrias ?podria ?me
    deme|dame|darme|digame|dime|decirme|indiqueme|indicame|indicarme|envieme|enviame|enviarme|pasame|paseme|pasarme|faciliteme|facilitame|facilitarme|confirmeme|confirmame|confirmarme|recuerdeme|cuenteme|cuentame|escribame|escribeme|escribenos
    **; necesito|necesitaria|me falta ?saber ?que ?me ** su|tu|el numero|nombre
    """)
"""Clauses that ask the user to tell the speaker something."""

HAND_OVERS = phrases("""
    i|we ?am ?are ?will ?shall ?have ?can ?just ?now ?gladly ?going ?to
    forward~|pass|passing|passed|transfer~|put|putting|connect~|hand|handing|escalat~|rout~|direct~|redirect~|refer|referring
    ** to|with|on|over|through|team|desk; getting|fetching a|someone|my colleague~ **; ^ ?now
    connecting|transferring|forwarding|passing|putting ?you ?this ?it; je|j|nous ?vous|te|le|la|les|y ?vais|allons
    ?tout ?de ?suite
    transmet~|transfer~|passe|passons|mets|mettons|oriente|orientons|dirige|redirige|remont~|soumets|soumettons|contact~|previens|prevenons|alert~|avis~|confi~|relai~|fais|faisons
    ** a|au|aux|suivre|suis|remonter|relation|equipe|service|collegue~|conseill~|responsable|technicien~|relais;
    je|nous ?vous ?te ?le transmets|transfere|passe|previens|contacte|alerte|avise; passer la main|relais; je|on
    ?vous ?te ?la ?le demande|pose|redemande ?a|au|aux|la **; je me permets de **; fais|faisons suivre|remonter;
    prendre le relais; entre les mains de; ^ ?ahora ?mismo ?le ?te ?os ?les ?lo ?la ?se ?su ?tu ?yo
    paso|pasamos|transfiero|transferimos|derivo|derivamos|traslado|trasladamos|conecto|pongo|reenvio ** con|a|al; ^
    ?ahora ?mismo ?le ?te ?os ?lo ?la transfiero|transferimos|derivo|derivamos|comunico|canalizo|remito|escalo **;
    deja~|dejeme|dejame que ?le ?te ?lo pregunt~|consult~|mir~ **; se|te lo|la digo|comento|paso|traslado|pregunto
    **; asigno|asignamos **; voy|vamos a mirar~|ver~|hablar|buscar~|comprobar~|revisar~ **; te|le|os
    decimos|digo|cuento **; mejor ** se lo deja~|preguntes|pregunte|pregunta a **; mejor ?se ?no ?me lo|me
    deja~|dejamos|pregunt~ **; voy|vamos a
    pasar~|transferir~|derivar~|comunicar~|trasladar~|preguntar~|consultar~|avisar~; le|lo|te
    pregunto|consulto|aviso|traslado|comunico a|al
    """)
"""Clauses that hand the talk over to someone, here and now."""

CONTACTS = phrases("""
    colleague~|team|staff|somebody|someone|manager|reception|office|agent|advisor|adviser|specialist|supervisor|handler|department|they|he|she|who|human|person
    will ?then ?also ?soon ?personally ?gladly
    get|be|contact|reply|write|call|phone|ring|drop|answer|respond|reach|come|take|help|assist|look|follow|talk;
    i|we ?will ?shall ?am ?just ?going ?to ask|asking my|our|the|a|one ?of ?my ?our * ?* $; * will take
    it|over|things **; * will call|ring|write|phone you ?back **; i|we will|shall ?just check|speak|talk|consult **
    team|colleague~|manager|reception|office|staff|somebody|someone|supervisor|desk; elle|il|on vous|te fait|tient
    signe|courant; est|sera confie~|transmis~ a|au|aux **; vous|te redis|recontacte **;
    collegue~|conseill~|equipe|quelqu~|responsable|service|gestionnaire|technicien~|elle|il|on|qui|nous
    reviendr~|revient|recontact~|contact~|repond~|rappell~|prendr~|accompagner~|va|vont|ecri~|occup~ **
    vous|te|toi|contact|relais|en|charge|vers|votre|ta|pas; nous|on revien~|reviendr~ vers; qui vous|te|t
    recontact~|rappell~|repond~|accompagn~|contact~|ecri~;
    companer~|colega~|equipo|alguien|encargad~|responsable|agente|asesor~|supervisor~|tramitador~|tecnico|secretari~|recepcion|ella|el|ellos|que
    ?ya ?se ?te ?le ?lo ?os ?nos
    llamar~|contact~|comunic~|respond~|contest~|escrib~|pondr~|pone|ayud~|atend~|atiend~|inform~|valor~|ocup~ **
    usted|contigo|contacto|le|te|vos|su|tu|ella|caso; para que le|te|les|os **
    ayude~|informe~|atienda~|llame~|respond~|contest~|valore~|oriente~|explique~
    """)
"""Clauses that say that someone will see to it, or be in touch."""

FEELINGS = phrases("""
    ^ ?oh ?ah ?aw ?wow how **; ^what a|an|lovely|great|wonderful; sounds|sounding ?like ?a ?an ?so ?really
    great|lovely|good|nice|awful|terrible|horrible|wonderful|fantastic|frustrating|tough|exciting|fun|amazing|brilliant
    **; that|it|this is|was ?really ?so ?very ?quite ?truly ?always ?never
    upsetting|awful|annoying|frustrating|terrible|horrible|sad|tough|lovely|great|wonderful|exciting|disappointing|frightening|fun|unpleasant|stressful|worrying
    **; nice|good|great|lovely|excellent|wise choice|idea|plan|thinking|one; ^ ?oh ?ah ?i ?am ?so ?very ?truly
    ?really ?terribly ?genuinely sorry ?to|about|that|for you|hear|read|about|that|for|your|the; i|we am|are ?so
    ?very ?truly ?really sorry ?to|about|that|for you|hear|read|about|that|your; ^ouch; ^aw~; i|we ?do ?quite
    ?completely ?fully ?totally ?perfectly ?entirely ?can understand ?that ?how ?why ?your **; ** no joke|fun **;
    happens to **; ?do not fret|panic|worry|despair **; drive|travel|get|stay safe~|well|soon|home; ^ ?and give
    him|her|them|it ** from us|me; ^ ?you ?oh poor *; chin up; that is rough|hard|sweet|tough **; thinking of you
    **; nobody wants **; never ?an easy **; a fellow **; i can ?only ?quite ?well see|understand|imagine|appreciate
    why|how **; i feel for **; that is ?so ?completely ?very understandable; ^oh no; ^ah; ^congrat~; that|it|this
    ?really ?all ?does must|sounds|sound ?be ?have ?been ?like|feel **; i ?can ?only ?do ?well
    imagine|know|see|understand|get ?exactly ?completely how|why|your|you|feeling **; i ?can ?only ?do ?well
    imagine|understand ?that|it|this ?must|is **; i know the feeling; i|we ?do ?really ?sincerely hope ?that
    you|your|everything|all|this|it **; i|we ?do wish you|your|him|her|them **; that is ?really ?so a ?real
    shame|pity; fingers crossed; do not worry; no need to apologi~; nothing to apologi~; ^ ?ah ?oh
    quel|quelle|quels|quelles **; ^ ?oh ?ah ?quel dommage; c est ?toujours ?vraiment ?tout ?a ?fait ?tres ?bien
    ?jamais ?si
    dommage|penible|triste|embetant|terrible|rude|dur|delicat|plaisant|motivant|ennuyeux|desagreable|genial|super|chouette|agacant|frustrant|eprouvant|rageant;
    je|nous suis|sommes ?vraiment ?sincerement ?bien ?tres ?profondement desole~|navre~|confus~ ?de|pour|que|d|si
    **; ^ ?vraiment ?sincerement desole~|navre~ ?de|pour|que|d; ^aie; ca arrive **; ca ** arrive **; voila un|une
    **; je mesure **; j|nous esper~ **; ca se fete; trop mignon; pas de honte **; n est|etait jamais|pas **
    agreable|drole|moment **; rien de pire **; toujours eprouvant|penible|dur|difficile **; on connait ca; s attache
    **; vraie|vrai peine|plaisir|chance|joie; ^mille excuses|mercis|pardons **; je|nous vous|te
    souhaite|souhaitons|plains **; ^oh chouette|super|genial **; pas ** drole|chance|evident **; rougir; moi qui
    vous|te **; une caresse **; de la chance **; vous en faites pas; ^oh mince; ^mince; ^zut; ^quelle galere; ^oh la
    la; ^ma|mon pauvre; je|j|nous ?vous ?le ?comprend~ imagin~|compatis|compatissons ?bien ?tout ?que **; je|nous
    regrett~ ?beaucoup ?sincerement ?vraiment que|votre|ce|cet|cette|pour **; je|nous comprends|comprenons ?tout
    ?bien ?tres ?a ?fait ?parfaitement ?que votre|ta|que|vous|cela|ca **; ^felicitations; ^bravo; ^bon courage;
    ^bonne~ **; ^belle|bel idee|journee|soiree|initiative|histoire|age|choix **; ^au plaisir; ne vous inquiet~ pas;
    ne t inquiete pas; pas d inquietude; ^que de **; ^comme je vous|te comprends **; ^ ?ay ?uy ?uf ?oh ?ah ?vaya
    ?anda que **; ^ ?ay ?uy ?vaya cuanto|cuanta|menud~ **; ^ ?lo ?le ?mucho ?de ?verdad
    siento|sentimos|lamento|lamentamos ?mucho ?muchisimo ?el|la|lo|los|las|que|oir|leer|saber **; ^mil
    disculpas|perdones|gracias; ^ ?le ?te ?me ?lo ?os ?ya ?te imagino|entiendo|entendemos|comprendo|comprendemos
    ?bien ?muy ?que|lo|su|tu|el|la|perfectamente **; ^vaya; ^anda; eso|esto|a nos|cualquiera|todos ?se ?nos ?le
    pasa|ocurre|ha **; ^jaja~; ^jeje~; ^vamos a|alla ?ello; ^uy; ^ay; ^uf; ^hijole; ^enhorabuena; ^felicidades;
    ^animo; ^mucha suerte|fuerza; no te|se|os ?me preocup~|agobi~|apur~|angusti~|inquiet~ **; es ?muy ?de ?lo ?mas
    normal~ **; a todos|cualquiera ?nos **; me hago cargo **; reciba|acepte nuestras|mis disculpas **; no eres|es
    el|la primer~|unic~ **; ando **; seguro que **; cuanto|como lo siento|lamento **; me alegra|encanta|alegro **;
    ole; perdon~ ?la ?el ?por **; se lo|como ** es; ^ojala **; ^espero|esperamos que **; ^respira; ^tranqui~; ^ ?y
    ?se como ** sient~; que ?tenga~ ?pases ?pase ?un ?muy ?una ?buen~ ?feliz dia|tarde|noche|semana|finde|viaje
    """)
"""Clauses of sympathy, joy and good wishes."""

THANKS = phrases("""
    ^ ?so ?very ?many thank ?you ?so ?very ?much ?a ?lot ?again ?for|you **; ^ ?many ?so thanks ?so ?very ?much ?a
    ?lot ?again ?for **; i|we ?really ?do appreciate **; ^cheers; ^ ?aw ?oh you are ?so ?very ?most welcome$; ^it
    was ?a ?real pleasure; ^my pleasure; ^any time; ^ ?un ?grand ?tres merci ?beaucoup ?infiniment ?bien ?encore
    ?d|de|pour|a **; je|nous ?vous ?te remerci~ **; ^de rien; ^avec plaisir; ^je vous|t en prie; accus~ reception
    **; ^ ?muchas ?muchisimas ?mil gracias ?por|a|de **; le|te|os|se ?lo agradezco|agradecemos **; ^de nada; ^no hay
    de que; ^un placer; ^con gusto
    """)
"""Clauses of thanks, and answers to them."""

LOOKING = phrases("""
    i|we ?am ?are ?will ?shall ?just ?now ?quickly ?going ?to check|checking|looking|searching **; i|we will|shall
    ?just ?now ?quickly look|see|find|search ?up ?into ?for ?out ?on ?this|that|it|the|your|what|whether|if **; let
    me ?just ?quickly check|look|see|ask|find|pull|have a|look|up|with|for|what|whether|if|into|on|that|this|it|your
    **; ^ ?just ?give ?me a|one ?quick ?little moment|second|sec|tick|minute|mo; ^ ?please ?just
    bear|hang|hold|stay|wait **; ^take ?a ?your deep|time|breath **; we will ?get ?talk ?sort ?go **
    through|together; looking ?into ?it now; one|a ?quick moment|second|sec|minute please; ^hold tight; ^back in a;
    i|we ?am ?are ?just pulling|opening|consulting|bringing|calling up|your|our|the|it **; ** help me ?to
    find|look|check|see **; still reading|looking|checking|working **; je|j|nous ?vais ?allons ?suis ?vous ?me ?en
    ?le ?la ?les
    regarde~|verifi~|jette|jetons|interrog~|consult~|renseign~|cherch~|note|notons|penche|lis|relis|occup~|reviens
    **; laissez|laisse moi|nous **; ^ ?juste ?donnez ?donne ?moi un|une ?petit~ instant|moment|seconde|minute **; ^
    ?merci de patient~|rest~|attend~ **; ^restez|reste avec|en moi|ligne|nous **; ne bougez|bouge|quittez|quitte pas
    **; un ?petit ?coup ?d oeil **; ^prenez|prends ** temps; le temps de|que je **; ^ ?ahora ?mismo ?ya ?lo ?la ?le
    ?te ?se ?me miro|mirando|reviso|compruebo|verifico|consulto|busco|fijo|checo **; ^ ?ahora ?mismo ?yo ?ya
    estoy|voy|sigo ?a
    mirando|revisando|comprobando|consultando|buscando|checando|viendo|leyendo|mirar|revisar|comprobar|consultar|buscar|ver|leer
    **; ^ ?dame ?deme ?solo ?espere ?espera un|una ?par ?de
    momento|momentito|segundo|segundito|minuto|minutito|toque|rato|ratito;
    ^dejame|dejeme|permitame|permiteme|bancame|aguante|aguanta|espere|espera|espereme **; ^no cuelgue~; ^no se
    retire; ^un momento; ^un segundo; ^que me fijo|lo|la **; estoy teniendo ** problem~|encontrar
    """)
"""Clauses that ask for patience, or say that the speaker is looking."""

PUZZLED = phrases("""
    i|we ?am ?did|do|could|can ?quite ?not ?sure ?quite not|unsure ?quite ?fully ?really ?sure ?what ?i
    understand|understood|catch|follow|get|read|make ?out ?that|you|your|it|what|the|sense ?last
    ?message|mean|meant|said|question|request|of **; not ?quite ?entirely ?really sure what you|i; not ?quite
    ?entirely ?fully sure|certain|convinced i follow|understand|understood|get; you|that ?have lost me; rephrase;
    say that again; message|messages ?seems ?came ?come ?was ** garbled|cut|empty|unclear|incomplete **; in other
    words; put it differently; went over my head; i am lost|confused|stumped; je|j|nous n|ne ?ai|suis ?vous ?pas
    ?bien ** compris|comprends|saisi|saisis|suis ?bien ?pas **; pas ?bien ?tout compris|saisi|clair; je|la je seche;
    je|j n|ne ** trouve ** votre|ton message; pas sur~ ** comprendre|compris|suivre; reformul~; m echappe; je suis
    perdu~; je crains de ne ** comprendre|suivre|saisir **; no ?le ?te ?lo ?la ?he ?me ?acabo ?consigo ?termino
    ?logro ?de ?ha ?queda ?quedado entend~|entiendo|comprend~|clar~|pillo|pillado|cach~|caigo **; no me ?ha queda~
    clar~; no ?estoy segur~ de ?haber ?te ?le ?lo ?haberte ?haberle entend~|entendido|qu~ **; desole~ ** capte **;
    no ** entender~|entendido; ^ ?me ?he perdi~; decir~ de otra ?manera|forma; con otras palabras; no ?te ?le ?os
    sigo; no ?te ?le ?lo acabo **
    """)
"""Clauses that say that a message wasn't understood."""

SCOPE = phrases("""
    i|we ?can ?am ?are ?really ?only ?just ?here only|just|here ?here ?ever
    deal|help|assist|handle|answer|talk|chat|cover|look|able|here|set|there ?to ?with ?about ?questions **; i|we ?am
    ?are ?do ?can ?will ?would ?simply ?really not|unable ?really ?simply ?able ?to ?in ?a ?position ?be ?much
    help|assist|advise|answer|comment|discuss|talk|chat|deal|judge|say|speak|look|tell ?you ?into ?anything ?with
    ?on ?about ?there ?here **; i|we ?am ?are unable to help|assist|advise|answer|comment|discuss|deal **;
    nothing|something|anything i|we can help|assist|advise|comment|answer|deal|do for you; not the right|best
    person|place|one|desk **; not my ?own area|field|subject|strong|department|thing|remit; outside|beyond ?of
    my|what|our ** area|remit|scope|field|help|deal|here; not a topic|subject **; i|we have|had no opinion|view **;
    leave that to **; all i|we do|handle|know|deal ** here|is|with; i am ?only ?just a|an|the **
    bot|assistant|robot; i|we ?am ?can ?do ?not ?able ?to not|unable ?to give|offer|share|express|form **
    opinion|view|advice|verdict|recommendation~ **; not ?really ?able ?to ?in ?a ?position give|offer **
    advice|opinion~|view~ **; i ?would ?d rather|prefer not **; something i must|have|had ** leave to others;
    best|better leave|left ** to; je|nous ne ?m|me ?vous ?nous ?puis ?peux ?pouvons ?saurais ?saurions ?suis ?sommes
    ?serais ?serai ?pourrai ?pas ?point ?guere **
    aider|repondre|renseigner|conseiller|prononcer|mesure|aucun|competent~|habilite~|secours|utile|aide **; je|nous
    ne m|nous occup~|interviens|intervenons|traite~|gere~|repond~|parl~ ** que; je|nous ne|n
    traite|traitons|gere|gerons|reponds|repondons|interviens ?ici ?qu que|qu **; je ne m occupe|intervi~ **; je n
    interviens **; pas la bonne|meilleure personne|adresse **; hors|depasse|dehors **
    perimetre|domaine|competence~|champ; pas ?de mon|ma|notre domaine|ressort|competence|sujet|partie|rayon **; pas
    ** bonne|meilleure personne|adresse|interlocut~ **; je ne suis qu **; cela|ca me depasse; je prefere|prefererais
    ne pas **; d aucun secours; no ?le ?te ?os ?les ?me ?lo
    puedo|podemos|podria|podriamos|sabria|sabriamos|se|soy|estoy|esta|sere **
    ayudar~|responder~|informar~|aconsejar~|asesorar~|opinar|orientar~|contestar~|decir~|hablar|entrar|autorizad~|capacitad~|indicad~|adecuad~|persona
    **; solo|unicamente|exclusivamente|nada mas ?me ?le ?te ?os ?puedo ?podemos ?estoy ?aqui ?se
    ocup~|ayud~|atiend~|trat~|encarg~|respond~|llevo|llevamos|hablo|gestiono|para|puedo **; me|nos
    ocupo|ocupamos|encargo|encargamos|dedico|dedicamos ?solo ?unicamente ** solo|unicamente|exclusivamente|a|de **;
    no soy ?la ?el quien|persona|indicad~|adecuad~|experto|experta **; solo atiend~|llev~|gestion~ **; fuera|escapa
    ** mi|mis|nuestro|nuestra|alcance|ambito|competencia~; no es ?de ** mi|lo mi|mio|nuestro **; eso|esto|ese tema
    no ** mi|lo|me|corresponde|toca|compete; ?solo soy un|una ** asistente|bot|robot **; prefiero|preferiria no **;
    no me corresponde|compete|toca
    """)
"""Clauses by which the speaker says what it deals with itself: of what a service does they say nothing."""

GREETINGS = phrases("""
    ^ ?hi ?hello ?hey ?good ?morning ?afternoon ?evening ?and ?a ?warm welcome ?to ?back **; ^hello|hi|hey|greetings
    **; ^good morning|afternoon|evening **; ^dear *; ^bye; ^goodbye; ^see you; ^speak|talk soon; ^all the best;
    ^kind|best regards; ^take care; ^sleep well; ^safe travels|trip; ^have a **; ^enjoy your|the **; ^happy **;
    ^looking forward **; ^lovely|nice|great|good|pleased to meet|hear|see|have|know **; ^ ?bonjour ?bonsoir ?salut
    ?coucou ?et ?la bienvenue **; ^bonjour|bonsoir|salut|coucou|hello|madame|monsieur **; ^cher|chere *; ^au revoir;
    ^a bientot|demain|vite|tout **; ^bien a vous|toi; ^cordialement; ^ravi~|enchante~|heureux|heureuse ?de|d **;
    ^profit~ bien **; ^bon|bonne|excellente *; ^prenez|prends soin **; ^hola~ **; soy|habla ?el ?la ** asistente **;
    ^ ?hola ?buenas ?buenos ?dias ?tardes ?noches ?y ?sea ?seas bienvenid~ **; ^hola|buenas|buenos|saludos|estimad~
    **; ^adios; ^hasta *; ^nos vemos; ^un abrazo|saludo **; ^cuidate|cuidese|cuidaos **; ^encantad~ **; ^que ?tenga~
    ?pase~ ?descanse~ ?vaya ?le ?te ** bien|dia|tarde|noche|finde|semana|viaje|descanses; ^
    ?estaremos|estare|estamos encantad~ **; ^feliz|felices|buen|buena **; ^disfrut~ **; ^aqui estamos|estoy|me **
    """)
"""Greetings and goodbyes."""

ACKNOWLEDGEMENTS = phrases("""
    ^ ?ah ?oh ?i ?we ?have got it|that|you; ^noted; ^i see; ^understood; ^right$; ^okay; ^ok; ^alright; ^sure$; ^of
    course$; ^certainly$; ^no problem|worries; ^fair enough; ^no need to worry; ^good|great|fair question|point **;
    ^i hear you; ^no rush; i|we will not be ** long; i will be here **; we ?all ?do apologi~ **; i ?do ?really
    ?sincerely apologi~ **; no need ** apologi~; my|our ?sincere ?deepest apologies **; i am all ears; you are
    after; accept our|my **; so|very ?very happy|pleased|glad|delighted for you **; your kind|lovely|nice
    words|message|feedback|note|compliment|email; ^makes sense; ^happy|glad to help **; ^i am here **; ^that is ?all
    ?quite ?absolutely fine|alright|okay; ^absolutely; ^bien recu|note|entendu|sur|compris; ^ ?c est
    note|compris|entendu|parfait; ^je vois|comprends; ^entendu; ^compris; ^d accord; ^tres bien; ^parfait; ^pas de
    souci|probleme; ^aucun souci|probleme; ^ca marche; n est|etait pas ?toujours ?jamais
    facile|evident|simple|commode|drole; pas ** reponse a vous|te donner; ^ ?bien ?sur je m en occupe **; ^bonne
    question **; ^hmm|hum; ^je suis la **; ^a votre|ton **; ^vale; ^de acuerdo; ^entendido; ^claro; ^perfecto; ^ya
    veo; ^ya; ^muy bien; ^listo; ^recibido; ^por supuesto; ^buenisimo; ^genial; ^estupendo; ^anotado; ^apuntado;
    ^tomo nota **; ^sin problema; ^ningun problema; ^buena pregunta **; ^aqui estoy **; ^a su|tu **; ^faltaria mas;
    mucho|tanto gusto; no ?le ?te ?puedo|podemos ** dar~ ** respuesta; ^jaja~; ^jeje~
    """)
"""Openings that take note."""

CONDITIONS = word_set("if when whenever once unless as si quand lorsque cuando")
"""Openings of a clause that make a wish a condition: "if you would like to"."""

PARTICLES = word_set("through over across along straight directly right away line hilo linea")
"""Words of handing over that aren't what is handed over."""

WHEN = word_set("""
    tomorrow tonight today hour hours day days week morning afternoon evening demain aujourd heure heures jour jours
    semaine soir manana hoy hora horas dia dias semana noche
    """)
"""Words that make a promise of a hand-over."""

ASSERTING = word_set("""
    is are was were can must will shall may do does did has have had costs cost needs need takes take gets get should
    only always free without
    ne n
    est sont etes sommes peut peuvent pouvez peux doit doivent devez dois faut ont avez va vont sera seront suffit coute
    seulement uniquement seul seule toujours gratuit gratuite
    es son esta estan puede pueden puedes debe deben debes hay tiene tienen tienes sera seran cuesta se
    solo solamente unicamente siempre gratis gratuito gratuita hace hacen falta
    """)
"""Verbs and limits by which a clause asserts something of its own: what echoes the user has none."""

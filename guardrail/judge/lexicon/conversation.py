"""Words of the conversation itself: thanks, apologies, waiting, feelings, hand-overs, in en, fr and es.

It must never hold a word that a rule of a service would turn on.
"""

from guardrail.judge.text import stem

_WORDS = """
thank thanks thankful grateful appreciate welcome sorry apologise apologize apology apologies regret excuse pardon forgive moment
moments sec secs instant bit hang hold holding wait waiting bear patience patient rush worry worries bother understand
understanding understandable frustrating frustrated frustration annoying annoyed upset disappointing disappointed
inconvenience trouble happy happier glad delighted pleasure pleased lovely wonderful kind kindly kindness nice great good
brilliant fantastic amazing awesome sweet heart warm heartfelt sympathy condolences congratulations best wish wishes hope
enjoy luck lucky care soon later talk speak chat chatting conversation question questions ask asking message messages word
words help helping helpful assist assistant assistance virtual bot robot colleague colleagues teammate teammates human agent
person someone somebody transfer transferring pass passing connect connecting hand handing reach look looking check checking
see hear hearing heard read reading write writing wrote reply tell telling told say saying shout sound sounds mind
smile laugh haha ha ah aw oh ugh hmm hey hi hello bye goodbye morning afternoon evening night weekend week day today ready
sure course alright right okay ok fine perfect exactly absolutely honestly feel feeling wonder mean clear clearly repeat
rephrase catch missed wrong side try share sharing story made letting making taking let know idea matter better leave others
forward seconds answer answers anything else tight stay bless dear note noted feedback compliment opinion judge thing simply
take time finally gladly ever pleasant splendid restful splendidly
merci mercis remercie remercions remercier desole desolee navre navree excuse excuses excuser pardon pardonnez regrette
instant instants moment moments patiente patientez patienter patience attente attendre quittez ligne inquietude inquietez
souci soucis comprends comprenons comprendre comprend agacement deception deceptions frustration frustrant desagrement
desagrements dommage ennui ennuyeux penible delicate delicat ravi ravie ravis heureux heureuse plaisir joie enchante belle
bel beau bonne bon excellente excellent journee soiree matinee apres midi week end semaine fin bientot suite souhaite
souhaitons souhaits espere esperons courage condoleances felicitations bravo gentil gentille adorable aimable question
questions demande message messages mot mots aide aider aidez assistant virtuel robot humain humaine collegue collegues
conseiller conseillere conseillers equipe quelqu personne relais relation transfere transmets transmettre transferer passe
passer mets oriente regarde regarder regardons verifie verifier voir vois voyons revient reviens lire lis ecrire ecrit ecrivez
ecris dites dire dit saisi compris repeter preciser reformuler occupe occuper occupons ensemble volontiers bien entendu sur
oui non ah oh bonjour bonsoir salut revoir tard hesitez besoin disposition reste restez rester prends prenez temps laissez
laisse facile seulement pouvais peut prie sincerement toujours presente joie choix idee avis quelques petite petit tout
gracias agradezco agradecemos agradecido siento sentimos lamento lamentamos disculpe disculpa disculpas disculpen perdon
perdone perdona lastima molestia molestias inconveniente espera espere esperar esperando momento momentito segundo segundito
minutito paciencia cuelgue prisa preocupe preocupes preocupacion tranquilo tranquila entiendo entendemos comprendo comprendemos
enfado frustracion lata pena rabia alegra alegro alegria encantado encantada encantados gusto placer feliz felices
felicidades enhorabuena bonito bonita maravilla genial estupendo perfecto bueno buena buenos buenas dia dias tarde tardes noche
noches semana fin pronto luego hasta suerte deseo deseamos espero ojala abrazo saludo saludos cuidese cuidate carino
sentimiento amable pregunta preguntas consulta mensaje mensajes palabra ayuda ayudar ayudarle ayudarte asistente virtual robot
maquina persona humano companero companera companeros companeras colega equipo alguien paso pasar pongo poner transfiero
transferir comunico derivo aviso mirar miro mirando veo vemos ver reviso revisar compruebo comprobando verifico leer leo
leyendo escribir escribo escriba decir digo dime diga digame cuente cuenteme cuentame explicado explicar entendido claro
supuesto desde vale acuerdo si jaja vaya ay hola adios enseguida ahora vuelvo aqui estamos necesites necesite atencion
compliment compliments complimenting vosotros ti envoi recu recibido mensajito comptoir tres tout tus accept completely totally standing waited concerning concern whatever disappoint anytime guidance
mesure conseiller sujet situation comprenons decirte decirle contarnos escribirnos dale pedido tips left disregard tough give giving given sent send love loved preferer prefere hasard vendeur donner penche oeil equivocado sitio orientarle contrarie confiance vraiment passee passe repondre repondrai soiree soir amene rappel relire reecrire discute grand chaleureux partage touchee mieux essayer apprendre signale
contrariete amusement ecoute ainsi note tienes tomate surge duda dudas busco mala experiencia responsable calma empezar
cliente mucho mucha muchas muy bien mal confiar contarnoslo interese vuelta echo vistazo dejo anotado responder respondan
"""

CONVERSATION = frozenset(stem(word) for word in _WORDS.split())
"""The stems of words that speak of the talk, not of the service."""

"""What users of a service desk ask for: actions and what they are done to, each with its kin in en, fr and es.

It must never hold a word of one product alone: a group belongs to any desk that books, sells, lends or bills.
Flat text, as in lexicon.words. In a phrase `a|b` is either, `?x` x or nothing, `**` up to four words of the same clause;
words behind `>` must
follow and belong to something else; `x+er` stands for the forms of a regular verb (`ENDINGS`).
"""

from guardrail.judge.lexicon.words import phrases, word_set

ACTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "cancel",
        phrases("""
        cancel; call off; call ** off; scrap; drop; revoke; terminate; abort; annul; discontinue; withdraw; undo;
        end > my|the|this; get|getting rid of; back out of; no longer need|want|require; do not need|want >
        my|the|this|it; delete; remove; close > my|the|this|our|it|an|account|accounts|contract|card|policy; stop;
        cease; give up; annul+er; decommander; commandez; supprim+er; resili+er; desister; renoncer a;
        mettre|mettez|mets fin a|au; n ai plus besoin; ne veux plus; rompre; clotur+er; ferm+er; cancel+ar; cancela
        > mi|la|el; anul+ar; anula > mi|la|el; dar|den|darme|darle de baja ?de|en; suprimir; suprima; rescindir;
        rescinda; elimin+ar; desistir; desconvoc+ar; desconvoqu+e; ya no quiero; ya no necesito; cerr+ar; cierre;
        cierren
        """),
    ),
    (
        "book",
        phrases("""
        ^book; to|you|i|we|please|and|like|can|just|want|help|me|us|let book; reserv+er; schedule; set up; arrange;
        fix up; sign ?me|us up ?for; pencil ?me|us in ?for; put ?me|us down ?for; fit|squeeze|slot me|us in ?for;
        enrol ?me|us ?in; enroll ?me|us ?in; put ** on hold; retenir; retenez; fixer; fixez; planifi+er;
        programm+er; inscrire; inscrivez; m|nous inscrire a; convenir d; reserv+ar; apart+ar; agend+ar; program+ar;
        concert+ar; concierte; concret+ar; fij+ar; inscribir; inscribirme; apunt+ar; pedir|solicitar|sacar|coger >
        ?una cita|hora|turno; alquil+ar
        """),
    ),
    (
        "order",
        phrases("""
        to|you|i|we|please|like|can|just|want order|purchase; buy; commander; commandez; achet+er; compr+ar;
        encarg+ar; encargu+e; pedir
        """),
    ),
    (
        "request",
        phrases("""
        request; apply for; ask for; obtain; claim back; demand+er; obtenir; sollicit+er; solicit+ar; obtener;
        pedir; conseguir
        """),
    ),
    (
        "create",
        phrases("""
        create; open > a|an|my|the|new|another|up|account|accounts; set up; register ?for; sign ?me|us up ?for;
        join; enrol ?me|us ?in; enroll ?me|us ?in; cre+er; ouvrir; ouvrez; inscrire; souscrire; adherer; abonner;
        cre+ar; abrir; abra; registr+ar; inscribirme; contrat+ar; suscribirme; darme de alta; dar de alta
        """),
    ),
    (
        "move",
        phrases("""
        reschedule; rebook; re schedule; re book; move; postpone; push back; push ** back; push ** to; put off; put
        ** off; put back; bring forward; bring ** forward; move ** forward|back|up; delay; defer; shift; swap ** to;
        change the|my date|day|time of; report+er; decal+er; deplac+er; avanc+er; repouss+er; differ+er; retard+er;
        reprogramm+er; replanifier; aplaz+ar; aplac+e; posponer; posponga; posponerla; posponerlo; retras+ar;
        adelantar; adelantarla; adelantarlo; adelanten; reprogram+ar; reagend+ar; posterg+ar; postergu+e; mover;
        mueva; muevan; moverla; moverlo; traslad+ar; correr > mi|la
        """),
    ),
    (
        "change",
        phrases("""
        make a change|modification ?to|in; make some changes ?to|in; change ?to; move to > a|another|the; modify;
        amend; alter; edit; update; adjust; switch ?to; revise; correct > my|the|this|a|an|address|bill|booking;
        upgrade; downgrade; swap; exchange; replace; faire une|des modification|modifications ?sur|a|de; faire un
        changement ?sur|a|de; chang+er; modifi+er; rectifi+er; actualis+er; corrig+er; mettre a jour; passer > a
        un|une|autre; bascul+er; hacer un|unos cambio|cambios ?en|a|de; cambi+ar; modific+ar; modifiqu+e;
        actualiz+ar; actualic+e; edit+ar; rectific+ar; rectifiqu+e; corregir; corrija; pasar > a otro|otra|un|una;
        pasarme > a; echang+er; remplac+er; canje+ar; intercambi+ar; permut+ar
        """),
    ),
    (
        "view",
        phrases("""
        check ?on; view; see; look at; look up; look ** up; look into; can|could|would you ?please look; verify;
        track; trace; follow; show ?me; find out; pull up; locate; consult; review; monitor; confirm; double check;
        where s|is|are; status of; what is the status of; go over; know about; verifi+er; consult+er; voir; suivre;
        suivez; affich+er; regard+er; controler; localis+er; visualis+er; ou en est|sont; ou est|sont; ou se trouve;
        comment avance|avancent; etat de; etat d; savoir > ou en est; consult+ar; ver; verific+ar; verifiqu+e;
        comprob+ar; compruebe; revis+ar; mir+ar; rastre+ar; seguir; localiz+ar; localic+e; donde esta|estan; como
        esta|estan|va|van; en que estado; estado de|del; cheque+ar
        """),
    ),
    (
        "manage",
        phrases("""
        manage; administer; organise; organize; ger+er; administrer; gestion+ar; administr+ar
        """),
    ),
    (
        "pay",
        phrases("""
        pay ?for; settle; pay off; clear > my|the; make a > payment; faire un|le > paiement; pay+er; regl+er;
        acquitt+er; solder; hacer un|el > pago; pag+ar; pagu+e; abon+ar; liquid+ar; sald+ar; cancelar > la|mi
        factura
        """),
    ),
    (
        "renew",
        phrases("""
        renew; extend; prolong; keep ** longer; renouvel+er; renouvelle; prolong+er; reconduire; renov+ar; renueve;
        prorrog+ar; prorrogu+e; prolong+ar; prolongu+e; ampli+ar; extender; extienda
        """),
    ),
    (
        "block",
        phrases("""
        block; freeze; lock; suspend; paus+ar; put ** on hold; put a hold|stop on; put a hold|freeze|block|lock on;
        stop; disable; deactivate; switch off; turn off; halt; bloqu+er; gel+er; suspendre; suspend+er;
        faire|faites|fais opposition ?sur|a; mettre|mettez ** en pause; mettre opposition ?sur|a; desactiv+er;
        verrouill+er; interrompre; bloque+ar; congel+ar; suspenda; inmoviliz+ar; inmovilic+e; desactiv+ar; poner **
        en pausa; paraliz+ar; paralic+e
        """),
    ),
    (
        "activate",
        phrases("""
        activate; enable; turn on; switch on; start using; set up; get ** working; activer; activez; allum+er;
        mettre en service; mettre en marche; activar; activarla; activarlo; activarme; activen; activame;
        habilit+ar; encender; poner en marcha; dar de alta
        """),
    ),
    (
        "report",
        phrases("""
        report; flag; notify; declar+er; raise; lodge; file; submit; send in; hand in; put in a >
        claim|complaint|report; make|open|start a > claim|complaint|report; register a >
        claim|complaint|fault|report; log a; signal+er; depos+er; notifi+er; transmettre; soumettre; faire une >
        declaration|reclamation; avisar de; avise; report+ar; notific+ar; notifiqu+e; comunic+ar; comuniqu+e;
        informar de; denunci+ar; dar parte; presentar; presentarla; presenten; declar+ar; interponer; tramit+ar;
        enviar > la|mi lectura
        """),
    ),
    (
        "dispute",
        phrases("""
        disput+er; contest; challenge; object to; appeal; question > a|the|this; contest+er; reclam+er; reclam+ar;
        disput+ar; impugn+ar; cuestion+ar; discutir
        """),
    ),
    (
        "return",
        phrases("""
        return; send back; send ** back; give back; give ** back; bring back; bring ** back; take ** back;
        retourn+er; renvoy+er; renvoie; rendre; rapporter; restituer; devolver; devuelva; devolverlo; devolverla;
        retorn+ar; regres+ar
        """),
    ),
    (
        "refund",
        phrases("""
        refund; reimburse; get ** money back; have my|our money back; want|like|need my|our money back; rembours+er;
        recuperer mon argent; reembols+ar; recuperar mi|el dinero; devolver|devuelvan el dinero
        """),
    ),
)
"""What may be asked for, by name. A phrase may stand under several: what follows then tells which is meant."""

ENDINGS = {
    "+er": "er ez e ons",
    "+ar": "ar arlo arla arlos arlas arme arnos e en eme enme ame elo ela alo ala enlo enla",
    "+e": "e en eme enme elo ela enlo enla",
}
"""Forms of regular French (-er) and Spanish (-ar) verbs that ask for a thing; the last, where the stem is spelt anew."""

WANTS: tuple[str, ...] = phrases("""
    need; want; like; get ?me; make; take; place; looking for; can|could|may i|we ?please have; find me; give me;
    il me|nous faut; il me|nous faudrait; besoin d|de; voudrais; voudrait; voudrions; veux; souhaite; souhaiterais; souhaitons;
    aimerais; aimerions; prendre; prends; faire; passer; effectuer; avoir; cherche; donnez moi; trouvez moi;
    quiero; queremos; quisiera; quisieramos; necesito; necesitamos; gustaria; hacer; hago; pedir; sacar; coger; busco; buscamos; deme; dame;
    tener; poner; solicito; solicitar; realizar
    """)
"""What makes a wish of a thing that nobody has yet: "need an appointment", "prendre rendez-vous", "pedir cita"."""

WISHED = ("book", "create", "order", "request")
"""The actions that such a wish may stand for."""

ARTICLES = word_set("a an one any some un une des d de una unos unas uno")
"""What may stand between a wish and its thing."""

REPLACING = word_set("""
    another other new different replacement instead than more less bigger larger smaller cheaper better earlier later sooner
    autre autres nouveau nouvel nouvelle plus moins meilleur meilleure plutot
    otra otro otras otros nuevo nueva mas menos mejor mayor menor
    """)
"""Words by which a wish may be for one in the place of one that is held."""
REPLACED = ("change", "move", "return")
"""The actions that it may stand for then, too."""

PARTING = word_set("of from in on de du des d dans en del sur")
"""What parts a thing from the whole that it is in: "the cot from my booking"."""

OTHER_TIMES: tuple[str, ...] = phrases("""
    another|other|different|later|earlier|new|sooner|better time|slot|date|day|hour;
    autre|nouveau|nouvelle|meilleur creneau|horaire|heure|date|jour;
    creneau|horaire|heure|date|jour plus tard; creneau|horaire|heure|date plus tot; creneau|horaire|date different|differente;
    otro|otra|nuevo|nueva|distinto|distinta|mejor hora|horario|hueco|fecha|dia|turno;
    hora|horario|hueco|fecha mas tarde|temprano|pronto
    """)
"""Times that are wished for in the place of one that is held."""

KIN: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (name, phrases(text))
    for name, text in (
        (
            "appointment",
            """appointment; appointments; appt; appts; apt; appointement; visit; visits; consultation; consultations; slot; slots;
            checkup; check up; rendez vous; rendezvous; rdv; rv; visite; visites; creneau; creneaux; cita; citas; visita; visitas;
            turno; turnos; hueco""",
        ),
        (
            "booking",
            "booking; bookings; reservation; reservations; reserva; reservas; reservacion; stay; sejour; estancia",
        ),
        ("room", "room; rooms; chambre; chambres; habitacion; habitaciones; cuarto"),
        ("table", "table; tables; mesa; mesas"),
        ("flight", "flight; flights; vol; vols; vuelo; vuelos"),
        ("ticket", "ticket; tickets; billet; billets; billete; billetes; boleto; boletos; entradas"),
        (
            "order",
            "order; orders; purchase; purchases; commande; commandes; achat; achats; pedido; pedidos; compra; compras",
        ),
        (
            "item",
            "item; items; product; products; article; articles; produit; produits; articulo; articulos; producto; productos",
        ),
        ("delivery", "delivery; shipping; livraison; entrega; envio"),
        ("parcel", "parcel; parcels; package; shipment; colis; paquet; paquete; paquetes"),
        ("plan", "plan; plans; tariff; tariffs; forfait; forfaits; tarifa; tarifas"),
        ("policy", "policy; policies; insurance; assurance; poliza; polizas; seguro"),
        ("contract", "contract; contracts; contrat; contrats; contrato; contratos"),
        (
            "subscription",
            """subscription; subscriptions; membership; memberships; abonnement; abonnements; adhesion; suscripcion; suscripciones;
            membresia; abono""",
        ),
        ("card", "card; cards; carte; cartes; tarjeta; tarjetas"),
        ("account", "account; accounts; compte; comptes; cuenta; cuentas"),
        ("bill", "bill; bills; invoice; invoices; facture; factures; factura; facturas; recibo"),
        (
            "charge",
            "charge; charges; debit; debits; transaction; transactions; cargo; cargos; operation; movimiento; transaccion",
        ),
        ("claim", "claim; claims; sinistre; sinistres; reclamation; siniestro; siniestros; reclamacion"),
        ("loan", "loan; loans; pret; prets; emprunt; emprunts; prestamo; prestamos"),
        ("book", "book; books; livre; livres; libro; libros"),
        ("class", "class; classes; lesson; lessons; cours; clase; clases"),
        ("outage", "outage; outages; power cut; blackout; panne; pannes; coupure; averia; averias; corte; apagon"),
        ("sim", "sim; sim card; esim; carte sim; tarjeta sim"),
        ("usage", "data; donnees; datos"),
        ("balance", "balance; solde; saldo"),
        ("address", "address; addresses; adresse; adresses; direccion; direcciones; domicilio"),
        ("password", "password; passwords; passcode; mot de passe; contrasena; clave"),
        ("refund", "refund; refunds; money back; reimbursement; remboursement; reembolso; reintegro"),
        ("payment", "payment; payments; paiement; paiements; pago; pagos"),
        ("reading", "reading; readings; releve; index; lectura"),
        ("vehicle", "car; vehicle; voiture; vehicule; coche; auto; vehiculo; carro"),
        ("seat", "seat; seats; siege; asiento; asientos"),
        ("trip", "trip; travel; voyage; viaje"),
        ("status", "status; state; progress; etat; statut; estado"),
        ("checkin", "check in; checkin; check out; checkout"),
    )
)
"""What is asked for, by name: nouns that stand for the same thing at a desk."""

OWN = word_set("my the this our mon ma mes notre nos le la les l ce cette mi mis el los las nuestra nuestro")
HELD = word_set("i we have ve ai avons tengo tenemos")
"""Words shortly before a thing that somebody has already."""
HAD = frozenset({"balance", "status"})
"""Things that only what somebody has can have."""

NOUN_MARKS = word_set("a an my your his her their our the this that these those no un une mon ma votre una mi su")
"""Words before a noun: "the change", "un change" ask for nothing."""

BEGGING = word_set("please pls plz svp plait favor porfa")
PURPOSE = word_set("for pour para")
"""What makes a request of a thing alone: "a table for two, please"."""

CLOSE: tuple[frozenset[str], ...] = (
    frozenset({"move", "change"}),
    frozenset({"view", "manage"}),
    frozenset({"cancel", "block"}),
    frozenset({"cancel", "return"}),
    frozenset({"report", "dispute"}),
    frozenset({"book", "order"}),
    frozenset({"book", "create"}),
    frozenset({"book", "request"}),
    frozenset({"order", "request"}),
    frozenset({"create", "request"}),
    frozenset({"create", "activate"}),
    frozenset({"renew", "change"}),
    frozenset({"renew", "activate"}),
    frozenset({"return", "refund"}),
    frozenset({"cancel", "refund"}),
    frozenset({"dispute", "refund"}),
    frozenset({"dispute", "request"}),
)
"""Actions that one word may mean by turns: neither speaks against the other."""

DEEDS = {"refund": ("refund", "return"), "payment": ("pay",), "claim": ("dispute", "report")}
"""Actions that a thing speaks of by its very name."""

TOLD = {
    "book": "booked reserved pris",
    "cancel": "cancelled canceled annulation cancelacion anulacion",
    "pay": "paid payment paiement pago pagos",
    "return": "sent returned devolucion renvoi",
    "order": "bought ordered achete compre",
}
"""Forms that tell of an action and share no stem with the words that ask for it."""

STANDS_IN = {"move": "change", "change": "move", "view": "manage"}
"""What a catalogue without an action does in its place."""

SUPPOSING = word_set("""
    if whether when why what which much many long cost costs fee fees should unless once did available availability free
    si combien pourquoi quand quel quelle quels quelles lorsque cout coute frais hier dernier derniere disponible disponibles dispo libre libres
    cuanto cuanta cuestan cuesta cuando cual coste gastos hay ayer pasado pasada
    """)
"""Words by which a clause asks or supposes, and asks for nothing to be done."""

SPARING = word_set("""
    not no never without than instead rather avoid ne n pas sans plutot lieu eviter no nunca sin vez lugar before after avant apres antes
    despues having already
    """)
"""Words behind which an action isn't wanted, or was done."""

UNTIED = word_set("""
    from on about for with to in at of into how i you we sur dans pour avec comment je sobre en con para como
    """)
"""Words between an action and a thing that say that it is another's object: remove an item from my order."""

AIDING = word_set("help helping assist assistance with")
"""Words behind which an English -ing asks for a thing: help with cancelling."""

PERFECT = word_set("ai as a avons avez ont est sont ete suis etait bien deja")
"""What makes a French form in -e a deed of the past where its accent is left out: j'ai annule."""

LIGHT = word_set("""
    tomorrow tonight today morning afternoon evening noon week weekend month year next coming upcoming asap soon soonest urgently
    urgent quickly early earlier late later same another other different new date dates day days time times hour hours oclock pm am
    something came come up happened emergency conflict think thinking hoping hope wanted wondering possible possibly able
    help helping assist assistance info information question know tell try trying wanna gonna gotta want
    hello hi hiya hey thanks thank good dear sorry ok okay yes please pls plz right now quick back online
    son daughter wife husband child children kid kids mother father mum mom dad family partner friend baby brother sister
    demain soir matin midi apres semaine mois annee prochain prochaine prochains vite urgence rapidement tot tard autre autres
    nouveau nouvelle date jour jours heure heures horaire empechement imprevu possible bonjour bonsoir salut svp merci veuillez desole desolee
    aide aider assistance renseignement renseigner information question savoir sais essaie essayer souhaite souhaiterais souhaitons aimerais aimerai aimerions voudrions pourriez pourrait pourrais faudrait faut besoin
    fils fille femme mari enfant enfants mere pere famille ami amie bebe frere soeur
    manana hoy noche tarde semana mes ano proximo proxima pronto urgente urgentemente cuanto otro otra otros nuevo nueva fecha
    dia dias hora horas ayuda ayudar ayudarme ayudenme informacion pregunta saber intento intentar surgido surgio imprevisto posible hola buenas buenos favor gracias siento disculpe perdon perdone quiero quisiera queria necesito
    gustaria podria podrian puede pueden puedo deseo desearia quieren
    hijo hija mujer marido esposa esposo madre padre familia nino nina amigo amiga hermano hermana
    """)
"""Words that change nothing of what is asked for: times, wishes, reasons to change one's mind, for whom."""

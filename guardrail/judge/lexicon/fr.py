"""French. How phrases are written: lexicon.words.Lexicon. It must never hold a word of one product alone."""

from guardrail.judge.lexicon.words import Lexicon, Replies, numerals, phrases

FRENCH = Lexicon(
    language="fr",
    stop_words="""
    le la les l un une des de du d a au aux en et ou mais si est sont etait etaient etre ete suis es sommes etes
    ai as avons avez ont avait je j tu il elle on nous vous ils elles me m te t se s mon ma mes ton ta tes son sa
    ses notre nos votre vos leur leurs ce c cet cette ces ca cela ceci qui que qu quoi dont ou quand comment
    pourquoi quel quelle quels quelles ne n pas plus par pour sur sous avec sans dans chez vers y donc alors aussi
    tres bien deja encore peut peux pouvez pouvons faut dois doit fait faire s'il plait voudrais veux veut merci
    """,
    negations="""
    pas rien jamais aucun aucune sans impossible ni personne nullement
    """,
    numbers=numerals("""
    zero 0, un 1, une 1, deux 2, trois 3, quatre 4, cinq 5, six 6, sept 7, huit 8, neuf 9, dix 10, onze 11,
    douze 12, treize 13, quatorze 14, quinze 15, seize 16, vingt 20, vingts 20, trente 30, quarante 40, cinquante 50,
    soixante 60
    """),
    months="""
    janvier|janv fevrier|fevr mars avril|avr mai juin juillet|juil aout septembre|sept octobre|oct novembre|nov
    decembre|dec
    """,
    speaker="""
    je j moi nous notre nos mes mon ma ceci cela ca ici on c ce m suis assistant service canal chatbot
    """,
    ability=phrases("""
    peux; peut; pouvons; puis; pouvoir; mesure; possibilites; possible; pris|prise|prises en charge; charge;
    partie; permis; gere; gerons; propose; proposons; fais; faisons; traite; dispose; ressort; releve; capable;
    acces; habilite; role; attributions; possibilite; information; informations; idee; accessible; accessibles;
    competences; competence; autorise; autorisee; occupe; concerne; domaine; repondre; aider; donner; fournir;
    acceder; renseigner; conseiller; connais; sais; gerer; prends; prenons; relevent; assure; entre; perimetre;
    ressources; reponse; delivre; pratique
    """),
    limits=phrases("""
    seul|seule|seuls ** pourra|peut|pourront|peuvent; je ne gere ?que; moi je gere; moi je m; je m occupe; mon role; au dela de;
    hors de ?mon|ma|mes|notre; orienter|mettre|diriger|transferer|passer|adresser ** vers|relation|a|avec;
    vous orienter|adresser|rapprocher;
    contactez|contacter|appelez|demandez|adressez|voyez ** clinique|equipe|accueil|agence|banque|hotel|conseiller|service|personne|medecin;
    voir avec; me limite; uniquement; n est pas pris; ne fait pas partie; limite|limitee|limites ?a ?aux ?au;
    aucune idee;
    doit|devra|pourra|peut ** repondre|renseigner|confirmer ** medecin|pharmacien|conseiller|personne|equipe|agence;
    rapprochez vous; mis|mise en relation; s adresser a; c est ** medecin|conseiller|accueil|equipe qui;
    ne m occupe que; je suis la pour; seulement pour
    """),
    offers=phrases("""
    je|nous peux|pouvons|puis; puis je; peut on; pouvons nous; souhaitez vous; voulez vous; comment puis; desirez vous
    """),
    courtesy=phrases("""
    ^bien sur; ^d accord; ^entendu; ^avec plaisir; ^pas de souci; ^pas de probleme; ^merci; ^tres bien; ^parfait;
    ^je regarde; ^je verifie; ^c est note; ^bonjour; ^bonsoir; ^de rien; ^je vous en prie; ^ok; ^certainement;
    ^volontiers; ^compris; ^desole|desolee; ^je comprends; ^bonne journee|soiree; ^au revoir; ^un instant;
    ^voyons; j ai ?bien note; ^excusez; ^super; ^absolument; ^a votre service; ^avec grand plaisir
    """),
    affirmations=phrases("""
    ^oui; ^bien sur ** vous|votre|vos|nous|je|j|le|la|les; ^tout a fait; ^absolument;
    ^certainement ** votre|vos|nous|je
    """),
    done=phrases("""
    ^c est fait; ^voila; ^termine; j|nous ai|avons ?bien ?deja ?egalement ?aussi @done;
    votre|vos|la|le|les|ce|cette|tout|toutes|un|une ** est|sont ?bien ?maintenant ?desormais ?deja ?a ?present @done;
    a|ont ?bien ?deja ?vous ?egalement ete *; vous a|ont ete *;
    est|sont ?desormais ?bien ?deja enregistre~|pret|prete|prets|pretes;
    elle|il|c est ?bien ?deja ?maintenant @done; est en route; sont en route;
    je|nous vous|la|le|les transfere|mets|connecte|rembourse|bloque|annule|reserve;
    vient|viennent|viens|venons d etre|de ** *; vient|viens|venons de|d *;
    votre|vos ** est|sont maintenant|desormais;
    vous avez ?bien ?deja ?maintenant ete *; vous etes ?bien ?deja ?maintenant ?desormais @done;
    ^ ?bien ?deja @done $; ^ ?bien ?deja @done au|a|le|pour|du|de|et|en|vers ** $
    """),
    done_words="""
    reserve reservee reserves reservees annule annulee annules annulees confirme confirmee confirmes confirmees
    bloque bloquee bloques bloquees debloque debloquee deplace deplacee deplaces deplacees modifie modifiee
    modifies modifiees change changee envoye envoyee envoyes envoyees transmis transmise transmises rembourse
    remboursee rembourses supprime supprimee supprimes supprimees active activee actives activees ajoute ajoutee
    enregistre enregistree enregistres ouvert ouverte cree creee valide validee prolonge prepare preparee
    programme programmee mis mise mises effectue effectuee traite traitee resilie resiliee signale signalee
    declare declaree informe prevenu prevenue commande commandee reporte reportee retrouve retrouvee retrouves
    retrouvees ferme fermee renouvele renouvelee decale decalee avance inscrit inscrite fixe fixee planifie
    planifiee commandes parti partie expedie expediee credite creditee debite debitee verse versee desinscrit desinscrite
    prescrit prescrite livre livree repare reparee corrige corrigee
    """,
    conditions="""
    si quand lorsque lorsqu apres avant peut peuvent doit doivent pourra devra fois des sinon pouvoir
    """,
    promises=phrases("""
    je|nous|on vous envoie|envoyons|rappelle|rappelons|previens|prevenons|contacte|contactons|transmets|transmettons|enverrai|enverrons|rappellerai|rappellerons|previendrai|previendrons|contacterai|recontacte|recontactons|recontacterons|tiens|tiendrons|tiendrai|rembourse|remboursons|rembourserons|offre|offrons|offrirons|reserve|reservons;
    vous recevrez; vous allez recevoir; vous serez ?bien ?vite *; vous aurez;
    vous rappellera|contactera|enverra|appellera|recontactera|previendra|attendra|remboursera|repondra ?dans ?sous ?d;
    infirmiere|infirmier|medecin|specialiste|conseiller|conseillere|technicien|responsable|collegue|quelqu|equipe ** passera|viendra|appellera|rappellera|contactera|interviendra|livrera;
    votre|vos ** sera|seront ?bien ?vite *; je|nous m|nous en occupe|occupons; nous ferons; je ferai;
    je vais|nous allons ?vous ?le ?la ?les envoyer|rappeler|contacter|annuler|reserver|bloquer|rembourser|transmettre|prevenir;
    demain|bientot|aujourd ** ~era|~ront|~erez|~irez; je vous garantis|promets|assure;
    vous attend|attendra|attendons
    """),
    records=phrases("""
    vous avez ?actuellement ?deja un|une|deux|trois|quatre|cinq|plusieurs|aucun|aucune ** rendez|reservation~|carte~|operation~|debit~|visite~|ligne~|commande~;
    votre ?tout prochain|prochaine|dernier|derniere ** est|etait|sera;
    vos prochains|prochaines|derniers|dernieres ** sont|etaient; d apres nos|notre|mes; selon nos|notre|mes;
    je vois que vous; j ai|nous|avons ?bien retrouve|trouve
    """),
    states=phrases("""
    votre|vos ** est|sont|etait|etaient|a|ont
    """),
    invitations=phrases("""
    dites|dis moi ce|quand|si|quel|quelle|lequel|laquelle; n hesitez pas; prenez le temps; je reste ?a ?la;
    a votre disposition|service; autre chose; bonne ?fin ?de journee|soiree|continuation; a bientot; je suis la
    """),
    requests=phrases("""
    donnez|dites|indiquez|envoyez|communiquez|fournissez|precisez|transmettez|confirmez|saisissez|rappelez ?moi ?nous votre|vos;
    quel|quelle|quels|quelles est|sont votre|vos; il me|nous faut|faudrait votre|vos;
    j ai|nous avons besoin de votre|vos; votre|vos ** suffit|suffira|aiderait|aidera|suffirait;
    me|nous donner|indiquer|communiquer|preciser|confirmer votre|vos; puis je avoir votre|vos;
    votre|vos ** s il vous plait; avoir votre|vos;
    quel|quelle|quels|quelles est|sont le|la|les ** de|du votre|vos; pouvez|pourriez vous ** votre|vos;
    envoyer|donner|communiquer|indiquer|preciser votre|vos; merci de|d ** votre|vos
    """),
    thing_end="""
    et ou pour de du d a au en avec s afin que qui si est sont puis je nous vous il svp dans sur avant ensuite
    alors
    """,
    generic_things="""
    numero numeros identifiant id code reference ref nom informations information coordonnees valeur donnee
    donnees complet complete exact exacte valide correct correcte nouveau nouvelle actuel actuelle demande reponse
    choix
    """,
    retries=phrases("""
    nouveau; valide; invalide; doit|doivent|devrait ** contenir|etre|comporter|commencer|avoir|s|comprendre;
    ne correspond; n est pas; n a pas; incorrect|incorrecte; format; verifier|verifiez;
    redonner|redonnez|ressaisir|retapez|repeter|repetez; donnez|indiquez|saisissez|precisez; pouvez|pourriez vous;
    il me faut; par exemple; manque; trop court|long|courte|longue; il faut; attendu; quel|quelle est; merci de|d;
    uniquement|seulement; redonnez|renvoyez; acceptee|accepte; majuscules
    """),
    retractions=phrases("""
    ignorez|ignorer|oubliez|oublier ** reponse|json|objet|precedent|precedente|dessus|dessous|suivant|ce|cela|tout|ca;
    ne|n tenez|tenir pas compte; me|m suis trompe|trompee;
    est|etait ** faux|fausse|incorrect|incorrecte|erronee|errone|obsolete|invalide;
    n|ne envoyez|utilisez|publiez|transmettez pas|surtout; n|ne l envoyez|utilisez pas; brouillon;
    erreur de ma part; rectification|rectificatif|correction; a la place; je retire; pas la bonne reponse;
    c est ** erreur; pas correct|correcte|juste|valide|definitif|definitive; j ai fait une erreur;
    remplace ** dessus|precedent|precedente
    """),
    inner=phrases("""
    l utilisateur|l utilisatrice ?me ?nous demande|veut|souhaite|cherche|dit|a;
    je dois|devrais ?donc refuser|decliner|repondre|rejeter|renvoyer; selon mes|les instructions|consignes; en tant qu ia; le schema
    """),
    fillers="""
    oui non bien sur alors donc voici selon merci bonjour desole malheureusement cependant toutefois effectivement
    """,
    replies=Replies(
        reprompt="Il me faut « {parameter} » dans ce format : {format}. Pouvez-vous me redonner cette valeur ?",
        out_of_scope="Désolé, je ne peux pas vous aider pour cela ici. Je peux vous aider pour : {intents}.",
        fallback="Désolé, je n'ai pas pu répondre correctement. Pouvez-vous reformuler votre demande ?",
        stale="Désolé, notre réponse arrive trop tard. Si vous en avez encore besoin, merci de refaire votre demande.",
        format_is="Le format attendu est : {format}.",
        reprompt_plain="Il me faut « {parameter} ». Pouvez-vous me redonner cette valeur ?",
    ),
)

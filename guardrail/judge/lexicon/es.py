"""Spanish. How phrases are written: lexicon.words.Lexicon. It must never hold a word of one product alone."""

from guardrail.judge.lexicon.words import Lexicon, Replies, numerals, phrases

SPANISH = Lexicon(
    language="es",
    stop_words="""
    el la los las un una unos unas de del a al en y e o u pero si es son era eran ser sido soy eres somos estoy
    esta estan he ha han hemos haber yo tu usted ustedes ella ellos nosotros me te se le les lo nos mi mis su sus
    tus nuestro nuestra este esta estos estas eso esto ese esa que cual cuales quien cuando donde como porque por
    para sobre con sin hasta desde hacia entre ya no ni muy mas menos tambien aqui ahi hay puede puedo pueden
    podemos quiero quiere necesito favor porfavor gracias hola
    """,
    negations="""
    no nada nunca ningun ninguna ninguno sin tampoco imposible ni jamas nadie
    """,
    numbers=numerals("""
    cero 0, un 1, uno 1, una 1, dos 2, tres 3, cuatro 4, cinco 5, seis 6, siete 7, ocho 8, nueve 9, diez 10,
    once 11, doce 12, trece 13, catorce 14, quince 15, dieciseis 16, diecisiete 17, dieciocho 18, diecinueve 19,
    veinte 20, veintiuno 21, veintiun 21, veintiuna 21, veintidos 22, veintitres 23, veinticuatro 24, veinticinco 25,
    veintiseis 26, veintisiete 27, veintiocho 28, veintinueve 29, treinta 30, cuarenta 40, cincuenta 50, sesenta 60, setenta 70, ochenta 80, noventa 90
    """),
    months="""
    enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago septiembre|sept|sep
    octubre|oct noviembre|nov diciembre|dic
    """,
    speaker="""
    yo me mi mis nosotros nuestro nuestra esto eso aqui puedo podemos gestiono tengo llevo siento poder hago eso
    estoy mio mia dispongo ofrecemos hacemos tramito ocupo canal asistente servicio pueda
    """,
    ability=phrases("""
    puedo; podemos; poder; posible; admitida|admitido; gestiono; gestionamos; corresponde; capaz; disponible;
    ofrezco; ofrecemos; hago; hacemos; forma parte; tengo acceso; permite; alcance; encargo; autorizado;
    autorizada; ocupo; ocupamos; tramito; tramitamos; llevo; llevamos; canal; competencia; competencias;
    informacion; acceso; idea; responder; ayudar; ayudarle; dar; darle; facilitar; facilitarlo; gestionar;
    atender; conozco; se; sabria; recomendar; admitido; contestar; resolver; toca; pueda; pueda hacer; es algo
    """),
    limits=phrases("""
    solo gestiono|puedo|me|llevo|atiendo; solamente; unicamente; yo ?solo llevo|gestiono|atiendo|me;
    fuera de mi|mis|nuestro|lo; mi funcion|papel; siento no poder;
    tendria|tiene|tendra|tendrias|tienes que ver~|consultar~|preguntar~|hablar~|contactar~;
    pasarle|ponerle|derivarle|transferirle|comunicarle|pasarte|ponerte ** con|a;
    consulte|pregunte|contacte|llame|hable|dirijase ** clinica|personal|equipo|recepcion|banco|hotel|persona|oficina|medico|agente;
    puedo|podemos pasar~; me limito; lo tiene que; eso tendria;
    solo me ocupo|encargo|dedico; me ocupo solo|unicamente; de eso se ocupa|encarga; limitado|limitada a;
    ninguna idea; ni idea; solo estoy; mejor ** consulte|pregunte|hable|llame;
    debe|deben|tendria|tendra|podra|puede|tiene ?que ** responder~|contestar~|resolver~|decir~|confirmar~ ** medico|persona|equipo|agente|oficina|asesor|clinica|hotel|banco|abogado|tecnico
    """),
    offers=phrases("""
    puedo ?tambien ?ayudar~; podemos ?tambien ?ayudar~; le|te ayudo; puedo; podemos;
    quiere|quieres|desea|deseas que; en que puedo
    """),
    courtesy=phrases("""
    ^claro; ^de acuerdo; ^entendido; ^gracias; ^perfecto; ^muy bien; ^con gusto; ^lo miro; ^de nada; ^hola;
    ^buenos dias; ^buenas tardes|noches; ^vale; ^por supuesto; ^lo siento; ^disculpe; ^un momento; ^comprendo;
    ^entiendo; ^genial; ^encantado|encantada; ^adios; ^que tenga; he anotado; ^anotado; ^estupendo; ^ok;
    ^sin problema; ^no hay de que; ^un placer; ^a usted; ^encantado
    """),
    affirmations=phrases("""
    ^sii; ^claro ** su|sus|le|lo|la|podemos|tenemos|nosotros; ^por supuesto ** su|sus|le|lo|la|podemos;
    ^tiene razon; ^efectivamente
    """),
    done=phrases("""
    ^listo; ^hecho; ^ya esta ?hecho; he|hemos ?ya ?tambien @done; le|les|te|se ha|han|hemos|he @done;
    ha|han sido *; su|sus|la|el|las|los|todo ** ?ya esta|estan|queda|quedan ?ya ?ahora @done;
    ya esta|estan|queda|quedan @done; esta|estan en camino; queda|quedan @done;
    le devuelvo|reembolso|transfiero|paso|cancelo|bloqueo ahora|ya|inmediatamente;
    acabo|acaba|acabamos|acaban de *; su|sus|la|el ** ?ya esta|estan|es|son ahora; esta|estan ahora @done;
    ha|han|he quedado ?ya @done;
    ^ ?ya ?todo @done $; ^ ?ya ?todo @done a|al|el|para|de|del|y|en|por|hasta ** $;
    esta|estas ?ya dado|dada de baja|alta
    """),
    done_words="""
    reservada reservado reservadas reservados cancelada cancelado canceladas cancelados confirmada confirmado
    confirmadas confirmados bloqueada bloqueado bloqueadas desbloqueada desbloqueado cambiada cambiado modificada
    modificado enviado enviada enviados enviadas devuelto devuelta reembolsado reembolsada eliminado eliminada
    eliminados eliminadas borrado borrada borrados activada activado anadido anadida registrado registrada abierto
    abierta creado creada preparado preparada programada programado tramitado tramitada procesado procesada
    avisado avisada informado informada pedido pedida aplazada aplazado movida movido anulada anulado firmado
    firmada renovado renovada cerrado cerrada actualizado actualizada hecho lista listo listas encontrado
    localizado resuelto resuelta puesto apuntado apuntada agendado agendada inscrito inscrita reagendada fijada
    fijado concertada concertado salido cargado abonado abonada ingresado recetado recetada entregado entregada
    reparado reparada desplazada desplazado corregida corregido pagado pagada suscrito suscrita
    """,
    conditions="""
    si cuando vez despues antes puede pueden debe deben podra
    """,
    promises=phrases("""
    le|les|te llamara|llamaran|contactara|contactaran|enviara|enviaran|avisara|avisaran|escribira|visitara|devolvera|devolveran|llegara|atendera|reembolsara;
    le|les|te llamare|llamaremos|contactare|contactaremos|enviare|enviaremos|avisare|avisaremos|devolvere|devolveremos|escribire|escribiremos|reembolsaremos|reservare|reservaremos|cancelare|cancelaremos;
    le|les|te envio|enviamos|aviso|avisamos|llamo|llamamos|devuelvo|devolvemos|reembolso|regalo|regalamos|mando|mandamos;
    recibira|recibiran|recibiras; voy|vamos a enviar~|llamar~|avisar~|cancelar~|reservar~|devolver~|bloquear~;
    su|sus ** sera|seran ?ya *; me encargo; nos encargamos; me ocupo;
    enfermera|enfermero|medico|especialista|agente|asesor|tecnico|responsable|companero|alguien ** ira|vendra|llamara|pasara|contactara;
    manana|hoy|pronto|enseguida|ahora ** ~ara|~era|~ira|~aran|~eran|~iran;
    le|les garantizo|garantizamos|prometo|prometemos|aseguro|aseguramos; le|les|te espera|esperamos|esperara
    """),
    records=phrases("""
    tiene|tienes ?actualmente ?ya una|un|dos|tres|cuatro|cinco|varias|varios|ninguna|ningun ** cita~|reserva~|tarjeta~|cargo~|visita~|linea~|pedido~;
    su|tu proxima|proximo|ultima|ultimo ** es|fue|era|sera; segun nuestros|mis|nuestro; veo que tiene|tienes;
    he|hemos encontrado su|sus|dos|tres|una
    """),
    states=phrases("""
    su|sus|tu|tus ** es|son|esta|estan|era|fue|ha|han
    """),
    invitations=phrases("""
    digame|dime que|cual|cuando|si|cuales; no dude en; tomese su tiempo; quedo a; a su|tu disposicion; estoy aqui;
    cualquier ?otra cosa|duda; que tenga|pase; hasta pronto|luego; algo mas; no hay de que;
    buen|buena|buenas|buenos dia|tarde|noche|dias|tardes|noches
    """),
    requests=phrases("""
    deme|dame|digame|dime|indique|indiqueme|envie|envieme|facilite|faciliteme|proporcione|confirme|confirmeme|escriba|necesito ?me ?nos su|sus|tu|tus;
    cual|cuales es|son su|sus|tu|tus;
    me da|dice|indica|facilita|confirma|puede ?dar ?decir ?indicar su|sus|tu|tus;
    necesito|necesitamos ?saber ?tener su|sus; su|sus ** por favor; su|sus ** ayudaria|basta|bastaria|ayudara;
    darme|decirme|indicarme|facilitarme su|sus|tu|tus; cual|cuales es|son el|la|los|las ** de su|sus|tu|tus;
    puede|podria|puedes ** su|sus|tu|tus;
    enviarme|mandarme|mandeme|mandenos|envieme|envienos|digame|deme ** su|sus|tu|tus|el|la
    """),
    thing_end="""
    y o para de del en con por que si es son a al antes luego favor ya
    """,
    generic_things="""
    numero numeros identificador id codigo referencia ref nombre datos dato informacion valor completo completa
    exacto exacta valido valida correcto correcta nuevo nueva actual solicitud respuesta opcion
    """,
    retries=phrases("""
    nuevo; valido|valida; invalido|invalida;
    debe|deben|tiene que|deberia ** contener|ser|tener|empezar|llevar|constar; no coincide; no es; no cumple;
    no tiene; incorrecto|incorrecta; formato; compruebe|revise|revisar|comprobar; repita|repetir|vuelva;
    indique|escriba|facilite|digame|deme; puede|podria ** dar~|decir~|indicar~|repetir~|revisar~; por ejemplo;
    falta|faltan; demasiado; necesito; cual es; cuales son; esperado; solo acepto|aceptamos; mayuscula|mayusculas;
    no puedo aceptar; intente|intentelo
    """),
    retractions=phrases("""
    ignore|ignora|ignoren|olvide|olvida|descarte|descarta|descarten ** anterior|respuesta|json|objeto|esto|eso|siguiente|todo;
    no tenga|tengas|tengan en cuenta; me he equivocado; me equivoque;
    es|era|esta ** incorrecto|incorrecta|erroneo|erronea|equivocado|equivocada|falso|falsa|mal|invalido|invalida|obsoleto;
    no lo|la|los|las envie|envies|use|uses|utilice|publique|mande|mandes; borrador; correccion|rectificacion;
    en su lugar; fue un error; error mio; me retracto;
    no es correcto|correcta|valido|valida|definitivo|definitiva; sustituye|reemplaza ** anterior
    """),
    inner=phrases("""
    el|la usuario|usuaria ?me ?nos pide|quiere|solicita|pregunta|dice|desea|ha;
    debo|deberia ?por ?tanto rechazar~|declinar~|responder~|negarme; segun mis|las instrucciones|reglas; como ia; el esquema
    """),
    fillers="""
    si no claro bueno entonces segun gracias hola lamentablemente sin embargo efectivamente
    """,
    replies=Replies(
        reprompt="Necesito «{parameter}» en este formato: {format}. ¿Puede darme el valor otra vez?",
        out_of_scope="Lo siento, no puedo ayudarle con eso aquí. Puedo ayudarle con: {intents}.",
        fallback="Lo siento, no he podido responder bien. ¿Puede decirlo de otra manera?",
        stale="Lo siento, nuestra respuesta llega tarde. Si todavía la necesita, vuelva a preguntar, por favor.",
        format_is="El formato esperado es: {format}.",
        reprompt_plain="Necesito «{parameter}». ¿Puede darme el valor otra vez?",
    ),
)

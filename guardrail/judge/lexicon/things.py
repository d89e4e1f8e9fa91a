"""Nouns of a service desk that mean the same across languages: what one configured name makes known, all its kin make known."""

THINGS: tuple[str, ...] = (
    "date day jour fecha dia dates days jours fechas dias when",
    "phone telephone mobile telefono movil portable tel cell",
    "reference ref referencia references",
    "id identifier identifiant identificador identifiants ids",
    "patient paciente patients pacientes",
    "booking reservation reserva bookings reservations reservas stay sejour estancia",
    "card carte tarjeta cards cartes tarjetas",
    "amount montant importe sum somme cantidad total",
    "country pays pais destination destino",
    "night nights nuit nuits noche noches",
    "postal zip postcode postale cp",
    "line ligne linea",
    "plan forfait tarifa tariff offer",
    "transaction txn operation operacion movimiento charge cargo debit",
    "digits chiffres cifras digitos last4 digit chiffre cifra",
    "sim iccid",
    "arrival arrivee llegada checkin check",
    "appointment rendez vous cita appointments visit visite visita citas",
    "order commande pedido",
    "account compte cuenta",
    "email mail courriel correo",
    "name nom nombre surname apellido",
    "address adresse direccion",
)

HARMLESS = frozenset(
    "question questions request message concern problem issue preference choice answer demande question probleme souci "
    "preference choix reponse pregunta consulta problema mensaje preferencia eleccion respuesta solicitud need needs besoin "
    "besoins confirmation confirmacion agreement accord patience help aide ayuda opinion avis".split()
)
"""What may always be asked for."""

LOOSE = frozenset("number numbers numero numeros code codes codigo codigos reference ref referencia details detail".split())
"""Words that any configured parameter can stand behind."""

"""English. How phrases are written: lexicon.words.Lexicon. It must never hold a word of one product alone."""

from guardrail.judge.lexicon.words import Lexicon, Replies, numerals, phrases

ENGLISH = Lexicon(
    language="en",
    stop_words="""
    a an the of to in on at by for from with and or but if is are was were be been am do does did have has had i
    you he she it we they me my your his her its our their this that these those there here what which who when
    where how why as than then so not no can could will would shall should may might must please about into up out
    over just any some all more also too very own per it's let us want need like get got go going would'd s t d ll
    re ve m whenever
    """,
    negations="""
    not no nothing never none neither nor without unable cannot nobody impossible
    """,
    numbers=numerals("""
    zero 0, oh 0, one 1, two 2, three 3, four 4, five 5, six 6, seven 7, eight 8, nine 9, ten 10, eleven 11,
    twelve 12, thirteen 13, fourteen 14, fifteen 15, sixteen 16, seventeen 17, eighteen 18, nineteen 19,
    twenty 20, thirty 30, forty 40, fifty 50, sixty 60, seventy 70, eighty 80, ninety 90
    """),
    months="""
    january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct
    november|nov december|dec
    """,
    speaker="""
    i we me my our us this that here it assistant service channel
    """,
    ability=phrases("""
    can; could; able; do; does; have; handle; help; support~; offer~; cover~; provide~; allow~; possible;
    something; part of; in what; within; available; equipped; authori~; in a position; access; information; idea;
    know; knowledge; answer; give; share; deal; look; see; trained; qualified; advise; responsible; cover;
    my area; my remit; my scope; at liberty
    """),
    limits=phrases("""
    unable; not supported; outside ** what; outside ?of my|our; outside ** scope; out of ?my scope;
    beyond my|our|what|the; my role; only handle|help|deal|manage|assist|look|support|do|take; only able;
    limited to; just handle|manage; nothing in what; have|has to ask|answer|contact|call|see;
    ask|contact|call|reach|see the|our|your ** team|staff|clinic|desk|reception|hotel|bank|support|office|doctor|agency|branch;
    put|connect|route|transfer|pass|refer|hand|point|direct you ** to|with|through; route you; connect you;
    speak|talk ?directly to|with a|an|the|our|someone; get in touch with; beyond me|us; above my;
    a|an|the|our|your ** would|should|must|needs ?to have ?to answer|advise|confirm|decide;
    isn t my ** area|job|role; not my ** area|job|role|department; not among|on|part ** list|services|things;
    only here|there for|to; stick to|with; all i do|handle|can;
    is for ** team|staff|clinic|hotel|bank|person|doctor; leave that to; better placed; best ask|contact|call
    """),
    offers=phrases("""
    i|we can ?also ?only ?still ?certainly ?gladly ?happily ?help|assist|look|take|change|cancel|book|move|check|report|open|block|set|arrange|do|handle|manage|reschedule|activate|give|tell|show|explain|put|route|connect|pass;
    can i|we; may i|we; shall i|we; would you like; happy|glad to help|assist; how can|may i|we; let me; i|we can;
    want me to
    """),
    courtesy=phrases("""
    ^ok ?then; ^okay; ^sure; ^of course; ^certainly; ^absolutely; ^no problem; ^understood; ^got it; ^noted;
    ^thanks; ^thank you; ^lovely; ^great; ^perfect; ^you are welcome; ^welcome; ^hello; ^hi;
    ^good morning|afternoon|evening; ^alright; ^right; ^very well; ^happy to help; ^glad to help;
    ^have a nice|good|lovely|great; ^goodbye; ^bye; ^my pleasure; ^sorry ?about ?for; ^i am sorry; ^apologies;
    ^let me look|check|see; ^one moment; ^just a moment; ^i see; ^i understand; ^thanks i|we ?have noted;
    i ?have noted; ^welcome back; ^good to hear; ^nice; ^ah; ^oh; ^no worries; ^not a problem;
    ^you are very welcome; ^enjoy; ^take care; ^glad; ^pleasure
    """),
    affirmations=phrases("""
    ^yes; ^yep; ^yeah; ^sure i|we|you|your|it|the; ^of course i|we|you|your|it|the;
    ^certainly i|we|you|your|it|the; ^absolutely
    """),
    done=phrases("""
    ^done; ^all done; ^all set; you are all set; i|we have ?just ?already ?now ?also ?successfully @done;
    i|we ?just ?already ?now ?also ?successfully @done;
    your|the|this|all|every|that ** has|have ?now ?just ?already ?also been *;
    your ** is|are ?now ?all ?already ?also ?fully @done; you are ?now ?already @done;
    it|that|this is ?now ?already @done; consider it done; is|are on its|their|the way;
    i am|we are ?now sending|transferring|connecting|calling|booking|cancelling|refunding;
    ^connecting|transferring|sending|blocking|booking|cancelling|refunding|activating;
    the ** is|are ?now|already @done now|already; the|your ** is|are now; in the post|mail; on its|the way;
    ?it is|has all ?been sorted|done|settled|arranged; i|we went ahead; that is ?all ?now sorted|done|settled;
    consider|count ** @done; you are ?now ?all ?already on the list|down|in;
    you have ?now ?just ?already ?also ?successfully been @done; ^ ?all ?now ?already ?just ?successfully @done $;
    ^ ?all ?now ?already ?just ?successfully @done for|to|on|at|until|from|as|and|in ** $; ^ @done it|that|them|you|your;
    went|gone out|off to your|the|you; is|are in your inbox|mailbox|account
    """),
    done_words="""
    booked rebooked cancelled canceled confirmed blocked unblocked reserved refunded scheduled rescheduled moved
    activated deactivated reactivated updated deleted changed registered sent emailed texted mailed set added
    removed processed submitted opened reopened closed charged credited transferred issued forwarded reported
    filed logged shipped ordered placed prepared notified informed called contacted saved recorded upgraded
    downgraded switched renewed arranged enabled disabled lifted waived approved replaced dispatched completed
    unlocked locked shifted postponed paid requested escalated signed put enrolled subscribed unsubscribed gone
    wired deposited prescribed delivered repaired fixed corrected
    """,
    conditions="""
    once if when whenever unless until after before can may must should would could
    """,
    promises=phrases("""
    i|we will ?also ?then ?now ?just call|contact|send|text|email|mail|notify|let|inform|refund|credit|arrange|make|get|book|cancel|move|block|put|set|add|remove|update|change|transfer|keep|waive|fix|sort|activate|give|pay|process|forward|escalate|deliver|reserve|ring|remind|note;
    you will ?also ?soon ?then get|receive|hear|have|be;
    will ?also ?then ?soon call|contact|ring|email|text|visit|phone|reach|get ** you|back|touch;
    your ** will ?now ?soon ?also be *;
    someone|somebody|specialist|manager|colleague|doctor|nurse|agent|advisor|technician|engineer|team will ** you|back|shortly|soon|today|tomorrow|within;
    i|we promise|guarantee; as soon as ** i|we will; tomorrow|tonight|shortly|soon ** will;
    you will ?now stop|start|no;
    will ?now ?soon ?also be waiting|ready|delivered|sent|raised|lowered|refunded|arranged|there|done|processed|booked|cancelled|blocked|unblocked|activated|changed|updated
    """),
    records=phrases("""
    you have ?only ?now ?currently one|two|three|four|five|six|seven|eight|nine|ten|no|an|several ** appointment~|booking~|reservation~|visit~|card~|transaction~|charge~|ticket~|order~|stay~|line~|outage~;
    your next|last|latest|previous|upcoming|current ** is|was|are|were; i|we can ?already see ?that ?the ?a ?your;
    i|we ?have found ?that you|your|two|three|one|no; according to our|my records|system|files;
    i see ?that you have; our|my records|system shows|show|say|says
    """),
    states=phrases("""
    your ** is|are|was|were; you are ?now ?already ?all *
    """),
    invitations=phrases("""
    let me know; tell me which|what|when|if|whether; feel free; take your time; do not hesitate; anything else;
    at your disposal|service; i am here; here ?to if; just say|ask; enjoy your; take care;
    glad|happy i could; have a ?very good|nice|great|lovely; see you
    """),
    requests=phrases("""
    give|tell|send|share|provide|confirm|enter|type|supply|state|indicate ?me ?us ?with your; what is|are your;
    need ?to ?have ?know your; may|can|could i|we ?please have|get|know|ask your; let me|us have|know your;
    share ?with ?me your; your ** please; your ** would|will help|do; what is|are the ** on|of your;
    send|email|text|show|bring|read ?me ?us ** your;
    could|can|would you ?please give|tell|send|share|provide|confirm ?me ?us your; whats your; with your
    """),
    thing_end="""
    so to and or for of in on at with please before that which who if is are would will can could then as again
    here now first i we you
    """,
    generic_things="""
    number numbers id identifier code reference ref name details detail information info value one it answer
    choice request own full complete exact valid correct new current preferred
    """,
    retries=phrases("""
    again; valid; invalid; should|must|has|needs ** contain|be|have|start|follow|consist;
    does not match|look|follow|seem|fit; is not ** valid|right|correct|format; not a valid; incorrect; wrong;
    i need ?exactly; format; check ?and; please give|provide|enter|send|type|tell|share;
    could|can you ** check|give|provide|confirm|send|repeat; missing; too short|long; what is; example;
    not recogni~; must be; expect~; is not a|an|the; please; which one; try; capitals; not accept; only accept
    """),
    retractions=phrases("""
    ignore|disregard|discard|forget ** above|previous|this|that|it|json|object|answer|response|draft|following|below;
    scratch|strike that; take that|it back; is|was|are ** wrong|incorrect|mistaken|outdated|obsolete|invalid;
    not ?quite correct|right|valid|final|accurate; do not use|send|publish|trust|forward; correction;
    i|we made a|an mistake|error; on second thought|thoughts;
    just|only|merely|rough ** draft|example|placeholder|template; a ?first|rough|wrong draft; ** instead use|send;
    use|send ** instead; should have been|said; never mind; my mistake|bad|error;
    supersedes|replaces ** above|previous|it
    """),
    inner=phrases("""
    the user|customer|guest|patient|client ?is ?has ?just asks|asking|wants|wanting|requests|requesting|asked|says|said|needs|seems;
    so|therefore|thus i must|should|need ?to decline|refuse|reject|ask|answer|respond|set|return;
    my|the configured|supported|listed intents;
    according to my|the instructions|prompt|rules; as an ai; i|we need to refuse|decline|output|return|set;
    the schema|json
    """),
    fillers="""
    yes yeah no sure okay ok well actually indeed according based note please kindly however therefore thanks
    thank sorry unfortunately hello hi worry
    """,
    replies=Replies(
        reprompt="I need the {parameter} in this format: {format}. Could you give it again?",
        out_of_scope="Sorry, I can't help with that here. I can help with: {intents}.",
        fallback="Sorry, I couldn't answer that properly. Could you say it again in other words?",
        stale="Sorry, our answer comes late. Please ask again if you still need it.",
        format_is="The expected format is: {format}.",
        reprompt_plain="I need the {parameter}. Could you give it again?",
    ),
)

"""The closed list of codes (CONTRACT §6): what each means, what is done by default, an example. It must never grow by itself.

`guardrail explain CODE` prints an entry; a policy that names a code outside this list doesn't load.
"""

from __future__ import annotations

import msgspec

from guardrail.judge.model import Action

STALE = "transport.stale"
"""The one code whose action isn't `on_fail`'s to set."""


class Code(msgspec.Struct, frozen=True):
    """One entry of the list.

    `default` is the action without a policy's say. `correctable` tells whether `correct` is possible at all;
    `fixed` codes mark what no action can change: an unreadable response can't be approved.
    """

    name: str
    meaning: str
    example: str
    default: Action
    correctable: bool = False
    fixed: bool = False
    set_by: str | None = None
    """The policy's key that alone says what is done, where `on_fail` can't."""

    @property
    def family(self) -> str:
        """The part before the dot."""
        return self.name.partition(".")[0]

    def allows(self, action: Action) -> bool:
        """Whether a policy's `on_fail` may set this action for this code."""
        if self.set_by is not None or Action.DEAD_LETTER in (action, self.default):
            return False
        if action is Action.CORRECT:
            return self.correctable
        return not self.fixed or action is Action.REJECT


FAMILY_DEFAULTS = {
    "syntax": Action.REPORT,
    "encoding": Action.REPORT,
    "types": Action.REPORT,
    "envelope": Action.REPORT,
    "limits": Action.REJECT,
    "schema": Action.REJECT,
    "catalog": Action.REJECT,
    "param": Action.REJECT,
    "consistency": Action.REJECT,
    "ground": Action.CORRECT,
    "transport": Action.REPORT,
}

# family -> "name [marks]: meaning | example". Marks: r report, c correct by default (and so correctable), k correctable,
# x fixed (no action but reject), d dead letter, s reject unless a key of its own (_SET_BY) says otherwise. Without a mark the family's default holds.
_LIST = {
    "syntax": """
code_fence: JSON stood inside a Markdown fence | ```json {...} ```
prose_prefix: text before the JSON | Here is the answer: {...}
prose_suffix: text after the JSON | {...} Let me know if you need more!
trailing_comma: a comma before a closer | {"a": 1,}
missing_comma: no comma between a finished value and the next key | {"a": "x" "b": 1}
missing_closer: the text ends after a finished value without its closers | {"a": {"b": 1}
smart_quotes: typographic quotes around a key or value | {“a”: 1}
single_quotes: single quotes around a key or value | {'a': 1}
python_literals: True, False or None for a JSON literal | {"a": True}
unquoted_key: a key without quotes | {a: 1}
unescaped_quote x: a quote inside a string isn't escaped, so its end would be a guess | {"a": "say "hi" now"}
invalid_escape: a backslash that JSON doesn't know | {"a": "^\\d$"}
control_char: a raw control character inside a string | a line feed typed inside the answer
comment: a // or # or /* */ comment | {"a": 1 // one
nonfinite_number x: NaN or Infinity | {"score": Infinity}
leading_zero_number x: a number that JSON doesn't know | {"n": 007}
bom: a byte order mark before the text | U+FEFF {...}
think_block: reasoning text before the JSON | <think>...</think>{...}
tool_call_text: a tool call written out as text | <tool_call>{...}</tool_call>
double_encoded: JSON inside a JSON string | "{\\"a\\": 1}"
repeated_object: the same object more than once | {...}{...}
multiple_objects: several different objects | {"a": 1} {"a": 2}
truncated x: the text stops, or starts, in the middle of a value | {"a": "hel
empty x: nothing at all | ""
no_json x: no JSON object in the text | Sorry, I can't help with that.
""",
    "encoding": """
invalid_utf8 d: the record's bytes aren't UTF-8 | a Latin-1 encoded record
not_text d: the record's bytes aren't text | an Avro or gzip payload
nul_char k: a NUL character; dropped at an answer's edge, otherwise refused | "... number?\\u0000"
lone_surrogate k: half of a surrogate pair; dropped at an answer's edge, otherwise refused | "thanks \\ud83d"
bidi_control k: a control that reorders the shown text | U+202E inside an answer
invisible_chars k: characters that show as nothing | U+200B inside an answer
""",
    "types": """
duplicate_key: a key given twice: reported when both values agree, else refused and neither value is used | {"a": 1, "a": 2}
big_int: a whole number beyond 64 bits | {"n": 123456789012345678901234567890}
""",
    "limits": """
too_deep x: nested deeper than limits.depth | 100,000 nested arrays
too_large x: larger than limits.record_bytes or limits.response_chars | an answer of 5 MB
answer_too_long: the answer is longer than limits.answer_chars | 9,000 characters
""",
    "envelope": """
openai_chat: an OpenAI chat completion | {"choices": [{"message": ...}]}
openai_responses: an OpenAI response object | {"object": "response", "output": [...]}
anthropic: an Anthropic message | {"type": "message", "content": [...]}
gemini: a Gemini response | {"candidates": [...]}
bedrock: a Bedrock Converse response | {"output": {"message": ...}}
ollama: an Ollama response | {"message": ..., "done": true}
multi_tool_use: a parallel-call wrapper around one call | multi_tool_use.parallel
refusal x: the provider or the model refused | {"refusal": "I can't help"}
no_content x: a completion without content | {"candidates": [{"finishReason": "OTHER"}]}
finish_length: the provider says that the output was cut; reported when what came is whole | finish_reason: length
stream_chunk x: one chunk of a stream | object: chat.completion.chunk
unknown_tool x: a call to a tool that isn't the agreed one | open_account(...)
multiple_calls x: several calls at once | two tool calls
provider_error x: the provider's error instead of an answer | {"error": {...}}
""",
    "schema": """
missing_reasoning: a reasoning field is missing | no out_of_scope_request
missing_field: an operational field is missing | no answer
wrong_type: a field has another type than the schema's | "answer": null
coerced r: an exact spelling of another type was read as the right one | "out_of_scope_request": "false"
string_null r: the word null where null belongs | "id": "null"
empty_answer: the answer says nothing | "answer": "None"
unknown_field r: a field that nobody asked for; dropped | "confidence": 0.9
renamed_key: a required key seems to have another name | "respuesta_generada"
wrapper_key r: the object stood inside one key of a wrapper | {"arguments": {...}}
array_wrapped r: the object stood alone in an array | [{...}]
not_object x: JSON, but no object | null
schema_echo x: the schema itself instead of an answer | {"type": "object", "properties": ...}
field_order r: an operational field came before its reasoning | answer before out_of_scope_request
""",
    "catalog": """
unknown_intent: an intent that the agent doesn't have | Unblock_Card
intent_case r: an intent in another case | CANCEL_RESERVATION
intent_normalised r: an intent that differs by blanks, signs or invisible characters | Book  Room
intent_translated: an intent that seems to be put into another language | Prendre un rendez-vous
intent_id_name_mismatch: id and name are of two intents | id of Book, name of Cancel
familiar_intents_unknown: intents_i_am_familiar_with lists an intent that the agent doesn't have | View Test Results
familiar_intents_missing: intents_i_am_familiar_with is empty | []
unknown_parameter: a parameter that the agent doesn't have | Passport_no
parameter_wrong_intent: a parameter of another intent | Travel_country for Block_Card
parameter_case r: a parameter id in another case | booking_ID
""",
    "param": """
simulate_true_mismatch: the model says that its regex matches, and it doesn't: the drift event | ab1234 against ^[A-Z]{3}\\d{3}$, claimed to match
simulate_false_match: the model says that its regex doesn't match, and it does: the user is sent in circles | XKT904, claimed not to match
simulation_missing: there is no usable word of the model on its regex | no simulate_regex_execution
value_not_in_message: the value isn't in the user's words | the example of the format given as the value
value_normalised: the value differs from the user's words by case, script, spacing, signs or date form | AB1234 for ab1234
value_cut_from_token: the value is a piece of a longer word or number | 0612345678 out of 06123456789
value_from_history r: the value comes from an earlier turn, as the policy allows | given two turns ago
normalised_allowed r: the value differs from the user's words only as the policy allows | 0612345678 for 06 12 34 56 78
trimmed r: outer blanks were cut, as the policy allows | " XKT904 "
duplicate_parameter: a parameter is named more than once | two values for Card_last4
nonascii_digits: digits outside ASCII | ٠٦١٢
unicode_confusable: letters that look like Latin ones | Cyrillic АВС
invisible_chars: invisible characters in the value or in the words it comes from | U+200B inside a reference
regex_unsafe: the pattern is outside the limits or hostile | 60,000 characters
regex_invalid: the pattern doesn't compile | ^([0-9]{4}$
regex_unsupported: the pattern needs what the safe engine doesn't have | (\\d)\\1
regex_timed_out: running the pattern took longer than its budget | a known attack
regex_value_too_long: the value is longer than limits.value_chars | 300 characters
regex_control_char: the pattern holds a control character, most likely a lost backslash | a backspace for \\b
regex_overescaped r: the pattern's backslashes are doubled, and the configured examples say so | ^\\\\d{4}$
regex_delimiters r: slashes, quotes or fences around the pattern were taken off | /^\\d{4}$/
regex_too_permissive: the pattern accepts an example that is configured as invalid | .*
format_text_regex_disagree: the pattern refuses a configured valid example, or the example in its own format text | ^\\+34\\d{9}$ beside (e.g., 0612345678)
format_text_altered: the format text isn't the configured one | 2 letters for 3 letters
regex_looser r: the model's pattern accepts what the operator's refuses | [A-Za-z] for [A-Z]
regex_stricter r: the model's pattern refuses what the operator's accepts | ^TX- only
regex_differs r: each pattern accepts something that the other refuses | two different formats
""",
    "consistency": """
null_intent_affirming: no intent was detected, yet the answer goes along | Yes, I can locate your test results
answer_contradicts_reasoning: the request was called out of scope, yet the answer goes along | flag true, "Yes, I found them"
answer_contradicts_evidence c: the answer states another format than the prompt's, or another value than the message's | 2 letters for 3 letters
oos_but_intent: called out of scope, yet an intent was detected | flag true, id set
false_refusal: a configured request was refused | "I'm unable to cancel appointments"
claims_done_action: the answer says that something was done which nobody ran | Your booking is cancelled
confirm_after_fail: the value failed, yet the answer takes it | Thanks, I noted P76041
asks_undefined_parameter: the answer asks for something that isn't configured | your insurance number
intent_not_in_familiar: the detected intent isn't in the model's own list | Book, not listed
intent_not_supported_by_message: the message names another intent | "cancel my appointment" as Book
evidence_not_in_prompt: the quoted evidence isn't in the prompt | a quote from the user
evidence_too_short: the quoted evidence says too little | "the"
evidence_irrelevant: the quoted evidence is about something else | a format quoted for another parameter
evidence_loose_match r: the quote differs by case, blanks or punctuation | a comma less
fields_mixed_up: one field holds what belongs into another | the answer as message_content
message_content_altered: message_content isn't what the user said | another message
message_content_loose: message_content differs by case or punctuation | "ITS AB1234!" for "its ab1234"
reasoning_leak c: reasoning stands in the answer | <think>...</think> in the answer
markup_leak c: markup or special tokens stand in the answer | </content>
language_mismatch r: the answer is in another language than the user's | English for a French user
""",
    "ground": """
unsupported_sentence: a sentence promises, reports a deed or cites a record that nothing supports | A specialist will call you back
contradicts_evidence: a sentence says the opposite of the evidence | breakfast is included
number_mismatch: a figure that the evidence doesn't have | 75 euros for 25 euros
no_evidence r: there was nothing to check a claim against | no passages
below_tau r: the score is below the threshold (reported until the agent is calibrated) | .31 < .55
not_evaluated r: grounding could not run | unsupported language
""",
    "transport": """
tombstone: a null value; skipped and counted | value null
duplicate: delivered before (noted by the stream alone) | the same offset twice
out_of_order: older than its predecessor (noted by the stream alone) | offset 41 after 42
missing_key: no record key; the conversation id becomes the key | key null
missing_metadata: a field of the envelope is missing: reported when it can be derived, else a dead letter | no message_id
bad_timestamp: the record has no sensible timestamp | 0
stale s: the record came in older than stale.after_s allows; stale.action alone says what is done | written 2 hours before
unknown_agent d: no policy for this agent | agent_id: nobody
schema_registry_prefix: the Schema Registry's five bytes before the JSON were passed over | 00 00 00 00 07 {...}
object_response: the response came as an object, not as text | "response": {...}
""",
}

_SET_BY = {STALE: "stale.action"}
_MARKS = {"r": Action.REPORT, "c": Action.CORRECT, "d": Action.DEAD_LETTER, "x": Action.REJECT, "s": Action.REJECT}


def _entries() -> dict[str, Code]:
    codes = {}
    for family, text in _LIST.items():
        for line in text.strip().splitlines():
            head, _, rest = line.partition(": ")
            name, *marks = head.split()
            meaning, _, example = rest.partition(" | ")
            default = next((_MARKS[m] for m in marks if m in _MARKS), FAMILY_DEFAULTS[family])
            codes[f"{family}.{name}"] = Code(
                name=f"{family}.{name}",
                meaning=meaning,
                example=example,
                default=default,
                correctable=default is Action.CORRECT or "k" in marks,
                fixed="x" in marks or "d" in marks,
                set_by=_SET_BY.get(f"{family}.{name}"),
            )
    return codes


CODES: dict[str, Code] = _entries()
FAMILIES: frozenset[str] = frozenset(FAMILY_DEFAULTS)

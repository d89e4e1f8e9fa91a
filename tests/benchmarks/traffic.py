"""Article-style traffic for benchmarks: parameter turns with two values, all right, each different."""

from __future__ import annotations

import random

import orjson

from guardrail.judge.model import RawRecord, Source
from guardrail.judge.policy import Policy

_ANSWERS = (
    "Thanks, I noted {txn} for {amount}. Is that correct?",
    "So that is {txn} over {amount}, right?",
    "I have {txn} with {amount}. Shall I open the dispute?",
)


def bank_turns(policy: Policy, count: int, seed: int = 7) -> list[RawRecord]:
    """`count` records of the agent bank-en, about 1.4 KB each."""
    dice = random.Random(seed)
    return [_turn(policy, dice, index) for index in range(count)]


def _turn(policy: Policy, dice: random.Random, index: int) -> RawRecord:
    txn, amount = f"TX-{dice.randrange(10**8):08}", f"{dice.randrange(1, 5000)}.{dice.randrange(100):02}"
    message = f"please dispute {txn}, it was {amount} and I never bought anything there"
    prompt = policy.layout.prompt
    quote = prompt[prompt.index("Txn_ref format") : prompt.index("Travel_country format")].strip()
    response = {
        "user_messages_analysis": {
            "message_content": message,
            "current_intent": "Dispute_Charge",
            "parameters": [
                _parameter(policy, "Txn_ref", "^TX-[0-9]{8}$", txn),
                _parameter(policy, "Amount", r"^\d{1,6}\.\d{2}$", amount),
            ],
        },
        "generated_answer": {
            "evidence_from_prompt": quote,
            "answer": dice.choice(_ANSWERS).format(txn=txn, amount=amount),
            "answer_refer_to_parameter_id": "Txn_ref",
        },
    }
    value = {
        "agent_id": policy.agent,
        "message_id": f"m-{index}",
        "conversation_id": f"c-{index % 97}",
        "model": "model-a",
        "user_message": message,
        "response": orjson.dumps(response, option=orjson.OPT_INDENT_2).decode(),
    }
    source = Source("llm.responses.raw", index % 4, index, 1_790_000_000_000 + index)
    return RawRecord(orjson.dumps(value), f"c-{index % 97}".encode(), (("traceparent", b"00-0-0-01"),), source)


def _parameter(policy: Policy, name: str, pattern: str, value: str) -> dict[str, object]:
    return {
        "parameter_id": name,
        "parameter_value_format": policy.parameters[name].format,
        "parameter_value_format_regex": pattern,
        "parameter_extracted_part": value,
        "simulate_regex_execution": True,
    }

"""The referee's figures (REGEX.md): what the tiers decide, how fast, and whether they are right."""

from __future__ import annotations

from guardrail.judge.pattern.vet import MAX_PATTERN_CHARS
from tests import corpora
from tests.corpora import measures
from tests.corpora.measures import Times

REPLAYS = 1_000
REPLAYED = 300


def shown(times: Times) -> str:
    """A distribution in a line."""
    return f"p50 {times.p50:.3f}, p99 {times.p99:.3f}, p99.9 {times.p999:.3f}, worst {times.worst:.3f} ms"


def patterns() -> None:
    """Prints every figure that issue and README quote; without the public sets, those that need none."""
    print("patterns: CPU times, single-threaded")
    bombs = measures.bombs()
    print(f"  bombs: {bombs.count} refused or bounded, worst {bombs.worst:.1f} ms (goal 10)")
    print(f"  ordinary match, cached: {measures.ordinary_us():.2f} us (goal 1.5)")
    if not corpora.there():
        print(f"  {corpora.MISSING}")
        return
    _coverage()
    written = [pattern for pattern in corpora.models_patterns() if len(pattern) <= MAX_PATTERN_CHARS]
    print(f"  uncached, {len(written)} patterns of models: {shown(measures.uncached(written))} (goal p99 2, p99.9 10)")
    print(f"  cached: {shown(measures.cached(written))} (goal p99.9 1)")
    _agreement()
    _attacks()
    _comparison()
    tasks = corpora.tasks()
    chosen = tasks[:: len(tasks) // REPLAYED]
    wrong, count = measures.replayed(chosen, REPLAYS), REPLAYS * len(chosen)
    print(f"  replays: {wrong} of {count} verdicts differ, {REPLAYS} rounds in 4 busy threads (goal 0)")
    grown = measures.growth_mb([(pattern, "AB-1234") for pattern in corpora.all_patterns()])
    print(f"  memory: {grown:.0f} MB more after all patterns of the sets once more (goal 64)")


def _coverage() -> None:
    for name, models in (("GPT-3.5 and davinci", ("gpt35", "davinci")), ("all models", ())):
        found = measures.coverage(*models)
        undecidable = found.tiers.get("unsupported", 0) + found.tiers.get("unsafe", 0)
        print(f"  {name}: {found.decided} of {found.valid} valid patterns decided, {found.share:.4f} (goal .97);")
        print(f"    {found.tiers}; unsafe and unsupported {undecidable / found.patterns:.4f} (goal .01)")


def _agreement() -> None:
    found = measures.agreement(corpora.tasks())
    same = found.compared - found.explained - len(found.unexplained)
    print(f"  agreement with re.fullmatch: {same} of {found.compared}, {same / found.compared:.6f} (goal .9999);")
    print(f"    {found.explained} by POSIX classes, {len(found.unexplained)} unexplained; re hung {found.hung}")


def _attacks() -> None:
    found = measures.attacked(corpora.attacks())
    longest_ms = found.longest_wall_s * 1_000
    print(f"  {found.times.count} attacks at 256 characters: {shown(found.times)}; {found.executions};")
    print(f"    last tier asked {found.asked}, timed out {found.timed_out} (goal .001), longest {longest_ms:.0f} ms")


def _comparison() -> None:
    found = measures.compared(corpora.pairs())
    share, of_read = found.decided / found.pairs, found.decided / found.readable
    print(f"  comparison: {found.decided} of {found.pairs} pairs decided, {share:.3f} (goal .75);")
    print(f"    {of_read:.3f} of those that are read; {shown(found.times)} (goal p99 25);")
    print(f"    {found.examples} counter-examples, each executed")

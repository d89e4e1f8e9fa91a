"""river's ADWIN on rare events: `python adwin.py RATE TIMES RUNS` prints the trials until each alarm. It must run in an
environment of river's own.
"""

import random
import sys

from river.drift import ADWIN

WARM_TRIALS = 300_000
LONGEST = 2_000_000


def found(rate: float, times: float, seed: int) -> int:
    """Trials from the shift to the first alarm after it; alarms before it are let go, as a person would."""
    dice, detector = random.Random(seed), ADWIN()
    for _ in range(WARM_TRIALS):
        detector.update(int(dice.random() < rate))
    for trial in range(1, LONGEST + 1):
        detector.update(int(dice.random() < rate * times))
        if detector.drift_detected:
            return trial
    return LONGEST


rate, times, runs = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
for seed in range(runs):
    print(found(rate, times, seed))

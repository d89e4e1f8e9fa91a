"""A gate as a process, until `guardrail run` is what the tests start: settings and policies by the environment."""

import sys

from guardrail.policies import load_policies
from guardrail.settings import load
from guardrail.stream.run import run
from guardrail.telemetry import logs

if __name__ == "__main__":
    logs.to_stderr()
    settings = load()
    sys.exit(run(settings, load_policies(str(settings.policy.path))))

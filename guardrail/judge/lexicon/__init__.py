"""Words that carry a judgement, by language. Their digest is part of the engine's name on every decision."""

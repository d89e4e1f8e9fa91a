"""The product's version, read by the build and stamped on every decision. It must never depend on anything."""

VERSION = "0.1.0"

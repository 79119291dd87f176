# SPDX-License-Identifier: MIT OR Apache-2.0
"""The errors of a release."""


class ReleaseError(Exception):
    """A step cannot be done; the message says what is expected."""


class NoToolchainError(ReleaseError):
    """This machine has no toolchain for machines of another kind; the message says how to get one."""

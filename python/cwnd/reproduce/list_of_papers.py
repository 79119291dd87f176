# SPDX-License-Identifier: MIT OR Apache-2.0
"""The documents whose claims are judged."""

#: The documents in their order: name of the folder, and what it is.
DOCUMENTS = {
    "ha2008": 'S. Ha, I. Rhee, L. Xu: "CUBIC: a new TCP-friendly high-speed TCP variant", ACM SIGOPS Operating Systems Review 42(5), 2008',
    "rhee2005": 'I. Rhee, L. Xu: "CUBIC: a new TCP-friendly high-speed TCP variant", PFLDnet 2005',
    "leith2007": 'D. J. Leith, R. N. Shorten, G. McCullagh: "Experimental evaluation of Cubic-TCP", PFLDnet 2007',
    "shanker": 'S. Shanker: "Congestion control II: CUBIC", a post with simulations',
    "freebsd": "FreeBSD's change of CUBIC's TCP-friendly window to NewReno's increase, with its table of measurements",
}

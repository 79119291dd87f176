// SPDX-License-Identifier: MIT OR Apache-2.0
// Unpacks the page's program, a few milliseconds, and starts it. The module is unpacked by a worker.

import { fromBase85, unlzma } from "./unpack.ts";

const script = document.createElement("script");
script.textContent = new TextDecoder().decode(unlzma(fromBase85(document.getElementById("program")!.textContent!.trim())));
document.head.append(script);

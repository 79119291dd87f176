// SPDX-License-Identifier: MIT OR Apache-2.0
// The module as text: base 85 (the alphabet of Python's base64.b85encode) of LZMA, which a browser has no decoder for. Next to gzip and
// base 64 the page is a quarter smaller.

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** The bytes of a text in base 85, five characters for four bytes; its length is a multiple of five. */
export function fromBase85(text: string): Uint8Array {
  const digits = new Uint8Array(128);
  for (let digit = 0; digit < ALPHABET.length; digit++) digits[ALPHABET.charCodeAt(digit)] = digit;
  const bytes = new Uint8Array((text.length / 5) * 4);
  const view = new DataView(bytes.buffer);
  for (let from = 0, to = 0; from < text.length; from += 5, to += 4) {
    let word = 0;
    for (let place = 0; place < 5; place++) word = word * 85 + digits[text.charCodeAt(from + place)]!;
    view.setUint32(to, word);
  }
  return bytes;
}

// Where the probabilities of each kind begin. (Igor Pavlov's specification of LZMA, 2015.)
const IS_MATCH = 0;
const IS_REP = 192;
const IS_REP_G0 = 204;
const IS_REP_G1 = 216;
const IS_REP_G2 = 228;
const IS_REP0_LONG = 240;
const POS_SLOT = 432;
const SPEC_POS = 688;
const ALIGN = 802;
const LEN = 818;
const REP_LEN = 1332;
const LITERAL = 1846;

/** Decompresses LZMA with its header of 13 bytes, which holds the size. */
export function unlzma(source: Uint8Array): Uint8Array {
  const properties = source[0]!;
  const lc = properties % 9;
  const lp = Math.floor(properties / 9) % 5;
  const pb = Math.floor(properties / 45);
  const size = new DataView(source.buffer, source.byteOffset).getUint32(5, true);
  const out = new Uint8Array(size);
  const probabilities = new Uint16Array(LITERAL + (768 << (lc + lp))).fill(1024);
  let at = 14; // behind the header and a byte of 0
  let range = 0xffffffff;
  let code = 0;
  for (let count = 0; count < 4; count++) code = ((code << 8) | source[at++]!) >>> 0;

  function bit(index: number): number {
    const probability = probabilities[index]!;
    const bound = (range >>> 11) * probability;
    let result = 0;
    if (code < bound) {
      range = bound;
      probabilities[index] = probability + ((2048 - probability) >> 5);
    } else {
      range -= bound;
      code -= bound;
      probabilities[index] = probability - (probability >> 5);
      result = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | source[at++]!) >>> 0;
    }
    return result;
  }
  function direct(count: number): number {
    let result = 0;
    while (count-- > 0) {
      range >>>= 1;
      const is = code >= range ? 1 : 0;
      if (is) code -= range;
      result = result * 2 + is;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | source[at++]!) >>> 0;
      }
    }
    return result;
  }
  function tree(begin: number, bits: number): number {
    let node = 1;
    for (let count = 0; count < bits; count++) node = node * 2 + bit(begin + node);
    return node - (1 << bits);
  }
  function reverseTree(begin: number, bits: number): number {
    let node = 1;
    let result = 0;
    for (let count = 0; count < bits; count++) {
      const is = bit(begin + node);
      node = node * 2 + is;
      result |= is << count;
    }
    return result;
  }
  function length(begin: number, place: number): number {
    if (!bit(begin)) return tree(begin + 2 + (place << 3), 3);
    if (!bit(begin + 1)) return 8 + tree(begin + 130 + (place << 3), 3);
    return 16 + tree(begin + 258, 8);
  }

  let state = 0;
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];
  let done = 0;
  while (done < size) {
    const place = done & ((1 << pb) - 1);
    if (!bit(IS_MATCH + (state << 4) + place)) {
      const before = done > 0 ? out[done - 1]! : 0;
      const begin = LITERAL + 768 * (((done & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let matched = out[done - rep0 - 1]!;
        do {
          const expected = (matched >> 7) & 1;
          matched <<= 1;
          const is = bit(begin + ((1 + expected) << 8) + symbol);
          symbol = symbol * 2 + is;
          if (expected !== is) break;
        } while (symbol < 256);
      }
      while (symbol < 256) symbol = symbol * 2 + bit(begin + symbol);
      out[done++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let copied: number;
    if (bit(IS_REP + state)) {
      if (!bit(IS_REP_G0 + state)) {
        if (!bit(IS_REP0_LONG + (state << 4) + place)) {
          state = state < 7 ? 9 : 11;
          out[done] = out[done - rep0 - 1]!;
          done++;
          continue;
        }
      } else if (!bit(IS_REP_G1 + state)) {
        [rep0, rep1] = [rep1, rep0];
      } else if (!bit(IS_REP_G2 + state)) {
        [rep0, rep1, rep2] = [rep2, rep0, rep1];
      } else {
        [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
      }
      copied = length(REP_LEN, place);
      state = state < 7 ? 8 : 11;
    } else {
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      copied = length(LEN, place);
      state = state < 7 ? 7 : 10;
      const slot = tree(POS_SLOT + (Math.min(copied, 3) << 6), 6);
      rep0 = slot;
      if (slot >= 4) {
        const bits = (slot >> 1) - 1;
        rep0 = (2 | (slot & 1)) * 2 ** bits;
        if (slot < 14) rep0 += reverseTree(SPEC_POS + rep0 - slot - 1, bits);
        else rep0 += direct(bits - 4) * 16 + reverseTree(ALIGN, 4);
      }
    }
    for (let count = copied + 2; count > 0 && done < size; count--) {
      out[done] = out[done - rep0 - 1]!;
      done++;
    }
  }
  return out;
}

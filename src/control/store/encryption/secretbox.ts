// NaCl's secretbox (XSalsa20 and Poly1305), which Kubernetes offers for encryption at rest and Node's
// crypto does not have. The layout is NaCl's: 16 bytes of authenticator, then the ciphertext.
import { timingSafeEqual } from "node:crypto";

export const nonceLength = 24;
const tagLength = 16;
const blockLength = 64;
const firstBlock = 32;

export function seal(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  const { stream, oneTimeKey } = keyStream(message.length, nonce, key);
  const box = Buffer.alloc(tagLength + message.length);
  for (let at = 0; at < message.length; at++) {
    box[tagLength + at] = (message[at] as number) ^ (stream[firstBlock + at] as number);
  }
  authenticate(box.subarray(tagLength), oneTimeKey).copy(box);
  return box;
}

/** Opens a box; `undefined` if it was not made with this key, or has been changed. */
export function open(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (box.length < tagLength) return undefined;
  const cipher = box.subarray(tagLength);
  const { stream, oneTimeKey } = keyStream(cipher.length, nonce, key);
  if (!timingSafeEqual(authenticate(cipher, oneTimeKey), box.subarray(0, tagLength))) {
    return undefined;
  }
  const message = Buffer.alloc(cipher.length);
  for (let at = 0; at < cipher.length; at++) {
    message[at] = (cipher[at] as number) ^ (stream[firstBlock + at] as number);
  }
  return message;
}

/** Returns the key stream, whose first 32 bytes are the key of the authenticator. */
function keyStream(length: number, nonce: Uint8Array, key: Uint8Array) {
  const subkey = salsa(words(key), words(nonce.subarray(0, 16)), false);
  const subnonce = words(nonce.subarray(16, 24));
  const blocks = Math.ceil((firstBlock + length) / blockLength);
  const stream = Buffer.alloc(blocks * blockLength);
  const input = new Uint32Array(4);
  input.set(subnonce);
  for (let block = 0; block < blocks; block++) {
    input[2] = block;
    const output = salsa(subkey, input, true);
    for (let index = 0; index < 16; index++) {
      stream.writeUInt32LE(word(output, index), block * blockLength + 4 * index);
    }
  }
  return { stream, oneTimeKey: stream.subarray(0, firstBlock) };
}

const sigma = words(Buffer.from("expand 32-byte k"));

/** Salsa20's core; without the final addition it is HSalsa20, which derives keys. */
function salsa(key: Uint32Array, input: Uint32Array, isCore: boolean): Uint32Array {
  const start = Uint32Array.of(
    sigma[0] as number,
    ...key.subarray(0, 4),
    sigma[1] as number,
    ...input.subarray(0, 4),
    sigma[2] as number,
    ...key.subarray(4, 8),
    sigma[3] as number,
  );
  const x = Uint32Array.from(start);
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of quarters) quarter(x, [a, b, c, d]);
  }
  if (isCore) {
    for (let index = 0; index < 16; index++) x[index] = word(x, index) + word(start, index);
    return x;
  }
  return Uint32Array.of(...[0, 5, 10, 15, 6, 7, 8, 9].map((index) => word(x, index)));
}

/** The quarter-rounds: a round over the columns, then one over the rows. */
const quarters: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];

function quarter(x: Uint32Array, [a, b, c, d]: readonly [number, number, number, number]): void {
  mix(x, { into: b, from: [a, d], bits: 7 });
  mix(x, { into: c, from: [b, a], bits: 9 });
  mix(x, { into: d, from: [c, b], bits: 13 });
  mix(x, { into: a, from: [d, c], bits: 18 });
}

function mix(
  x: Uint32Array,
  { into, from: [one, two], bits }: { into: number; from: [number, number]; bits: number },
): void {
  x[into] = word(x, into) ^ rotate(word(x, one) + word(x, two), bits);
}

function word(list: Uint32Array, index: number): number {
  return list[index] ?? 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function words(bytes: Uint8Array): Uint32Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => view.readUInt32LE(4 * index));
}

const prime = (1n << 130n) - 5n;
const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** Poly1305. Numbers of 130 bits are slow, but secrets are short. */
function authenticate(message: Uint8Array, key: Uint8Array): Buffer {
  const r = littleEndian(key.subarray(0, 16)) & clamp;
  const s = littleEndian(key.subarray(16, 32));
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + littleEndian(block) + (1n << BigInt(8 * block.length))) * r) % prime;
  }
  const tag = (sum + s) & ((1n << 128n) - 1n);
  const bytes = Buffer.alloc(tagLength);
  bytes.writeBigUInt64LE(tag & 0xffff_ffff_ffff_ffffn, 0);
  bytes.writeBigUInt64LE(tag >> 64n, 8);
  return bytes;
}

function littleEndian(bytes: Uint8Array): bigint {
  const whole = Buffer.alloc(16);
  whole.set(bytes);
  return whole.readBigUInt64LE(0) | (whole.readBigUInt64LE(8) << 64n);
}

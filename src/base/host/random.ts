/** A source of random numbers, passed in, so that tests can repeat them. */
export interface Random {
  /** A number of at least 0 and less than 1. */
  fraction(): number;
  bytes(count: number): Uint8Array;
}

/** A UUID of version 4. */
export function uuidFrom(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

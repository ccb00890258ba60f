/** Chance, passed in, so that tests can repeat it. */
export interface Random {
  /** At least 0, less than 1. */
  fraction(): number;
  bytes(count: number): Uint8Array;
}

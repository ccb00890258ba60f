// Bands of a range. The upper band is handed out first; the lower one is left to users who ask for a certain
// value, and is used only when the upper one is full.

export interface Band {
  /** Offsets from `first` to `last`, both included. */
  readonly first: bigint;
  readonly last: bigint;
}

export interface Bands {
  readonly upper: Band;
  readonly lower: Band | undefined;
}

export interface BandOptions {
  /** The divisor: the lower band is the range divided by this. */
  readonly divisor: bigint;
  /** The smallest and largest size of the lower band. */
  readonly minimum: bigint;
  readonly maximum: bigint;
}

export function bandsOf(count: bigint, options: BandOptions): Bands {
  const { divisor, minimum, maximum } = options;
  const share = count / divisor;
  const reserved = share < minimum ? minimum : share > maximum ? maximum : share;
  const last = count - 1n;
  if (count <= minimum) return { upper: { first: 0n, last }, lower: undefined };
  return { upper: { first: reserved, last }, lower: { first: 0n, last: reserved - 1n } };
}

/** Returns a random offset of the band; the 53 bits of a fraction spread well enough over any range. */
export function pick(band: Band, fraction: () => number): bigint {
  const scale = 1n << 52n;
  const size = band.last - band.first + 1n;
  const high = BigInt(Math.floor(fraction() * Number(scale)));
  const low = BigInt(Math.floor(fraction() * Number(scale)));
  return band.first + (((high << 52n) | low) * size) / (scale * scale);
}

// Which part of a range is handed out first. The low end is left to people who ask for a value of
// their own, and is used only when the rest is full.

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
  /** The lower band is the range divided by this… */
  readonly divisor: bigint;
  /** …but neither smaller nor larger than these. */
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

/** A value of the band, at random; a fraction has 53 bits, which spread well enough over any range. */
export function pick(band: Band, fraction: () => number): bigint {
  const scale = 1n << 52n;
  const size = band.last - band.first + 1n;
  const high = BigInt(Math.floor(fraction() * Number(scale)));
  const low = BigInt(Math.floor(fraction() * Number(scale)));
  return band.first + (((high << 52n) | low) * size) / (scale * scale);
}

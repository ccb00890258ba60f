// Ranges of sizes and costs. They do not overflow: what is larger than any size counts as the largest.

export interface Range {
  readonly min: number;
  readonly max: number;
}

const largest = 2 ** 64;

export const unknown: Range = { min: 0, max: largest };
export const nothing: Range = { min: 0, max: 0 };

export function exactly(size: number): Range {
  return { min: size, max: size };
}

export function plus(...ranges: readonly Range[]): Range {
  return {
    min: cap(ranges.reduce((sum, { min }) => sum + min, 0)),
    max: cap(ranges.reduce((sum, { max }) => sum + max, 0)),
  };
}

export function times(a: Range, b: Range): Range {
  return { min: cap(a.min * b.min), max: cap(a.max * b.max) };
}

/** Multiplies by a factor and rounds up. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: cap(Math.ceil(min * factor)), max: cap(Math.ceil(max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function cap(value: number): number {
  return Math.min(value, largest);
}

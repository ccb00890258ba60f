// Limits work whose size its cost does not tell: values that share their parts can be far larger than what it
// cost to make them.

/** An evaluation has cost more than it may. */
export class CostLimitExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostLimitExceeded";
  }
}

const mostSteps = 1_000_000;
/** The longest text that an evaluation can make at the highest limit of costs. */
const longestText = 10_000_000;

export class Steps {
  #left = mostSteps;

  take(): void {
    if (--this.#left < 0) throw new CostLimitExceeded();
  }
}

/** Throws when a text would be longer than an evaluation may make. */
export function checkLength(length: number): void {
  if (length > longestText) throw new CostLimitExceeded();
}

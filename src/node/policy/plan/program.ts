// A program: the decisions about all ports of a peer at once, as few ranges.

import { decide, type MatchedRules, type PortSpan } from "./decide.ts";
import { type Protocol, protocols } from "./model.ts";

/** The outcome for a packet: it passes, or it is denied for the reason with this number. */
export type Outcome = number;

export const passes: Outcome = 1;

export interface Program {
  /** The canonical text: equal texts are equal programs. */
  readonly text: string;
  /** The outcome for traffic that the fields below do not cover. */
  readonly otherwise: Outcome;
  readonly protocols: ReadonlyMap<Protocol, Outcome>;
  readonly ranges: readonly (PortSpan & { readonly outcome: Outcome })[];
}

/** Returns the number of the reason for a denial by a rule, or by the lack of one. */
export type ReasonOf = (rule: string | undefined) => Outcome;

const lastPort = 65_535;

export function programOf(rules: MatchedRules, reasonOf: ReasonOf): Program {
  const outcomeOf = (port: number, protocol?: Protocol): Outcome => {
    const { isAllowed, rule } = decide(rules, { port, ...(protocol && { protocol }) });
    return isAllowed ? passes : reasonOf(rule?.name);
  };
  const otherwise = outcomeOf(0);
  const whole = new Map<Protocol, Outcome>();
  const ranges: Program["ranges"][number][] = [];
  for (const protocol of protocols) {
    const found = spansOf(startsOf(rules, protocol), (port) => outcomeOf(port, protocol));
    const usual = mostCommon(found);
    if (usual !== otherwise) whole.set(protocol, usual);
    for (const { from, to, outcome } of found) {
      if (outcome !== usual) ranges.push({ protocol, from, to, outcome });
    }
  }
  const texts = [
    String(otherwise),
    ...[...whole].map(([protocol, outcome]) => `${protocol}:${outcome}`),
    ...ranges.map(({ protocol, from, to, outcome }) => `${protocol} ${from}-${to}:${outcome}`),
  ];
  return { text: texts.join(" "), otherwise, protocols: whole, ranges };
}

/** Splits a range of ports into blocks whose size is a power of two, each found by masking a port. */
export function blocksOf(from: number, to: number): readonly { first: number; length: number }[] {
  const blocks: { first: number; length: number }[] = [];
  for (let first = from; first <= to; ) {
    let bits = 0;
    while (bits < 16 && (first & (1 << bits)) === 0 && first + (2 << bits) - 1 <= to) bits++;
    blocks.push({ first, length: 16 - bits });
    first += 1 << bits;
  }
  return blocks;
}

/** Returns the ports at which the decision may change. */
function startsOf(rules: MatchedRules, protocol: Protocol): readonly number[] {
  const starts = new Set([0]);
  for (const { ports = [] } of [...rules.admin, ...(rules.namespace ?? []), ...rules.baseline]) {
    for (const span of ports) {
      if (span.protocol !== protocol) continue;
      starts.add(span.from);
      if (span.to < lastPort) starts.add(span.to + 1);
    }
  }
  return [...starts].toSorted((one, other) => one - other);
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly outcome: Outcome;
}

/** Returns the ranges of ports by outcome; adjacent ranges with the same outcome are merged. */
function spansOf(starts: readonly number[], outcomeOf: (port: number) => Outcome): readonly Span[] {
  const spans: Span[] = [];
  for (const [index, from] of starts.entries()) {
    const to = (starts[index + 1] ?? lastPort + 1) - 1;
    const outcome = outcomeOf(from);
    const last = spans.at(-1);
    if (last?.outcome === outcome) spans.splice(-1, 1, { ...last, to });
    else spans.push({ from, to, outcome });
  }
  return spans;
}

function mostCommon(spans: readonly Span[]): Outcome {
  const sizes = new Map<Outcome, number>();
  for (const { from, to, outcome } of spans) {
    sizes.set(outcome, (sizes.get(outcome) ?? 0) + to - from + 1);
  }
  const [first] = [...sizes].toSorted(([, one], [, other]) => other - one);
  return first?.[0] ?? passes;
}

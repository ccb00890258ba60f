// Amounts that pods request and nodes have, as plain numbers: millicores, bytes, pieces.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { Container, PodSpec } from "../../../api/types/core.ts";

export type Amounts = ReadonlyMap<string, number>;

export function readAmounts(quantities: Readonly<Record<string, string>> | undefined): Amounts {
  const amounts = new Map<string, number>();
  for (const [resource, text] of Object.entries(quantities ?? {})) {
    amounts.set(resource, amountOf(resource, text));
  }
  return amounts;
}

/**
 * Returns what a node must have free for a pod. Containers run side by side; init containers run one after
 * the other before them, beside the sidecars started earlier.
 */
export function requestsOf(spec: PodSpec): Amounts {
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = requestedBy(container);
    if (container.restartPolicy === "Always") sidecars = sum(sidecars, own);
    starting = larger(
      starting,
      container.restartPolicy === "Always" ? sidecars : sum(sidecars, own),
    );
  }
  const running = spec.containers.map(requestedBy).reduce(sum, sidecars);
  const needed = new Map([
    ...larger(starting, running),
    // Requests of the pod as a whole replace those of its containers.
    ...readAmounts(spec.resources?.requests),
  ]);
  return sum(needed, readAmounts(spec.overhead));
}

export function sum(left: Amounts, right: Amounts): Amounts {
  return combine(left, right, (a, b) => a + b);
}

function larger(left: Amounts, right: Amounts): Amounts {
  return combine(left, right, Math.max);
}

function combine(left: Amounts, right: Amounts, how: (a: number, b: number) => number): Amounts {
  if (right.size === 0) return left;
  const result = new Map(left);
  for (const [resource, amount] of right) {
    result.set(resource, how(result.get(resource) ?? 0, amount));
  }
  return result;
}

function requestedBy({ resources }: Container): Amounts {
  return readAmounts(resources?.requests);
}

/** The cache of parsed quantities: most pods of a cluster request the same few amounts. */
const known = new Map<string, number>();
const mostKnown = 10_000;

function amountOf(resource: string, text: string): number {
  const unit = resource === "cpu" ? 1_000_000n : 1_000_000_000n;
  const key = `${resource === "cpu"} ${text}`;
  let amount = known.get(key);
  if (amount === undefined) {
    amount = Number((nanosOf(text) + unit - 1n) / unit);
    if (known.size >= mostKnown) known.clear();
    known.set(key, amount);
  }
  return amount;
}

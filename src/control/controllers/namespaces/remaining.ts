// Conditions that tell people what is left in a namespace that is being deleted.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Namespace, NamespaceCondition } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";

/** The objects of one resource that still exist. */
export interface Remaining {
  /** The resource: `pods`, `widgets.example.com`. */
  readonly resource: string;
  readonly count: number;
  /** The number of these objects that each finalizer holds. */
  readonly finalizers: Readonly<Record<string, number>>;
}

export interface Outcome {
  readonly remaining: readonly Remaining[];
  /** The errors of resources that could not be listed or deleted. */
  readonly failures: readonly string[];
  /** The error of discovery, if it is unknown which resources are served. */
  readonly discoveryFailure?: string | undefined;
}

/** Returns the new conditions; `undefined` if the namespace has them already. */
export function changedConditions(
  { status }: Namespace,
  outcome: Outcome,
  now: number,
): NamespaceCondition[] | undefined {
  const before = status?.conditions ?? [];
  const conditions = conditionsFor(outcome).map((wanted) => {
    const known = before.find(({ type }) => type === wanted.type);
    const isSteady = known?.status === wanted.status && known.lastTransitionTime !== undefined;
    const time = isSteady ? known.lastTransitionTime : timestamp(now);
    return { ...wanted, ...defined({ lastTransitionTime: time }) };
  });
  const others = before.filter(({ type }) => conditions.every((each) => each.type !== type));
  const isSame = conditions.every((wanted) =>
    before.some(
      ({ type, status: value, message }) =>
        type === wanted.type && value === wanted.status && message === wanted.message,
    ),
  );
  return isSame ? undefined : [...others, ...conditions];
}

function conditionsFor({ remaining, failures, discoveryFailure }: Outcome): NamespaceCondition[] {
  const content = remaining.map(
    ({ resource, count }) => `${resource} has ${count} resource instances`,
  );
  const held = new Map<string, number>();
  for (const { finalizers } of remaining) {
    for (const [name, count] of Object.entries(finalizers)) {
      held.set(name, (held.get(name) ?? 0) + count);
    }
  }
  const holders = [...held].map(([name, count]) => `${name} in ${count} resource instances`);
  return [
    condition(
      "NamespaceDeletionDiscoveryFailure",
      discoveryFailure === undefined ? [] : [discoveryFailure],
      {
        good: ["ResourcesDiscovered", "All resources successfully discovered"],
        bad: ["DiscoveryFailed", ""],
      },
    ),
    condition("NamespaceDeletionContentFailure", failures, {
      good: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
      bad: ["ContentDeletionFailed", ""],
    }),
    condition("NamespaceContentRemaining", content, {
      good: ["ContentRemoved", "All content successfully removed"],
      bad: ["SomeResourcesRemain", "Some resources are remaining: "],
    }),
    condition("NamespaceFinalizersRemaining", holders, {
      good: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
      bad: ["SomeFinalizersRemain", "Some content in the namespace has finalizers remaining: "],
    }),
  ];
}

type Words = readonly [reason: string, text: string];

function condition(
  type: string,
  troubles: readonly string[],
  { good, bad }: { good: Words; bad: Words },
): NamespaceCondition {
  if (troubles.length === 0) return { type, status: "False", reason: good[0], message: good[1] };
  return { type, status: "True", reason: bad[0], message: bad[1] + troubles.toSorted().join(", ") };
}

// Conditions of a status: one of each type, in the order in which they appeared.

interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Sets a condition; its transition time changes with the status only, not with the message. */
export function withCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  news: Omit<C, "lastTransitionTime"> & { type: string; status: string },
  now: string,
): C[] {
  const before = conditions?.find(({ type }) => type === news.type);
  const since = before?.status === news.status ? before.lastTransitionTime : undefined;
  const next = { ...news, lastTransitionTime: since ?? now } as Condition as C;
  if (before === undefined) return [...(conditions ?? []), next];
  return (conditions ?? []).map((each) => (each === before ? next : each));
}

export function withoutCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  unwanted: string,
): C[] {
  return (conditions ?? []).filter(({ type }) => type !== unwanted);
}

export function isTrue(conditions: readonly Condition[] | undefined, wanted: string): boolean {
  return (conditions ?? []).some(({ type, status }) => type === wanted && status === "True");
}

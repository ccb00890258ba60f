// Index of the pods a service selects and of the services that select a pod. Its cost follows the number of
// different sets of label keys in a namespace's selectors (a handful), not that of services or pods.

import { compareText, sameJson } from "../../../base/json/value.ts";

type Labels = Readonly<Record<string, string>>;

interface Placed {
  readonly namespace: string;
  readonly labels: Labels;
}

/** The services and pods of a namespace for one set of label keys. */
interface KeySet {
  readonly keys: readonly string[];
  /** The services by the values of these keys. */
  readonly services: Map<string, Set<string>>;
  readonly pods: Map<string, Set<string>>;
}

interface Space {
  readonly pods: Set<string>;
  readonly keySets: Map<string, KeySet>;
}

export class SelectorIndex {
  readonly #spaces = new Map<string, Space>();
  readonly #services = new Map<string, Placed>();
  readonly #pods = new Map<string, Placed>();

  /** Adds a service; one without a selector selects nothing. */
  putService(key: string, namespace: string, selector: Labels): void {
    const known = this.#services.get(key);
    if (known !== undefined && sameJson(known.labels, selector)) return;
    this.removeService(key);
    if (Object.keys(selector).length === 0) return;
    this.#services.set(key, { namespace, labels: selector });
    const keySet = this.#keySetOf(namespace, selector);
    enter(keySet.services, valuesOf(keySet, selector), key);
  }

  removeService(key: string): void {
    const known = this.#services.get(key);
    if (known === undefined) return;
    this.#services.delete(key);
    const space = this.#spaces.get(known.namespace);
    const id = idOf(known.labels);
    const keySet = space?.keySets.get(id);
    if (space === undefined || keySet === undefined) return;
    leave(keySet.services, valuesOf(keySet, known.labels), key);
    if (keySet.services.size === 0) space.keySets.delete(id);
    this.#tidy(known.namespace, space);
  }

  putPod(key: string, namespace: string, labels: Labels): void {
    this.removePod(key);
    this.#pods.set(key, { namespace, labels });
    const space = this.#spaceOf(namespace);
    space.pods.add(key);
    for (const keySet of space.keySets.values()) {
      enter(keySet.pods, valuesOf(keySet, labels), key);
    }
  }

  removePod(key: string): void {
    const known = this.#pods.get(key);
    if (known === undefined) return;
    this.#pods.delete(key);
    const space = this.#spaceOf(known.namespace);
    space.pods.delete(key);
    for (const keySet of space.keySets.values()) {
      leave(keySet.pods, valuesOf(keySet, known.labels), key);
    }
    this.#tidy(known.namespace, space);
  }

  podsOf(service: string): Iterable<string> {
    const known = this.#services.get(service);
    if (known === undefined) return [];
    const keySet = this.#keySetOf(known.namespace, known.labels);
    return keySet.pods.get(valuesOf(keySet, known.labels) ?? "") ?? [];
  }

  servicesOf(pod: string): string[] {
    const known = this.#pods.get(pod);
    if (known === undefined) return [];
    const keySets = this.#spaces.get(known.namespace)?.keySets.values() ?? [];
    return [...keySets].flatMap((keySet) => [
      ...(keySet.services.get(valuesOf(keySet, known.labels) ?? "") ?? []),
    ]);
  }

  #spaceOf(namespace: string): Space {
    let space = this.#spaces.get(namespace);
    if (space === undefined) {
      space = { pods: new Set(), keySets: new Map() };
      this.#spaces.set(namespace, space);
    }
    return space;
  }

  /** Returns the set of a selector's keys. The first service with new keys costs a look at every pod. */
  #keySetOf(namespace: string, selector: Labels): KeySet {
    const space = this.#spaceOf(namespace);
    const id = idOf(selector);
    let keySet = space.keySets.get(id);
    if (keySet === undefined) {
      keySet = { keys: sortedKeys(selector), services: new Map(), pods: new Map() };
      space.keySets.set(id, keySet);
      for (const pod of space.pods) {
        enter(keySet.pods, valuesOf(keySet, this.#pods.get(pod)?.labels ?? {}), pod);
      }
    }
    return keySet;
  }

  #tidy(namespace: string, { pods, keySets }: Space): void {
    if (pods.size === 0 && keySets.size === 0) this.#spaces.delete(namespace);
  }
}

function idOf(selector: Labels): string {
  return JSON.stringify(sortedKeys(selector));
}

function sortedKeys(labels: Labels): string[] {
  return Object.keys(labels).toSorted(compareText);
}

/**
 * Returns the values of the keys; `undefined` if a key is missing, since no selector of the set matches then.
 */
function valuesOf({ keys }: KeySet, labels: Labels): string | undefined {
  const values: string[] = [];
  for (const key of keys) {
    const value = labels[key];
    if (value === undefined) return undefined;
    values.push(value);
  }
  return JSON.stringify(values);
}

function enter(map: Map<string, Set<string>>, values: string | undefined, key: string): void {
  if (values === undefined) return;
  const keys = map.get(values);
  if (keys === undefined) map.set(values, new Set([key]));
  else keys.add(key);
}

function leave(map: Map<string, Set<string>>, values: string | undefined, key: string): void {
  if (values === undefined) return;
  const keys = map.get(values);
  keys?.delete(key);
  if (keys?.size === 0) map.delete(values);
}

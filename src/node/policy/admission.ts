// Pods that are being started on this node: their addresses and labels are known here before the API shows
// them, and no traffic of theirs passes before their policies are in the kernel.

import type { Pod } from "../../api/types/core.ts";
import { at, mirrorAnnotation, readPod } from "./objects/read-pod.ts";
import { defaultNetwork, type PodAddress } from "./plan/model.ts";
import type { PolicyState } from "./plan/policy-state.ts";

/** An address that a plugin has given to a pod. */
export interface GivenAddress {
  readonly address: { toString(): string };
  readonly network: string;
  readonly isDefault: boolean;
}

export class Admission {
  readonly #state: PolicyState;
  readonly #node: string | undefined;
  /** The addresses given to pods of this node, by the pod's key, with the pod of that name that got them. */
  readonly #given = new Map<
    string,
    { readonly pod: Pod; readonly addresses: readonly PodAddress[] }
  >();
  readonly #texts = new Map<string, string>();
  readonly #pods = new Map<string, Pod>();

  /** Without a node's name, all pods are treated as those of this node. */
  constructor(state: PolicyState, node?: string) {
    this.#state = state;
    this.#node = node;
  }

  /** Takes a pod as the API has it now; undefined when it is gone. */
  put(pod: Pod | undefined, key: string): void {
    const given = this.#given.get(key);
    if (pod === undefined) {
      const last = this.#pods.get(key);
      this.#pods.delete(key);
      // The deletion of a pod may be heard of after the next pod of its name has been started here.
      const isNext = given !== undefined && last !== undefined && isAnother(given.pod, last);
      if (!isNext) this.#given.delete(key);
      return this.#update(isNext ? given.pod : undefined, key);
    }
    if (pod.spec.nodeName === this.#node) this.#pods.set(key, pod);
    this.#update(pod, key);
  }

  /** Takes a pod of this node that has just got its addresses. */
  give(pod: Pod, addresses: readonly GivenAddress[]): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const known = addresses.flatMap(({ address, network, isDefault }) =>
      at(address.toString(), isDefault ? defaultNetwork : network),
    );
    this.#given.set(key, { pod, addresses: known });
    const latest = this.#pods.get(key);
    this.#update(latest === undefined || isAnother(pod, latest) ? pod : latest, key);
  }

  #update(pod: Pod | undefined, key: string): void {
    const known = this.#given.get(key)?.addresses;
    const facts = pod && readPod(pod, { node: this.#node, known });
    const text = facts === undefined ? undefined : JSON.stringify(facts);
    if (text === this.#texts.get(key)) return;
    if (text === undefined) this.#texts.delete(key);
    else this.#texts.set(key, text);
    this.#state.setPod(key, facts);
  }
}

/**
 * Returns whether these are different pods of the same name. A mirror pod is the same as its static pod,
 * though it has another uid.
 */
function isAnother(pod: Pod, shown: Pod): boolean {
  const isMirror = shown.metadata.annotations?.[mirrorAnnotation] !== undefined;
  return pod.metadata.uid !== shown.metadata.uid && !isMirror;
}

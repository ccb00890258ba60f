// Pods that are being made: they get nowhere before their policies are in the kernel, and what they are is
// known here before it is known to anybody else.

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
  /** By the pod's key: what it was given, and which pod of that name it was. */
  readonly #given = new Map<
    string,
    { readonly pod: Pod; readonly addresses: readonly PodAddress[] }
  >();
  readonly #texts = new Map<string, string>();
  readonly #pods = new Map<string, Pod>();

  /** Without a node, all pods are looked at as those of this node are. */
  constructor(state: PolicyState, node?: string) {
    this.#state = state;
    this.#node = node;
  }

  /** A pod as the API has it now. */
  put(pod: Pod | undefined, key: string): void {
    const given = this.#given.get(key);
    if (pod === undefined) {
      const last = this.#pods.get(key);
      this.#pods.delete(key);
      // News of the end of a pod may come after the next one of its name has been made here.
      const isNext = given !== undefined && last !== undefined && isAnother(given.pod, last);
      if (!isNext) this.#given.delete(key);
      return this.#update(isNext ? given.pod : undefined, key);
    }
    if (pod.spec.nodeName === this.#node) this.#pods.set(key, pod);
    this.#update(pod, key);
  }

  /** A pod of this node that has just got its addresses. */
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

/** A static pod is shown in the API by a mirror, which has a uid of its own. */
function isAnother(pod: Pod, shown: Pod): boolean {
  const isMirror = shown.metadata.annotations?.[mirrorAnnotation] !== undefined;
  return pod.metadata.uid !== shown.metadata.uid && !isMirror;
}

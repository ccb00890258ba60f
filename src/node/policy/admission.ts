// Pods that are being made: they get nowhere before their policies are in the kernel, and what they are is
// known here before it is known to anybody else.

import type { Pod } from "../../api/types/core.ts";
import { at, readPod } from "./objects/read-pod.ts";
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
    { readonly uid: string; readonly addresses: readonly PodAddress[] }
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
    const isOther = pod !== undefined && given !== undefined && given.uid !== uidOf(pod);
    if (pod === undefined || isOther) this.#given.delete(key);
    if (pod === undefined) this.#pods.delete(key);
    else if (pod.spec.nodeName === this.#node) this.#pods.set(key, pod);
    this.#update(pod, key);
  }

  /** A pod of this node that has just got its addresses. */
  give(pod: Pod, addresses: readonly GivenAddress[]): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const known = addresses.flatMap(({ address, network, isDefault }) =>
      at(address.toString(), isDefault ? defaultNetwork : network),
    );
    this.#given.set(key, { uid: uidOf(pod), addresses: known });
    const latest = this.#pods.get(key);
    this.#update(latest !== undefined && uidOf(latest) === uidOf(pod) ? latest : pod, key);
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

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}

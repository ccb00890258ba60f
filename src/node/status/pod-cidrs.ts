// The pod CIDRs of this node, which a controller of the cluster gives it.

import type { Informer } from "../../api/client/informer.ts";
import type { Node } from "../../api/types/core.ts";
import { Prefix } from "../../base/net/prefix.ts";

/** Resolves as soon as the node has other CIDRs than the known ones. */
export async function changedPodCidrs(
  informer: Informer<Node>,
  { node, known }: { readonly node: string; readonly known?: readonly Prefix[] },
  signal: AbortSignal,
): Promise<readonly Prefix[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Prefix[]>();
  const onAbort = () => reject(signal.reason as Error);
  const leave = informer.subscribe((name) => {
    if (name !== node) return;
    const found = podCidrsOf(informer.get(node));
    if (found.length > 0 && String(found) !== String(known)) resolve(found);
  });
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await promise;
  } finally {
    leave();
    signal.removeEventListener("abort", onAbort);
  }
}

function podCidrsOf(node: Node | undefined): readonly Prefix[] {
  return (node?.spec.podCIDRs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
}

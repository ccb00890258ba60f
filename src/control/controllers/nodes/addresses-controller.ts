// Writes the addresses that a cloud provider knows into its nodes, and removes the taint of nodes that waited
// for them.

import { type Again, Controller } from "../../../api/client/controller.ts";
import type { Node, NodeAddress } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { ControllerContext } from "../context.ts";
import type { NodeProvider } from "./provider.ts";

/** The taint with which agents start that are told to wait for a provider. */
const waitingTaint = "node.cloudprovider.kubernetes.io/uninitialized";
const lookAgainMs = 300_000;

export function addressesController(
  context: ControllerContext,
  addressesOf: NonNullable<NodeProvider["addresses"]>,
): Controller {
  const { client, informers } = context;
  const nodes = client.resource("v1", "Node");
  const informer = informers.of(nodes);

  const reconcile = async (name: string, signal: AbortSignal): Promise<Again | void> => {
    const node = informer.get(name);
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return;
    const given = await addressesOf(node, signal);
    const addresses = mergeAddresses(node, given);
    if (!sameJson(addresses, node.status?.addresses ?? [])) {
      // The list is replaced as a whole: merged by type, an address would replace the one of the other
      // family.
      await nodes.patchStatus({ name }, { merge: { status: { addresses } } }, { signal });
    }
    const taints = (node.spec.taints ?? []).filter(({ key }) => key !== waitingTaint);
    if (taints.length < (node.spec.taints ?? []).length) {
      const { resourceVersion = "" } = node.metadata;
      const merge = { metadata: { resourceVersion }, spec: { taints } };
      await nodes.patch({ name }, { merge }, { signal });
    }
    return { againInMs: lookAgainMs };
  };

  return new Controller({ ...context, sources: [informer], reconcile });
}

/** Merges addresses: types that the provider does not know stay as the node reported them. */
export function mergeAddresses({ status }: Node, given: readonly NodeAddress[]): NodeAddress[] {
  const types = new Set(given.map(({ type }) => type));
  const others = (status?.addresses ?? []).filter(({ type }) => !types.has(type));
  return [...given, ...others];
}

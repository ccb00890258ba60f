// Marks control planes as the administrator, since a node may not give itself that role.

import type { Client } from "../../api/client/client.ts";
import { isNotFound } from "../../api/client/errors.ts";

/** The label and the taint of control planes. */
export const role = "node-role.kubernetes.io/control-plane";

/** Labels the control planes; returns `undefined` as long as one of them has not registered. */
export async function markControlPlanes(
  client: Client,
  names: readonly string[],
): Promise<true | undefined> {
  const nodes = client.resource("v1", "Node");
  for (const name of names) {
    try {
      await nodes.patch({ name }, { merge: { metadata: { labels: { [role]: "" } } } });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  return true;
}

/** Labels again those control planes that have registered anew, as after somebody deleted their Node objects. */
export async function markAgain(client: Client, names: readonly string[]): Promise<void> {
  const { items } = await client.resource("v1", "Node").list();
  const unmarked = items.filter(
    ({ metadata }) => names.includes(metadata.name) && metadata.labels?.[role] === undefined,
  );
  await markControlPlanes(
    client,
    unmarked.map(({ metadata }) => metadata.name),
  );
}

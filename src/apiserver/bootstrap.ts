// The objects a cluster starts with. What is there already is left alone.
import type { ApiObject } from "../api/kinds/kind.ts";
import type { Namespace } from "../api/types/core.ts";
import { encodeStored } from "./cache/item.ts";
import type { Core } from "./core.ts";
import { objectKey } from "./keys.ts";
import type { ServedResource } from "./resources/served.ts";
import { beginLife } from "./write/lifecycle.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

export async function createBootstrapObjects(core: Core): Promise<void> {
  const resource = core.catalogue.find("", "v1", "namespaces");
  if (resource === undefined) return;
  await Promise.all(namespaces.map((name) => ensure(core, resource, namespaceNamed(name))));
}

function namespaceNamed(name: string): Namespace {
  return {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}

/** Commits an object of the server's own, unless there is one of that name. */
async function ensure(core: Core, resource: ServedResource, object: ApiObject): Promise<void> {
  const { namespace = "", name = "" } = object.metadata ?? {};
  if (core.cache.collection(resource.collection).get(namespace, name) !== undefined) return;
  beginLife(object, resource, { namespace, now: core.settings.now() });
  resource.rules.default?.(object);
  const key = objectKey(resource.collection, namespace, name);
  const value = encodeStored(object);
  const { revision } = await core.store.commit({
    compare: [{ key, modified: 0 }],
    operations: [{ type: "put", key, value }],
  });
  await core.cache.reached(revision);
}

// Creates the objects a cluster starts with. Existing ones are left alone, except for roles that lack
// something.
import { bootstrapObjects } from "./bootstrap-objects.ts";
import { restoreRoles } from "./bootstrap-roles.ts";
import { encodeStored } from "./cache/item.ts";
import type { Core } from "./core.ts";
import { objectKey } from "./keys.ts";
import type { DefaultRole } from "./security/default-role.ts";
import { beginLife } from "./write/lifecycle.ts";

export async function createBootstrapObjects(
  core: Core,
  furtherRoles: readonly DefaultRole[] = [],
): Promise<void> {
  const wanted = bootstrapObjects(core.settings, furtherRoles);
  const missing = wanted.flatMap(({ group, version, plural, object }) => {
    const resource = core.catalogue.find(group, version, plural);
    const { namespace = "", name = "" } = object.metadata ?? {};
    if (resource === undefined) return [];
    if (core.cache.collection(resource.collection).get(namespace, name) !== undefined) return [];
    beginLife(object, resource, { namespace, now: core.settings.now() });
    resource.rules.default?.(object);
    return [{ key: objectKey(resource.collection, namespace, name), value: encodeStored(object) }];
  });
  // Each object has a transaction of its own, so that servers starting together do not fail each other's.
  const revisions = await Promise.all(
    missing.map(async ({ key, value }) => {
      const { revision } = await core.store.commit({
        compare: [{ key, modified: 0 }],
        operations: [{ type: "put", key, value }],
      });
      return revision;
    }),
  );
  await core.cache.reached(Math.max(0, ...revisions));
  await restoreRoles(core, wanted);
}

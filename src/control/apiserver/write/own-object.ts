// Writes objects in the server's own name, by the same rules as everybody's.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { invalid } from "../errors.ts";
import type { ServedResource } from "../resources/served.ts";
import { beginLife, continueLife } from "./lifecycle.ts";
import { mutate } from "./mutate.ts";

export interface OwnObject {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  /** Returns the desired object, given the present one; `undefined` leaves it as it is. */
  desire(old: ApiObject | undefined): ApiObject | undefined;
}

export async function writeOwn(core: Core, own: OwnObject): Promise<void> {
  const { resource, namespace, name } = own;
  const { settings } = core;
  const { rules } = resource;
  await mutate(core, {
    resource,
    namespace,
    name,
    dryRun: false,
    plan(item) {
      const old = item?.parse();
      const object = own.desire(item?.parse());
      if (object === undefined) return { type: "keep" };
      if (old === undefined) beginLife(object, resource, { namespace, now: settings.now() });
      rules.default?.(object);
      const reconciled = rules.reconcile?.(object, { settings, ...(old && { old }) });
      if (old === undefined) rules.prepareCreate?.(object, settings);
      else continueLife(object, old, resource);
      const errors = [...(reconciled?.errors ?? []), ...(rules.validate?.(object, settings) ?? [])];
      if (errors.length > 0) throw invalid(resource.groupKind, name, errors);
      return { type: "put", object };
    },
  });
}

// One version of a custom resource as clients see it: objects are converted to it, and stored ones that were
// written under another schema lose what it does not know, and get its defaults.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { CustomSchema } from "../../../api/schema/from-openapi.ts";
import { prune } from "../../../api/schema/prune.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { Item } from "../cache/item.ts";
import { invalid } from "../errors.ts";
import type { Conversion } from "../resources/served.ts";
import type { PostWebhook } from "../streaming/webhook-client.ts";
import type { VersionConversion } from "./version-conversion.ts";

export interface ServedVersion {
  readonly conversion: VersionConversion;
  /** The schema of this version. */
  readonly compiled: CustomSchema;
  /** The apiVersions of this version and of the one that is stored. */
  readonly served: string;
  readonly stored: string;
  readonly kind: { readonly group: string; readonly kind: string };
}

export function servedVersion(version: ServedVersion): Conversion {
  const { conversion, compiled, served, stored, kind } = version;
  const ready = new WeakMap<Item, Buffer>();
  const fromStored = (object: ApiObject): ApiObject => {
    const converted = conversion.convert(object, served);
    const known = prune(compiled.schema, converted) as JsonObject;
    return compiled.applyDefaults(known);
  };
  const make = (items: readonly Item[]) => {
    for (const item of items) {
      if (!ready.has(item)) ready.set(item, Buffer.from(JSON.stringify(fromStored(item.parse()))));
    }
  };
  return {
    served: ready,
    fromStored,
    restored: (object) => conversion.convert(object, stored),
    toStored(object) {
      if (served === stored) return object;
      const complete = compiled.applyDefaults(object as JsonObject) as ApiObject;
      const errors = compiled.validate(complete as JsonObject);
      if (errors.length > 0) {
        const { group, kind: name } = kind;
        throw invalid({ group, name }, object.metadata?.name ?? "", [...errors]);
      }
      return conversion.convert(complete, stored);
    },
    prepare(post, items) {
      const waiting = items.filter((item) => !ready.has(item));
      const unknown = waiting
        .map((item) => item.parse())
        .filter((object) => !conversion.isKnown(object, served));
      if (unknown.length === 0) return undefined;
      return fetchAll(post, { conversion, served, make }, waiting);
    },
  };
}

/** The items that are converted at once; the answers of more might be forgotten before they are used. */
const itemsAtOnce = 500;

async function fetchAll(
  post: PostWebhook,
  {
    conversion,
    served,
    make,
  }: Pick<ServedVersion, "conversion" | "served"> & { make: (items: readonly Item[]) => void },
  items: readonly Item[],
): Promise<void> {
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    const some = items.slice(start, start + itemsAtOnce);
    const objects = some.map((item) => item.parse());
    const unknown = objects.filter((object) => !conversion.isKnown(object, served));
    await conversion.fetch(post, unknown, served);
    make(some);
  }
}

import type { ApiObject, TableDefinition } from "../../../api/kinds/kind.ts";
import type { Item } from "../cache/item.ts";
import type { ServedResource } from "../resources/served.ts";
import { parseInVersion } from "./object-view.ts";
import type { View } from "./view.ts";

/** The part of its object that each row carries. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  readonly version: "v1" | "v1beta1";
  readonly includeObject: IncludeObject;
  readonly now: () => Date;
}

/** The view of objects as rows of a table. */
export function tableView(resource: ServedResource, options: TableOptions): View {
  const { version, includeObject, now } = options;
  const apiVersion = `meta.k8s.io/${version}`;
  const definition = resource.rules.table ?? nameAndAge;
  const columns = JSON.stringify(
    definition.columns.map(({ name, type, format = "", priority = 0, description = "" }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
  );
  const open = (metadata: object) =>
    `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${columns},"rows":[`;
  const close = "]}";

  const rows = (item: Item) => {
    const inVersion = () => parseInVersion(resource, item);
    // Tables of built-in kinds are about the stored form, those of custom ones about the served version.
    const object = resource.custom === undefined ? item.parse() : inVersion();
    const carried = includeObject === "Object" ? inVersion() : object;
    const suffix = carry(carried, includeObject, apiVersion);
    return definition
      .rows(object, now())
      .map((cells) => `{"cells":${JSON.stringify(cells)}${suffix}}`)
      .join(",");
  };
  return {
    id: `table/${resource.apiVersion}/${resource.edition}/${version}/${includeObject}`,
    media: "json",
    open,
    close,
    entry: (item) => Buffer.from(rows(item)),
    single: (item) =>
      Buffer.from(open({ resourceVersion: String(item.modified) }) + rows(item) + close),
    bookmark: (metadata) => {
      const carrier = JSON.stringify({ kind: "PartialObjectMetadata", apiVersion, metadata });
      return Buffer.from(
        `${open({ resourceVersion: metadata.resourceVersion })}{"cells":[],"object":${carrier}}${close}`,
      );
    },
  };
}

function carry(object: ApiObject, include: IncludeObject, apiVersion: string): string {
  if (include === "None") return "";
  if (include === "Object") return `,"object":${JSON.stringify(object)}`;
  const { metadata } = object;
  return `,"object":${JSON.stringify({ kind: "PartialObjectMetadata", apiVersion, metadata })}`;
}

/** The table of kinds that define none. */
const nameAndAge: TableDefinition = {
  columns: [
    { name: "Name", type: "string", format: "name" },
    { name: "Created At", type: "date" },
  ],
  rows: ({ metadata }) => [[metadata?.name ?? "", metadata?.creationTimestamp ?? ""]],
};

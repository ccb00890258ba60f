// The definition of a resource: where the objects of a kind are served.

export interface ResourceDefinition {
  /** The API group; "" for the core. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The target of a request: a whole collection, the part of it in a namespace, or one object. */
export interface Target {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export function pathOf(definition: ResourceDefinition, target: Target): string {
  const { group, version, plural, namespaced } = definition;
  const { namespace, name, subresource } = target;
  const isPlaced = namespaced && namespace !== undefined;
  if (namespaced && name !== undefined && !namespace) {
    throw new Error(`Cannot reach ${plural} "${name}": its namespace is missing`);
  }
  const parts = [
    ...(group === "" ? ["api"] : ["apis", group]),
    version,
    ...(isPlaced ? ["namespaces", namespace] : []),
    plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

export function apiVersionOf({ group, version }: ResourceDefinition): string {
  return group === "" ? version : `${group}/${version}`;
}

export type QueryValue = string | number | boolean | undefined;

/** The query string, with the question mark unless it is empty. */
export function queryOf(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "" && value !== false) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

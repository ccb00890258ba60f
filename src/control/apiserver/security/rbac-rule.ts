// Rules of roles, and whether one covers a request.
import type { Attributes } from "../access.ts";

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export function covers(rule: PolicyRule, attributes: Attributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if (attributes.resource === "") return coversPath(rule.nonResourceURLs ?? [], attributes.path);
  return (
    includes(rule.apiGroups ?? [], attributes.group) &&
    coversResource(rule.resources ?? [], attributes) &&
    coversName(rule.resourceNames ?? [], attributes)
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function coversResource(resources: readonly string[], attributes: Attributes): boolean {
  const { resource, subresource } = attributes;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  if (includes(resources, full)) return true;
  return subresource !== undefined && resources.includes(`*/${subresource}`);
}

/** Returns whether a rule covers the name; with names it covers no request without one, such as create. */
function coversName(names: readonly string[], attributes: Attributes): boolean {
  return names.length === 0 || (attributes.name !== undefined && names.includes(attributes.name));
}

function coversPath(urls: readonly string[], path: string): boolean {
  return urls.some((url) => (url.endsWith("*") ? path.startsWith(url.slice(0, -1)) : path === url));
}

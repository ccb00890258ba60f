// Compares permissions: which parts of some rules are not covered by others. A part is one verb of one
// resource of one group, perhaps for one name.
import type { PolicyRule } from "./rbac-rule.ts";

/** The most parts that are compared; more would keep the server from its other work. */
const mostParts = 10_000;

/** Returns the missing permissions as Kubernetes words them, sorted; empty when everything is covered. */
export function missingRights(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly string[] {
  const count = wanted.reduce((sum, rule) => sum + partCount(rule), 0);
  if (count > mostParts) {
    return [`${count} combinations of verbs and resources, of which ${mostParts} can be compared`];
  }
  const missing = wanted
    .flatMap(parts)
    .filter((part) => !owned.some((rule) => coversPart(rule, part)));
  return [...new Set(compact(missing).map(text))].toSorted();
}

interface Part {
  readonly verb: string;
  readonly url?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

function partCount(rule: PolicyRule): number {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = Math.max(1, resourceNames.length);
  return verbs.length * (apiGroups.length * resources.length * names + nonResourceURLs.length);
}

function parts(rule: PolicyRule): Part[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ name })) : [{}];
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...name }))),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verb, url }))),
  ];
}

function coversPart(rule: PolicyRule, { verb, url, group, resource, name }: Part): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.includes("*") && !verbs.includes(verb)) return false;
  if (url !== undefined) return nonResourceURLs.some((owned) => coversUrl(owned, url));
  if (group === undefined || resource === undefined) return false;
  return (
    (apiGroups.includes("*") || apiGroups.includes(group)) &&
    coversResource(resources, resource) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes("*") || owned.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`);
}

function coversUrl(owned: string, url: string): boolean {
  return owned === url || (owned.endsWith("*") && url.startsWith(owned.replace(/\*+$/, "")));
}

interface Compact extends Omit<Part, "verb"> {
  readonly verbs: string[];
}

/** Joins the verbs of the same resource. */
function compact(missing: readonly Part[]): Compact[] {
  const compacted = new Map<string, Compact>();
  for (const { verb, ...about } of missing) {
    const key =
      about.url === undefined ? JSON.stringify(about) : JSON.stringify({ verb, ...about });
    const known = compacted.get(key);
    if (known === undefined) compacted.set(key, { ...about, verbs: [verb] });
    else known.verbs.push(verb);
  }
  return [...compacted.values()];
}

function text({ group, resource, url, name, verbs }: Compact): string {
  const field = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`${label}:[${JSON.stringify(value)}]`];
  const quotedVerbs = verbs.map((verb) => JSON.stringify(verb)).join(" ");
  return `{${[
    ...field("APIGroups", group),
    ...field("Resources", resource),
    ...field("NonResourceURLs", url),
    ...field("ResourceNames", name),
    `Verbs:[${quotedVerbs}]`,
  ].join(", ")}}`;
}

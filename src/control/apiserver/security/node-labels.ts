// The labels that a node may set on itself: those that describe it, not those that select it for work.

const own = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
]);
const ownDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const reserved = ["kubernetes.io", "k8s.io"];

type Labels = Readonly<Record<string, string>>;

/** Returns the changed keys that a node may not change, sorted. */
export function forbiddenLabels(before: Labels, after: Labels): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key] && isForbidden(key)).toSorted();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (isIn(domain, "node-restriction.kubernetes.io")) return true;
  if (!reserved.some((each) => isIn(domain, each))) return false;
  return !own.has(key) && !ownDomains.some((each) => isIn(domain, each));
}

function isIn(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

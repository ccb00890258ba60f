// The pods that a check of policies needs: for every selector of the policies one that it selects, and two that
// none selects in particular.

import type { LabelFilter } from "../../../api/selectors/label-selector.ts";
import type { NamedPort, Peer, Policy } from "../../../node/policy/policy.ts";

type Labels = Readonly<Record<string, string>>;

export interface Witness {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
}

export interface WitnessPlan {
  readonly witnesses: readonly Witness[];
  /** The namespaces to make, by name, with the labels that they must have. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** The ports of every witness, for rules that name ports. */
  readonly ports: readonly NamedPort[];
  /** What the check does not try, and why. */
  readonly untried: readonly string[];
}

/** The label of a namespace that only its own name can be the value of. */
const nameLabel = "kubernetes.io/metadata.name";
const mostWitnesses = 12;
/** The first of the ports that are given to names of ports. */
const firstPort = 18_000;

/** Plans the witnesses of one namespace's policies; namespaces that are made begin with the name of `spare`. */
export function planWitnesses(
  policies: readonly Policy[],
  { namespace, spare }: { readonly namespace: string; readonly spare: string },
): WitnessPlan {
  const namespaces = new Map<string, Labels>([[spare, {}]]);
  const untried = new Set<string>();
  const places = new Map<string, Omit<Witness, "name">>();
  const put = (one: Omit<Witness, "name">): void => {
    const key = JSON.stringify([one.namespace, Object.entries(one.labels).map(String).toSorted()]);
    if (places.size < mostWitnesses || places.has(key)) places.set(key, one);
    else untried.add(`more than ${mostWitnesses} kinds of pods`);
  };
  const namespaceFor = (labels: Labels): string => {
    const wanted = JSON.stringify(labels);
    const found = [...namespaces].find(([, have]) => JSON.stringify(have) === wanted);
    if (found !== undefined) return found[0];
    const made = `${spare}-${namespaces.size}`;
    namespaces.set(made, labels);
    return made;
  };
  const select = (policy: string, filter: LabelFilter): Labels | undefined => {
    const labels = labelsFor(filter);
    if (labels === undefined) untried.add(`${policy}: no labels can match "${filter.text}"`);
    return labels;
  };
  const putPeer = (policy: string, peer: Peer): void => {
    if (peer.kind === "nodes") untried.add(`${policy}: nodes`);
    if (peer.kind === "block")
      untried.add(`${policy}: addresses of ${peer.block} that are no pods`);
    if (peer.kind !== "pods") return;
    const labels = select(policy, peer.selection.pods);
    const { namespaces: filter, namespace: own } = peer.selection;
    const of = filter === undefined ? {} : select(policy, filter);
    if (labels === undefined || of === undefined) return;
    const named = own ?? of[nameLabel];
    if (named === undefined) put({ namespace: namespaceFor(of), labels });
    else if (named === namespace) put({ namespace, labels });
    else untried.add(`${policy}: pods in namespace ${named}, which is not ours to put any into`);
  };
  put({ namespace, labels: {} });
  put({ namespace: spare, labels: {} });
  for (const { name, subject } of policies) {
    const labels = select(name, subject.pods);
    if (labels !== undefined) put({ namespace, labels });
  }
  for (const { name, rules } of policies) {
    for (const { peers = [] } of Object.values(rules).flat()) {
      for (const peer of peers) putPeer(name, peer);
    }
  }
  return {
    witnesses: [...places.values()].map((one, index) => ({ ...one, name: `${spare}-${index}` })),
    namespaces,
    ports: namedPorts(policies),
    untried: [...untried],
  };
}

/** Returns labels that a selector matches; undefined when there are none. */
function labelsFor(filter: LabelFilter): Labels | undefined {
  const labels: Record<string, string> = {};
  for (const { key, operator, values } of filter.requirements) {
    if (["=", "==", "in"].includes(operator)) labels[key] = values[0] ?? "";
    else if (operator === "exists") labels[key] ??= "";
  }
  return filter.matchesLabels(labels) ? labels : undefined;
}

function namedPorts(policies: readonly Policy[]): readonly NamedPort[] {
  const rules = policies.flatMap((policy) => Object.values(policy.rules).flat());
  const names = new Map<string, Omit<NamedPort, "port">>();
  for (const match of rules.flatMap(({ ports = [] }) => ports)) {
    if (!("name" in match)) continue;
    const { name, protocol = "tcp" } = match;
    if (!names.has(name)) names.set(name, { name, protocol });
  }
  return [...names.values()].map((one, index) => ({ ...one, port: firstPort + index }));
}

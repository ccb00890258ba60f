// What may reach a pod and what it may reach, and what is denied at present.

import { type ComponentChildren, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { denialsCommand, podRulesCommand, policiesCommand } from "../../model/commands.ts";
import type { DenialCount } from "../../model/denials.ts";
import type { Route } from "../../model/route.ts";
import { ask } from "../connection.ts";
import { useStream } from "../follow.ts";
import { go } from "../navigation.ts";
import { VirtualList } from "../virtual-list.ts";

export interface PoliciesProps {
  readonly cluster: ClusterObjects;
  readonly route: Route;
  readonly namespace: string | undefined;
}

/** The most pods that are offered; any other can be typed. */
const mostOffered = 500;

/** A rule as the server shows it; see `tandem policy show`. */
interface ShownRule {
  readonly direction: string;
  readonly tier: string;
  readonly policy: string;
  readonly rule: string;
  readonly action: string;
  readonly peers: string;
  readonly ports: string;
}

interface Answer {
  readonly rules?: readonly ShownRule[];
  readonly error?: string;
}

export function Policies({ cluster, route, namespace: only }: PoliciesProps): ComponentChildren {
  const { pod = "" } = route.parameters;
  const { policies, pods } = cluster;
  const [namespace, name] = pod.split("/");
  return h(
    "section",
    null,
    h("h1", null, "Policies"),
    h(
      "form",
      { class: "filters", onSubmit: (event: Event) => event.preventDefault() },
      h(
        "datalist",
        { id: "pods" },
        pods
          .map(keyOf)
          .toSorted()
          .slice(0, mostOffered)
          .map((value) => h("option", { key: value, value })),
      ),
      h(
        "label",
        null,
        "pod ",
        h("input", {
          type: "search",
          list: "pods",
          placeholder: "namespace/name",
          value: pod,
          onInput: ({ currentTarget }) =>
            go({ view: "policies", parameters: { pod: currentTarget.value } }),
        }),
      ),
      h(
        "span",
        { role: "status" },
        policies.length === 1 ? "1 network policy" : `${policies.length} network policies`,
      ),
      pods.length > mostOffered &&
        h("small", null, `${mostOffered} of ${pods.length} pods are offered; type any other`),
    ),
    name !== undefined && name !== "" && h(PodRules, { cluster, namespace: namespace ?? "", name }),
    h("h2", null, "Policies"),
    h(VirtualList, {
      label: "network policies",
      count: policies.length,
      heading: ["Name", "Directions", "Pods"].map(heading),
      command: policiesCommand(only),
      row: (index) => policyCells(policies[index]),
    }),
    h("h2", null, "Denied packets"),
    cluster.unread.has("nodes")
      ? h("p", { role: "status" }, "Nodes are not read, so that none can be asked.")
      : h(Denials, null),
  );
}

interface PodName {
  readonly cluster: ClusterObjects;
  readonly namespace: string;
  readonly name: string;
}

/** The rules about one pod, asked for again when policies change. */
function PodRules({ cluster, namespace, name }: PodName): ComponentChildren {
  const { policies, pods } = cluster;
  const isThere = pods.some((pod) => keyOf(pod) === `${namespace}/${name}`);
  const [{ rules, error }, setAnswer] = useState<Answer>({});
  useEffect(() => {
    const stop = new AbortController();
    const query = new URLSearchParams({ namespace, name }).toString();
    if (isThere) {
      ask(`/api/policies?${query}`, { signal: stop.signal })
        .then((response) => response.json())
        .then((answer) => setAnswer(answer as Answer))
        .catch((failure: unknown) => {
          if (!stop.signal.aborted) setAnswer({ error: String(failure) });
        });
    }
    return () => stop.abort();
  }, [namespace, name, policies, isThere]);
  if (!isThere) return h("p", { role: "status" }, `There is no pod ${namespace}/${name} (yet).`);
  if (error !== undefined) return h("p", { role: "status" }, `Cannot tell its rules: ${error}`);
  if (rules === undefined) return h("p", { role: "status" }, "It has no network of its own.");
  return h(VirtualList, {
    label: `rules about ${name}`,
    count: rules.length,
    heading: ["Direction", "Policy", "Rule", "Action", "Peers", "Ports"].map(heading),
    command: podRulesCommand({ namespace, name }),
    isWide: true,
    row: (index) => ruleCells(rules[index]),
  });
}

function ruleCells(shown: ShownRule | undefined): ComponentChildren {
  if (shown === undefined) return null;
  const { direction, policy, rule, action, peers, ports } = shown;
  const isDenied = /^deny/i.test(action);
  const cell = (key: string, text: string): ComponentChildren =>
    h("span", { key, role: "cell", title: text }, text);
  return [
    cell("direction", direction),
    cell("policy", policy),
    cell("rule", rule),
    h(
      "span",
      { key: "action", role: "cell", class: `lamp ${isDenied ? "bad" : "ok"}` },
      `${isDenied ? "✖" : "●"} ${action}`,
    ),
    cell("peers", peers),
    cell("ports", ports),
  ];
}

function policyCells(policy: ClusterObjects["policies"][number] | undefined): ComponentChildren {
  if (policy === undefined) return null;
  const { podSelector, policyTypes = [] } = policy.spec;
  const labels = Object.entries(podSelector?.matchLabels ?? {}).map((pair) => pair.join("="));
  const more = podSelector?.matchExpressions?.length ?? 0;
  const selected = [...labels, ...(more > 0 ? [`${more} expressions`] : [])].join(", ");
  return [
    h("span", { key: 1, role: "cell" }, keyOf(policy)),
    h("span", { key: 2, role: "cell" }, policyTypes.join(", ")),
    h("span", { key: 3, role: "cell" }, selected === "" ? "all" : selected),
  ];
}

function Denials(): ComponentChildren {
  const { mirror } = useStream("/api/denials");
  const { state, reason } = mirror.reading("denials");
  const counts = mirror
    .told("denials")
    .toSorted((a, b) => ((a.lastAt ?? "") < (b.lastAt ?? "") ? 1 : -1) || b.packets - a.packets);
  if (state === "refused") {
    return h("p", { role: "status" }, `You may not read the metrics of nodes: ${reason}`);
  }
  const missing =
    state === "failing" &&
    h("p", { key: "missing", role: "status" }, `Not of all nodes: ${reason}`);
  if (counts.length === 0) return [missing, h("p", null, noCounts[state] ?? "None.")];
  return [missing, h(Counts, { key: "counts", counts })];
}

const noCounts: Readonly<Record<string, string>> = {
  reading: "Reading …",
  failing: "None is known.",
};

function Counts({ counts }: { readonly counts: readonly DenialCount[] }): ComponentChildren {
  return h(VirtualList, {
    label: "denied packets",
    count: counts.length,
    heading: ["Policy", "Direction", "Packets", "New", "Node"].map(heading),
    command: denialsCommand,
    row: (index) => {
      const count = counts[index];
      if (count === undefined) return null;
      const { policy, rule, direction, family, packets, before, node, mode } = count;
      const audited = mode === "audit" ? ", audit only" : "";
      return [
        h("span", { key: 1, role: "cell", title: rule }, `${policy} ${rule}`),
        h("span", { key: 2, role: "cell" }, `${direction}, ${family}${audited}`),
        h("span", { key: 3, role: "cell" }, String(packets)),
        h(
          "span",
          { key: 4, role: "cell", class: packets > before ? "lamp bad" : "" },
          packets > before ? `▲ ${packets - before}` : "0",
        ),
        h("span", { key: 5, role: "cell" }, node),
      ];
    },
  });
}

function heading(title: string): ComponentChildren {
  return h("span", { key: title, role: "columnheader" }, title);
}

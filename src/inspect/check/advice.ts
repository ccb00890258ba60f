// Advice about failed checks: which command to run next.

import { Address } from "../../base/net/address.ts";
import type { WayKind } from "./plan.ts";
import type { Report, Result } from "./results.ts";

export function adviceText({ results, namespace, isKept }: Report): string {
  const failures = results.filter(({ verdict }) => verdict === "failed");
  const basic = failures.filter(({ kind }) => kind === "pod");
  const kinds = Map.groupBy(basic.length > 0 ? basic : failures, ({ kind }) => kind);
  const lines = [...kinds].flatMap(([kind, [example]]) => {
    const trace = example && traceCommand(example, namespace);
    return [hints[kind], ...(isKept && trace !== undefined ? [`  ${trace}`] : [])];
  });
  if (basic.length < failures.length && basic.length > 0) lines.push(first);
  const looks = lines.length === 0 ? [] : ["What to look at next:", ...lines];
  return [...looks, ...(isKept ? kept(namespace) : again(failures))]
    .map((line) => `${line}\n`)
    .join("");
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

const first = "This first: services, names and ports of nodes need it.";

function kept(namespace: string): readonly string[] {
  return [`The pods are kept; 'kubectl delete namespace ${namespace}' removes them.`];
}

/** Advises to keep the pods next time: their addresses are useless for a trace once they are gone. */
function again(failures: readonly Result[]): readonly string[] {
  return failures.length === 0
    ? []
    : [
        "'tandem check --keep' leaves the pods there, and says how 'tandem trace' follows a packet.",
      ];
}

const hints: Readonly<Record<WayKind, string>> = {
  localhost:
    "Containers of a pod: the loopback interface in the pod, and whether the family is switched off there.",
  pod: "Pods: routes between the nodes, and firewalls on them and between them.",
  node: "Nodes: firewalls on the nodes, and their routes back to pods.",
  "cluster-ip":
    "Services: the service proxy on the node that asks; 'tandem proxy show' tells what it made.",
  name: "Names: whether DNS runs ('kubectl get pods -n kube-system'), and whether pods reach it.",
  headless:
    "Names of pods: whether DNS runs ('kubectl get pods -n kube-system'), and the endpoints it goes by.",
  "node-port":
    "Node ports: the service proxy on the node that is asked, and firewalls in front of it.",
  "host-port":
    "Host ports: the portmap plugin on the node that is asked, and firewalls in front of it.",
  "external-ip": "External IPs: the service proxy on the node that asks.",
  "load-balancer": "Load balancers: who announces the address ('tandem describe service').",
  ingress: "Ingress: whether the controller of its class runs, and listens on that family.",
  outside:
    "Outside: the default route of the node, masquerading of pods, and whether it has the family at all.",
};

function traceCommand(
  { from, target, family, protocol }: Result,
  namespace: string,
): string | undefined {
  if (target === undefined || from.kind === "here") return undefined;
  // A trace needs an address, and loopback traffic within a pod passes no rules.
  const address = Address.tryParse(target.host);
  if (address === undefined || address.isLoopback) return undefined;
  const sender = from.kind === "node" ? `node/${from.node}` : `pod/${namespace}/${from.pod}`;
  const flags = `--family ${family} --protocol ${protocol === "udp" ? "udp" : "tcp"}`;
  return `tandem trace ${sender} '${authority(target)}' ${flags}`;
}

import { defineCommand } from "../base/command-line/command.ts";
import { families } from "../base/net/family.ts";
import { hostPort } from "../base/program/network-option-types.ts";
import {
  boolean,
  duration,
  integer,
  listOf,
  oneOf,
  scalar,
  text,
} from "../base/program/option-types.ts";
import { formatDocument, outputOption } from "../base/program/output.ts";
import type { Outside } from "../inspect/check/check.ts";
import { echoImage } from "../inspect/check/check.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Check with real packets who reaches whom in a cluster: pods, nodes, services, names and ports, " +
    "over IPv4 and IPv6, by HTTP and UDP, and that pods see each other's own addresses. Prints a " +
    "grid, and for what does not work what to look at next.\n\n" +
    "Works on any Kubernetes cluster. Pods that ask and answer are put into a namespace of their " +
    "own, which is removed at the end, also on Ctrl-C.\n\n" +
    "Exits with 1 if something does not work.",
  examples: [
    { does: "Check the cluster on this machine, or that of KUBECONFIG", command: "tandem check" },
    {
      does: "Check three nodes, over IPv6 only, for a program to read",
      command: "tandem check --nodes node-1,node-2,node-3 --family IPv6 --output json",
    },
    {
      does: "Check also load balancers, ingress, and the way to a server outside",
      command:
        "tandem check --load-balancer --ingress-class nginx --outside http://203.0.113.10:8080",
    },
    {
      does: "Check that the network policies of a namespace hold as they say",
      command: "tandem check --policies shop",
    },
    {
      does: "Check a cluster that does not have Tandem's own image",
      command: "tandem check --context production --image registry.example/echo:1",
    },
  ],
  options: {
    ...kubeconfigOptions,
    namespace: {
      type: text("NAME"),
      short: "n",
      env: false,
      help: "The namespace to make, use and remove; a name of its own if not set.",
    },
    image: {
      type: text("IMAGE"),
      default: echoImage,
      env: false,
      help: "The image of the pods; its entrypoint is tandem-echo, which is also on its path.",
    },
    nodes: {
      type: listOf(text("NODE")),
      env: false,
      help: "The nodes to check; the first two that take pods if not set.",
    },
    family: {
      type: listOf(oneOf(families)),
      env: false,
      help: "The families to check, which pods must have; every one that pods have if not set.",
    },
    outside: {
      type: listOf(outsideType()),
      default: "",
      env: false,
      help: "Servers outside of the cluster that pods are to reach: any at http://, tandem-echo at udp:// or without either.",
    },
    loadBalancer: {
      type: boolean(),
      default: false,
      env: false,
      help: "Check a service of type LoadBalancer, too.",
    },
    ingressClass: {
      type: text("NAME"),
      env: false,
      help: "Check an Ingress of this class, too.",
    },
    fromHere: {
      type: boolean(),
      default: false,
      env: false,
      help: "Ask ports of nodes, load balancers and ingress from this machine, too.",
    },
    hostPort: {
      type: integer({ min: 1, max: 65_533, placeholder: "PORT" }),
      default: "28080",
      env: false,
      help: "The port of nodes that the pods take; they take the next two, too.",
    },
    keep: {
      type: boolean(),
      default: false,
      env: false,
      help: "Leave the namespace there, to look into what failed.",
    },
    timeout: {
      type: duration(),
      default: "60s",
      env: false,
      help: "How long the pods, and whatever is asked for, may take to be ready.",
    },
    answerTimeout: {
      type: duration(),
      default: "2s",
      env: false,
      help: "How long to wait for an answer.",
    },
    policies: {
      type: text("NAMESPACE"),
      env: false,
      help: "Check the network policies of this namespace instead: packets between pods that they select and others pass, or do not, as they say.",
    },
    ...outputOption(["text", "json", "yaml"]),
  },
  async run({ options, env, stdout, stderr, signal }) {
    const { runCheck, checkPolicies } = await import("../programs/check/check.ts");
    const { policies } = options;
    if (policies !== undefined) {
      const report = await checkPolicies({ ...options, policies }, { env, stderr, signal });
      const { policyReportText } = await import("../inspect/check/check.ts");
      const isText = options.output === "text";
      stdout.write(
        isText ? policyReportText(report) : await formatDocument(report, options.output),
      );
      return report.failed === 0 ? 0 : 1;
    }
    const report = await runCheck(options, { env, stderr, signal });
    const { output } = options;
    if (output === "text") {
      const { reportText } = await import("../inspect/check/check.ts");
      stdout.write(reportText(report));
    } else {
      stdout.write(await formatDocument(report, output));
    }
    return report.failed === 0 ? 0 : 1;
  },
});

/** Parses an outside target; without a protocol it is an echo server of ours, which answers HTTP and UDP. */
function outsideType() {
  const place = hostPort({ port: 80 });
  return scalar<Outside>({
    placeholder: "[http://|udp://]HOST[:PORT]",
    parse(value) {
      const [, scheme, rest = ""] = /^(?:(http|udp):\/\/)?(.*?)\/?$/.exec(value) ?? [];
      const protocol = scheme === "http" || scheme === "udp" ? scheme : undefined;
      return { ...place.parse([rest]), protocol };
    },
  });
}

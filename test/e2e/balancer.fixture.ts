// A LAN with an API server, nodes that announce load balancers and proxy services, and a host outside.

import { after, before, describe } from "node:test";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { systemSysctl } from "../../src/base/host/sysctl.system.ts";
import { Address } from "../../src/base/net/address.ts";
import { type Family, families } from "../../src/base/net/family.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import { holderOf } from "../../src/edge/balancer/announce/placement.ts";
import { kubeconfigAs } from "../fixtures/kubeconfig-as.ts";
import { type LanHost, openLan } from "../fixtures/lan.ts";
import { backendPort, nodeObject, sliceObject } from "./balancer-objects.fixture.ts";
import { backendProgram, LanPrograms, program } from "./lan-programs.fixture.ts";

const networks = ["192.168.78.0/24", "fd00:78::/64"].map((text) => Prefix.parse(text));

export class BalancerNode {
  readonly host: LanHost;
  readonly addresses: Readonly<Record<Family, string>>;
  announcer: RunningCommand | undefined;

  constructor(host: LanHost, addresses: Readonly<Record<Family, string>>) {
    this.host = host;
    this.addresses = addresses;
  }

  get name(): string {
    return this.host.name;
  }

  /** Whether the node's link has the address. */
  async has(address: string): Promise<boolean> {
    const { stdout } = await this.host.commands.run(["ip", "-o", "address", "show", "dev", "eth0"]);
    return stdout.includes(` ${address}/`);
  }
}

export interface BalancerLab extends AsyncDisposable {
  readonly nodes: readonly BalancerNode[];
  readonly outside: LanHost;
  readonly output: readonly string[];
  kubectl(args: readonly string[], stdin?: object): Promise<string>;
  startAnnouncer(node: BalancerNode): Promise<void>;
  startServer(): Promise<void>;
  stopServer(): Promise<void>;
  /** Creates a LoadBalancer service with endpoints on these nodes. Returns its addresses. */
  balance(
    name: string,
    options: {
      readonly nodes: readonly BalancerNode[];
      readonly policy?: "Cluster" | "Local";
      readonly families?: readonly Family[];
    },
  ): Promise<Readonly<Record<Family, string>>>;
  /** Returns the name of the backend that answers at an address; empty if none does. */
  ask(address: string, port?: number): Promise<string>;
  /** Resolves when a backend answers at the address. */
  answers(address: string, port?: number): Promise<void>;
  /** Returns the node to which the outside host sends packets for an address, by its neighbour table. */
  leadsTo(address: string): Promise<BalancerNode | undefined>;
  /** Returns the only node that has the address. */
  holder(address: string, except?: BalancerNode): Promise<BalancerNode>;
  /**
   * Returns the node that has the addresses of a service, once no other has them and nothing moves any
   * more.
   */
  settled(service: string, addresses: Readonly<Record<Family, string>>): Promise<BalancerNode>;
  until(isSo: () => Promise<boolean>, what: string): Promise<void>;
}

/** Defines tests on a LAN with so many nodes; `given.lab` is set when they run. */
export function describeBalancers(
  name: string,
  count: number,
  define: (given: { readonly lab: BalancerLab }) => void,
): void {
  describe(name, () => {
    let lab: BalancerLab | undefined;
    before(async () => {
      lab = await openBalancerLab(count);
    });
    after(async () => await lab?.[Symbol.asyncDispose]());
    define({
      get lab() {
        if (lab === undefined) throw new Error("Cannot use the laboratory: it is not open yet");
        return lab;
      },
    });
  });
}

export async function openBalancerLab(count = 3): Promise<BalancerLab> {
  const scope = new AsyncDisposableStack();
  try {
    return await open(scope, count);
  } catch (error) {
    await scope.disposeAsync();
    throw error;
  }
}

async function open(scope: AsyncDisposableStack, count: number): Promise<BalancerLab> {
  const lan = scope.use(await openLan());
  const api = await lan.join("api", ["192.168.78.2/24", "fd00:78::2/64"]);
  const outside = await lan.join("outside", ["192.168.78.9/24", "fd00:78::9/64"]);
  const programs = scope.use(await LanPrograms.open(lan, api));
  const { output, kubeconfig } = programs;
  const until: BalancerLab["until"] = (isSo, what) => programs.until(isSo, what);
  const kubectl: BalancerLab["kubectl"] = (words, stdin) => programs.kubectl(words, stdin);
  let server: RunningCommand;
  const startServer = async () => {
    // The node lifecycle controller is off, since no agent reports the state of nodes.
    server = await programs.startServer("192.168.78.2", ["--controllers=*,-node-lifecycle"]);
  };
  await startServer();
  await kubectl(["create", "-f", "-"], {
    apiVersion: "tandem.internal/v1",
    kind: "AddressPool",
    metadata: { name: "lan" },
    spec: { addresses: ["192.168.78.100-192.168.78.120", "fd00:78::100-fd00:78::120"] },
  });

  const nodes: BalancerNode[] = [];
  const startAnnouncer = async (node: BalancerNode) => {
    // The announcer acts as the node, like the agent, which has no further rights.
    const user = { as: `system:node:${node.name}`, "as-groups": ["system:nodes"] };
    const words = [`--kubeconfig=${await kubeconfigAs(kubeconfig, user)}`, `--node=${node.name}`];
    node.announcer = await programs.start(node.host, [program, "balancer", "announce", ...words]);
    const lease = ["get", "lease", `${node.name}.announcer.tandem.internal`];
    const isHeard = async () =>
      (await kubectl([...lease, "-n", "kube-node-lease", "--ignore-not-found"])) !== "";
    await until(isHeard, `${node.name} does not announce`);
  };
  for (let n = 1; n <= count; n++) {
    const addresses = { IPv4: `192.168.78.${10 + n}`, IPv6: `fd00:78::${10 + n}` };
    const host = await lan.join(`node-${n}`, [`${addresses.IPv4}/24`, `${addresses.IPv6}/64`]);
    await systemSysctl(host.commands).write({
      "net/ipv4/ip_forward": 1,
      "net/ipv6/conf/all/forwarding": 1,
    });
    const node = new BalancerNode(host, addresses);
    nodes.push(node);
    await kubectl(["create", "-f", "-"], nodeObject(node));
    await kubectl(
      ["replace", "--raw", `/api/v1/nodes/${node.name}/status`, "-f", "-"],
      nodeObject(node),
    );
    const backend = [process.execPath, backendProgram, node.name, String(backendPort)];
    await programs.start(host, backend, "listening");
    const proxied = [`--kubeconfig=${kubeconfig}`, `--node=${node.name}`];
    await programs.start(host, [program, "proxy", "run", ...proxied]);
    await startAnnouncer(node);
  }

  return {
    nodes,
    outside,
    output,
    kubectl,
    until,
    startAnnouncer,
    startServer,
    async stopServer() {
      await server.stop();
    },
    async balance(name, { nodes: behind, policy = "Cluster", families: wanted = families }) {
      const metadata = { name, namespace: "default" };
      await kubectl(["apply", "-f", "-"], {
        apiVersion: "v1",
        kind: "Service",
        metadata,
        spec: {
          type: "LoadBalancer",
          ipFamilyPolicy: wanted.length > 1 ? "RequireDualStack" : "SingleStack",
          ipFamilies: wanted,
          externalTrafficPolicy: policy,
          ports: [{ name: "http", port: 80, targetPort: backendPort }],
        },
      });
      for (const family of wanted) {
        await kubectl(["apply", "-f", "-"], sliceObject(name, family, behind));
      }
      const path = "jsonpath={.status.loadBalancer.ingress[*].ip}";
      let found: string[] = [];
      await until(async () => {
        found = (await kubectl(["get", "service", name, "-o", path])).trim().split(" ");
        return found.length === wanted.length && found[0] !== "";
      }, `${name} has no addresses`);
      const of = (family: Family) => found[wanted.indexOf(family)] ?? "";
      return { IPv4: of("IPv4"), IPv6: of("IPv6") };
    },
    ask: (address, port = 80) => ask(outside, address, port),
    answers: (address, port = 80) =>
      until(async () => (await ask(outside, address, port)) !== "", `${address} does not answer`),
    async leadsTo(address) {
      const known = await Promise.all(families.map((family) => outside.ip.neighbours(family)));
      const mac = known.flat().find((each) => each.address.toString() === address)?.mac;
      const links = await Promise.all(nodes.map(({ host }) => host.ip.links()));
      return nodes.find((_, n) =>
        links[n]?.some((link) => link.name === "eth0" && link.mac === mac),
      );
    },
    async holder(address, except) {
      let holders: BalancerNode[] = [];
      await until(async () => {
        const asked = nodes.filter((node) => node !== except);
        const answers = await Promise.all(asked.map((node) => node.has(address)));
        holders = asked.filter((_, n) => answers[n]);
        return holders.length === 1;
      }, `${address} is not on one node`);
      const [only] = holders;
      if (only === undefined) throw new Error("Cannot find the holder: there is none");
      return only;
    },
    async settled(service, addresses) {
      const address = Address.parse(addresses.IPv4);
      const services = [{ key: `default/${service}`, nodes: undefined }];
      const candidates = nodes.map((node) => ({ node: node.name, networks }));
      const rightful = nodes.find(
        ({ name }) => name === holderOf({ address, services }, candidates),
      );
      if (rightful === undefined)
        throw new Error(`Cannot find who is to have ${address}: nobody is`);
      await until(async () => {
        // A node that was cut off settles first: its lease names addresses it keeps, and it soon takes
        // more.
        const leases = await kubectl(["get", "leases", "-n", "kube-node-lease", "-o", "yaml"]);
        if (leases.includes("tandem.internal/announcer-keeps")) return false;
        const isRight = nodes.flatMap((node) =>
          families.map(async (each) => (await node.has(addresses[each])) === (node === rightful)),
        );
        return (await Promise.all(isRight)).every(Boolean);
      }, `${service} is not at ${rightful.name} alone`);
      return rightful;
    },
    async [Symbol.asyncDispose]() {
      await scope.disposeAsync();
    },
  };
}

async function ask(host: LanHost, address: string, port: number): Promise<string> {
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
  try {
    const { stdout } = await host.commands.run(["curl", "-sS", "-m", "0.5", url]);
    return (JSON.parse(stdout) as { backend: string }).backend;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode !== undefined) return "";
    throw error;
  }
}

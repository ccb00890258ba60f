// `tandem policy run` as a program of its own: the pods' network is made by the distribution's CNI plugins,
// and no agent is anywhere.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { NetworkPolicy } from "../../src/api/types/networking.ts";
import type { Commands, RunningCommand } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { addressesOf } from "../../src/node/network/cni/attached.ts";
import { parseNetwork } from "../../src/node/network/cni/configuration.ts";
import { type CniNode, openCniSandbox } from "./cni.fixture.ts";
import { LanPrograms, program } from "./lan-programs.fixture.ts";
import { node as nodeProgram } from "./policy.fixture.ts";
import type { ProbeRow } from "./policy-prober.ts";

const prober = join(import.meta.dirname, "policy-prober.ts");
const echo = join(import.meta.dirname, "../../build/tandem-echo");
const nodeName = "alone";
const openNode = await openCniSandbox();

/** What others have in the kernel. */
const foreignTable = `table inet foreign {
  set known { type ipv4_addr ; elements = { 192.0.2.1 } ; }
  chain forward { type filter hook forward priority 10 ; policy accept ; ip saddr @known drop ; }
}
`;

/** `near` and `client` are on one bridge; packets to `far` are routed. */
const places = [
  { name: "client", network: "bridge", ranges: ["10.66.0.0/24", "fd66::/64"] },
  { name: "near", network: "bridge", ranges: ["10.66.0.0/24", "fd66::/64"] },
  { name: "far", network: "ptp", ranges: ["10.67.0.0/24", "fd67::/64"] },
] as const;

const servers = ["near", "far"] as const;
type Place = (typeof places)[number]["name"];
type Protocol = ProbeRow["protocol"];

interface PodInNetwork {
  readonly commands: Commands;
  readonly addresses: readonly string[];
}

describe("policies beside a network and an API server of others", { timeout: 300_000 }, () => {
  const opened = new AsyncDisposableStack();
  const pods = new Map<Place, PodInNetwork>();
  let machine: CniNode;
  let programs: LanPrograms;
  let running: RunningCommand;
  let foreignAtFirst = "";

  const run = async (): Promise<void> => {
    const words = [`--kubeconfig=${programs.kubeconfig}`, `--node=${nodeName}`];
    running = await programs.start(machine, [program, "policy", "run", ...words], "keeping");
    await programs.until(isAlive, "policies are not in the kernel");
  };
  const isAlive = async (): Promise<boolean> => {
    try {
      const url = "http://127.0.0.1:10247/livez";
      await machine.commands.run(["curl", "--silent", "--fail", url]);
      return true;
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
  };
  const apply = (...items: readonly object[]) =>
    programs.kubectl(["apply", "-f", "-"], { apiVersion: "v1", kind: "List", items });
  /** What becomes of a protocol from `client` to the others, in both families. */
  const answers = async (protocol: Protocol): Promise<Answers> => {
    const rows = servers.flatMap((server) =>
      podNamed(server).addresses.map((address) => ({ address, port: 8080, protocol })),
    );
    const stdin = JSON.stringify(rows);
    const { stdout } = await podNamed("client").commands.run([nodeProgram, prober], { stdin });
    const found = JSON.parse(stdout) as readonly boolean[];
    return { near: found.slice(0, 2), far: found.slice(2) };
  };
  const podNamed = (name: Place): PodInNetwork => {
    const found = pods.get(name);
    assert.ok(found !== undefined);
    return found;
  };
  /** Policies take a moment. */
  const expect = async (protocol: Protocol, wanted: Answers): Promise<void> => {
    let found: Answers | undefined;
    for (let attempt = 0; attempt < 40; attempt++) {
      found = await answers(protocol);
      if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    }
    assert.deepEqual(found, wanted, programs.output.join("\n"));
  };
  const tables = async (): Promise<readonly string[]> => {
    const { stdout } = await machine.commands.run(["nft", "list", "tables"]);
    return stdout.trim().split("\n").toSorted();
  };
  const foreign = async (): Promise<string> => {
    const words = ["nft", "--stateless", "list", "table", "inet", "foreign"];
    return (await machine.commands.run(words)).stdout;
  };

  before(async () => {
    machine = await openNode(nodeName);
    await machine.commands.run(["nft", "-f", "-"], { stdin: foreignTable });
    foreignAtFirst = await foreign();
    // As they are where nobody has thought of policies.
    await hideBridgedPackets(machine.commands);
    programs = opened.use(await LanPrograms.open({ scratch: machine.directory }, machine));
    for (const place of places) pods.set(place.name, await attach(machine, place));
    for (const name of servers) {
      const place = { name, commands: podNamed(name).commands };
      await programs.start(place, [echo, "serve", "--http-port=8080", "--udp-port=8080"]);
    }
    await programs.startServer("127.0.0.1");
    await apply({ apiVersion: "v1", kind: "Node", metadata: { name: nodeName } });
    for (const [name, { addresses }] of pods) {
      await apply(podObject(name));
      const status = { phase: "Running", podIPs: addresses.map((ip) => ({ ip })) };
      const patch = JSON.stringify({ status });
      const words = ["--subresource=status", "--type=merge", `--patch=${patch}`];
      await programs.kubectl(["patch", "pod", name, ...words]);
    }
    await expect("tcp", everything);
    await expect("udp", everything);
  });
  after(() => opened.disposeAsync());

  test("[POL-8] a default deny denies what is bridged and what is routed, in both families", async () => {
    await apply(defaultDeny);
    await run();
    assert.deepEqual(await answers("tcp"), nothing);
    assert.deepEqual(await answers("udp"), nothing);
  });

  test("[POL-8] a rule lets pass what it names, and no more", async () => {
    await apply(allowed("near", "TCP"));
    await expect("tcp", { ...nothing, near: [true, true] });
    assert.deepEqual(await answers("udp"), nothing);
  });

  test("[POL-8] [POL-5] rules stay when it ends, and follow the API again when it is back", async () => {
    await running.stop();
    assert.deepEqual(await answers("tcp"), { ...nothing, near: [true, true] });
    await apply(allowed("far", "UDP"));
    assert.deepEqual(await answers("udp"), nothing);
    await run();
    assert.deepEqual(await answers("udp"), { ...nothing, far: [true, true] });
    assert.deepEqual(await answers("tcp"), { ...nothing, near: [true, true] });
  });

  test("[POL-8] cleanup takes the rules away, whether there are any or not, and nothing else", async () => {
    await running.stop();
    const kept = "table inet foreign";
    assert.deepEqual(await tables(), [kept, "table ip tandem-policy", "table ip6 tandem-policy"]);
    for (let time = 0; time < 2; time++) {
      await machine.commands.run([program, "policy", "cleanup"]);
      assert.deepEqual(await tables(), [kept]);
      assert.equal(await foreign(), foreignAtFirst);
    }
    assert.deepEqual(await answers("tcp"), everything);
    assert.deepEqual(await answers("udp"), everything);
  });
});

type Answers = Readonly<Record<(typeof servers)[number], readonly boolean[]>>;

const everything: Answers = { near: [true, true], far: [true, true] };
const nothing: Answers = { near: [false, false], far: [false, false] };

const defaultDeny = policy("default-deny", { podSelector: {}, policyTypes: ["Ingress"] });

function allowed(server: (typeof servers)[number], protocol: "TCP" | "UDP") {
  const from = [{ podSelector: { matchLabels: { app: "client" } } }];
  return policy(`to-${server}`, {
    podSelector: { matchLabels: { app: server } },
    ingress: [{ from, ports: [{ port: 8080, protocol }] }],
    policyTypes: ["Ingress"],
  });
}

function policy(name: string, spec: NetworkPolicy["spec"]) {
  const apiVersion = "networking.k8s.io/v1";
  return { apiVersion, kind: "NetworkPolicy", metadata: { name, namespace: "default" }, spec };
}

function podObject(name: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: { nodeName, containers: [{ name: "main", image: "example.test/echo" }] },
  };
}

async function attach(
  machine: CniNode,
  { name, network, ranges }: (typeof places)[number],
): Promise<PodInNetwork> {
  const { attachment, commands } = await machine.pod(name);
  const bridge = { bridge: "cbr0", isGateway: true };
  const plugin = {
    type: network,
    ...(network === "bridge" && bridge),
    ipam: {
      ...machine.ipam("host-local", ranges),
      routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
    },
  };
  const configuration = { cniVersion: "1.0.0", name: network, plugins: [plugin] };
  const result = await machine
    .runtime()
    .add(parseNetwork(configuration, { where: "test" }), attachment);
  const addresses = addressesOf(result).map(({ address }) => address.toString());
  assert.equal(addresses.length, 2);
  return { commands, addresses };
}

async function hideBridgedPackets(commands: Commands): Promise<void> {
  const keys = ["iptables", "ip6tables"].map((which) => `net.bridge.bridge-nf-call-${which}=0`);
  await commands.run(["sysctl", "--quiet", "--write", ...keys]);
}

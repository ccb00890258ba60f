// A node in a namespace with two pods of its network, one of which sends frames as it likes; what the other one
// hears is written down.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/api/client/client.ts";
import type { Pod } from "../../src/api/types/core.ts";
import type { Commands } from "../../src/base/host/command.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemNft } from "../../src/base/host/nft.system.ts";
import { systemSysctl } from "../../src/base/host/sysctl.system.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import { createLog } from "../../src/base/program/log.ts";
import { gatewayOf } from "../../src/node/network/links/bridge.ts";
import { defaultConflist } from "../../src/node/network/links/conflist.ts";
import { type CniPodNetwork, openCniPodNetwork } from "../../src/node/network/pod-network.ts";
import type { Sandbox } from "../e2e/host/sandbox.ts";
import { datagram, type Frame, frameBytes } from "./frames.ts";

export const podCidrs = [Prefix.parse("10.77.0.0/24"), Prefix.parse("fd00:77::/64")];
export const gateways = podCidrs.map(gatewayOf);
const plugins = "/usr/lib/cni";
const patienceMs = 30_000;

export interface Neighbour {
  readonly commands: Commands;
  readonly sandbox: string;
  readonly mac: string;
  /** The MAC address of the node's side, to which packets for others go. */
  readonly router: string;
  readonly ipv4: string;
  readonly ipv6: string;
  readonly addresses: readonly string[];
}

export interface Neighbourhood {
  readonly pods: CniPodNetwork;
  /** Runs commands on the node. */
  readonly node: Commands;
  readonly nft: ReturnType<typeof systemNft>;
  readonly hostile: Neighbour;
  readonly victim: Neighbour;
  /** Sends frames as the hostile pod; returns those marks that the victim has heard. */
  heardOf(frames: ReadonlyMap<string, Frame>): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openNeighbourhood(
  sandbox: Sandbox,
  network: "bridge" | "ptp",
): Promise<Neighbourhood> {
  const { commands } = await sandbox.enter(network);
  const directory = join(sandbox.scratch, network);
  const settings = { "net/ipv4/ip_forward": 1, "net/ipv6/conf/all/forwarding": 1 };
  await systemSysctl(commands).write({ ...settings, "net/ipv6/conf/default/accept_dad": 0 });
  const pods = await openPods(commands, directory, network);
  const start = (name: string) => startPod(sandbox, { pods, name, node: commands });
  const [hostile, victim] = [await start(`${network}-hostile`), await start(`${network}-victim`)];
  const file = join(directory, "heard");
  const listener = await victim.commands.start(
    ["socat", "-u", "INTERFACE:eth0", `CREATE:${file}`],
    { diesWithParent: true },
  );
  const send = async (frame: Frame) => {
    await writeFile(join(directory, "frame"), frameBytes(frame));
    await hostile.commands.run(["socat", "-u", `OPEN:${directory}/frame`, "INTERFACE:eth0"]);
  };
  const hears = async (mark: string) => {
    const deadline = Date.now() + patienceMs;
    const { mac: from, router: to, ipv4: source } = hostile;
    for (;;) {
      await send({ ...datagram({ from, source, target: victim.ipv4, mark }), to });
      for (let tries = 0; tries < 10; tries++) {
        if ((await readFile(file).catch(() => "")).includes(mark)) return;
        await sleep(20);
      }
      if (Date.now() > deadline) throw new Error("the victim does not hear honest packets");
    }
  };
  return {
    pods,
    node: commands,
    nft: systemNft(commands),
    hostile,
    victim,
    async heardOf(frames) {
      await hears(randomUUID().slice(0, 20));
      for (const frame of frames.values()) await send(frame);
      // What was sent before the last frame has come when that one has, or does not come.
      await hears(randomUUID().slice(0, 20));
      const heard = await readFile(file);
      return [...frames.keys()].filter((mark) => heard.includes(mark));
    },
    async close() {
      await listener.stop();
    },
  };
}

async function openPods(
  commands: Commands,
  directory: string,
  network: "bridge" | "ptp",
): Promise<CniPodNetwork> {
  const confDirectory = join(directory, "net.d");
  await mkdir(confDirectory, { recursive: true });
  const conflist = defaultConflist({
    network,
    ipam: "host-local",
    podCidrs,
    mtu: 1500,
    reservations: join(directory, "reservations"),
    kubeconfig: "",
    node: "node",
  });
  await writeFile(join(confDirectory, "10.conflist"), JSON.stringify(conflist));
  return openCniPodNetwork({
    client: {} as Client,
    commands,
    files: systemFiles,
    log: createLog({ write: (line) => process.stderr.write(line), format: "text" }),
    confDirectory,
    binDirectories: [plugins],
    cacheDirectory: join(directory, "cache"),
    ipam: { dataDirectory: directory, kubeconfig: "", node: "node", ownDirectory: directory },
  });
}

async function startPod(
  sandbox: Sandbox,
  { pods, name, node }: { pods: CniPodNetwork; name: string; node: Commands },
): Promise<Neighbour> {
  const { path, commands } = await sandbox.enter(name);
  const metadata = { namespace: "default", name, uid: name };
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } };
  const given = await pods.attach({ pod, sandbox: name, namespace: path });
  const addresses = given.map(({ address }) => address.toString());
  const { stdout } = await commands.run(["ip", "-json", "link", "show", "eth0"]);
  const [link] = JSON.parse(stdout) as [{ address: string; link_index: number }];
  const links = JSON.parse((await node.run(["ip", "-json", "link"])).stdout) as {
    ifindex: number;
    ifname: string;
    address: string;
  }[];
  const isRouter = ({ ifindex, ifname }: (typeof links)[number]) =>
    links.some((one) => one.ifname === "cbr0") ? ifname === "cbr0" : ifindex === link.link_index;
  return {
    commands,
    sandbox: name,
    mac: link.address,
    router: links.find(isRouter)?.address ?? "",
    ipv4: addresses.find((one) => !one.includes(":")) ?? "",
    ipv6: addresses.find((one) => one.includes(":")) ?? "",
    addresses,
  };
}

// Calls of the real IPAM plugin, on its datastore in etcd.

import { etcdDatastore } from "../../../src/node/ipam/datastore/etcd/etcd.ts";
import { run } from "../../../src/node/ipam/run.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";

export interface Caller {
  readonly world: World;
  readonly process: Process;
  readonly node: string;
}

/** The pod for which the plugin is called; each of its lives has another uid. */
interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

const network = JSON.stringify({
  cniVersion: "1.1.0",
  name: "pods",
  type: "bridge",
  ipam: {
    type: "tandem-ipam",
    datastore: "etcd",
    etcd_host: "etcd:2379",
    log_level: "panic",
    ipRanges: [{ range: "10.244.0.0/27" }, { range: "fd00:244::/120" }],
  },
});

/** A machine whose pods come and go, without any API. */
export function ipamCaller(world: World, node: string) {
  return async (process: Process): Promise<void> => {
    const { simulation } = world;
    while (world.isTroubled) {
      await process.clock.sleep(500 - (simulation.now % 500));
      const name = `${node}-pod-${simulation.draw(0, 4)}`;
      const owner = { namespace: "default", name, uid: `${name}-${simulation.draw(0, 2)}` };
      await callIpam({ world, process, node }, simulation.chance(0.7) ? "ADD" : "DEL", owner);
    }
  };
}

/** Calls the IPAM plugin; the addresses, or undefined when it failed and has to be called again. */
export async function callIpam(
  { world, process, node }: Caller,
  command: "ADD" | "DEL",
  { namespace, name, uid = "" }: Owner,
): Promise<{ ip: string }[] | undefined> {
  const { planted } = world;
  const own = world.etcdClientOf(process);
  const client = planted.ipamClient?.(own) ?? own;
  const { output, failed } = await run(
    {
      node,
      variables: {
        CNI_COMMAND: command,
        CNI_CONTAINERID: uid,
        CNI_IFNAME: "eth0",
        CNI_NETNS: "/run/netns/none",
        CNI_ARGS: `K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name}`,
      },
      input: network,
    },
    {
      now: () => process.clock.now(),
      writeLog: () => undefined,
      open: async () => {
        const datastore = etcdDatastore(client, { random: process.random });
        return planted.datastore?.(datastore) ?? datastore;
      },
    },
  );
  if (failed) return undefined;
  const { ips = [] } = (output === "" ? {} : JSON.parse(output)) as { ips?: { address: string }[] };
  return ips.map(({ address }) => ({ ip: address.replace(/\/.*/, "") }));
}

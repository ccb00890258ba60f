// A node provider of one's own: machines, their addresses and their pod CIDRs stand in an inventory,
// and routes go into a table beside it, as a data centre's router would have them.
//
//   tandem server --controllers '*,-node-ipam,-node-addresses,-node-routes'
//   node examples/inventory-provider.ts ./inventory.json ./kubeconfig
//
// The inventory is a file:
//
//   {
//     "clusterCidrs": ["10.20.0.0/16", "fd00:10:20::/56"],
//     "machines": {
//       "rack1": {
//         "addresses": ["192.0.2.1", "2001:db8::1"],
//         "podCidrs": ["10.20.1.0/24", "fd00:10:20:1::/64"]
//       }
//     },
//     "routes": []
//   }

import { readFile, rename, writeFile } from "node:fs/promises";
import type { Node } from "../src/api/types/core.ts";
import { Address } from "../src/base/net/address.ts";
import { Prefix } from "../src/base/net/prefix.ts";
import { stopOnSignals } from "../src/base/program/signals.ts";
import { nodeControllers } from "../src/control/controllers/nodes/controllers.ts";
import {
  NoCidrLeftError,
  type NodeProvider,
  type Route,
  type RouteTable,
} from "../src/control/controllers/nodes/provider.ts";
import { runControllers } from "../src/control/controllers/run.ts";
import { connectByKubeconfig, type Surroundings } from "./connect.ts";

export interface Inventory {
  readonly clusterCidrs: readonly string[];
  readonly machines: Readonly<Record<string, Machine>>;
  readonly routes: readonly WrittenRoute[];
}

interface Machine {
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
}

interface WrittenRoute {
  readonly node: string;
  readonly destination: string;
  readonly gateways: readonly string[];
}

export async function runInventoryProvider(
  file: string,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { clusterCidrs } = await readInventory(file);
  const entries = nodeControllers({
    openProvider: () => inventoryProvider(file),
    clusterCidrs: clusterCidrs.map(Prefix.parse),
  });
  const ours = entries.filter(({ name }) => provided.includes(name));
  await runControllers(ours, surroundings, signal);
}

const provided = ["node-ipam", "node-addresses", "node-routes"];

function inventoryProvider(file: string): NodeProvider {
  const machineOf = async ({ metadata }: Node): Promise<Machine | undefined> =>
    (await readInventory(file)).machines[metadata.name];
  return {
    name: "inventory",
    async podCidrs(node) {
      const machine = await machineOf(node);
      if (machine !== undefined) return machine.podCidrs.map(Prefix.parse);
      const { name } = node.metadata;
      throw new NoCidrLeftError(`Cannot give ${name} a pod CIDR: it is not in the inventory`);
    },
    // The inventory is kept by people.
    releaseGone: () => Promise.resolve(false),
    async addresses(node) {
      const machine = await machineOf(node);
      return (machine?.addresses ?? []).map((address) => ({ type: "InternalIP", address }));
    },
    routes: routeTable(file),
  };
}

function routeTable(file: string): RouteTable {
  const change = async (to: (routes: readonly WrittenRoute[]) => readonly WrittenRoute[]) => {
    const inventory = await readInventory(file);
    const text = JSON.stringify({ ...inventory, routes: to(inventory.routes) }, undefined, 2);
    await writeFile(`${file}.new`, `${text}\n`);
    await rename(`${file}.new`, file);
  };
  return {
    list: async () => (await readInventory(file)).routes.map(parseRoute),
    add: (route) => change((routes) => [...routes, writeRoute(route)]),
    remove: (route) =>
      change((routes) =>
        routes.filter(
          ({ node, destination }) =>
            node !== route.node || destination !== route.destination.toString(),
        ),
      ),
  };
}

function parseRoute({ node, destination, gateways }: WrittenRoute): Route {
  return { node, destination: Prefix.parse(destination), gateways: gateways.map(Address.parse) };
}

function writeRoute({ node, destination, gateways }: Route): WrittenRoute {
  return { node, destination: destination.toString(), gateways: gateways.map(String) };
}

async function readInventory(file: string): Promise<Inventory> {
  return JSON.parse(await readFile(file, "utf8")) as Inventory;
}

if (import.meta.main) {
  const [file = "inventory.json", kubeconfig] = process.argv.slice(2);
  using stopping = stopOnSignals();
  const surroundings = await connectByKubeconfig("inventory-provider", kubeconfig);
  await runInventoryProvider(file, surroundings, stopping.signal);
}

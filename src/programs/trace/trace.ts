// Puts the parts of a trace together: names, namespaces, and a probe for each family.

import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Address } from "../../base/net/address.ts";
import { type Family, families } from "../../base/net/family.ts";
import type { Place, TraceReport } from "../../inspect/trace/trace.ts";
import {
  givenNamespace,
  type PartyName,
  parseParty,
  parseTarget,
  portOf,
  type Resolved,
  type Resolver,
  resolveObject,
  systemPlaces,
  tracePath,
} from "../../inspect/trace/trace.ts";
import type { Protocol } from "../../node/proxy/proxy.ts";
import { openConnection } from "../connect/connect.ts";
import { withPolicies } from "./policies.ts";
import { podNamespaces } from "./sandboxes.ts";

const namespaces = "/run/netns";

interface Request {
  readonly options: {
    readonly kubeconfig: string | undefined;
    readonly context: string | undefined;
    readonly namespace: string | undefined;
    readonly protocol: Protocol | undefined;
    readonly family: Family | undefined;
    readonly netns: string | undefined;
    readonly timeout: number;
  };
  readonly args: { readonly from: string; readonly to: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export async function runTrace(request: Request): Promise<readonly TraceReport[]> {
  const { options, signal } = request;
  const from = parseParty(request.args.from);
  const target = parseTarget(request.args.to);
  const places = await systemPlaces({
    commands: systemCommands(),
    directories: [namespaces],
    named: [
      ...(options.netns === undefined ? [] : [givenNamespace(options.netns)]),
      ...(await podNamespaces()),
    ],
    machine: (await isInsideCluster()) ? "switch" : "this machine",
    signal,
  });
  const [sender, receiver] = await withNames(request, [from, target.party], places.all);
  const { port, protocol } = portOf(receiver, target.port, options.protocol);
  const ways = families.flatMap((family) => {
    const [source] = ofFamily(sender.addresses, family);
    const [destination] = ofFamily(receiver.addresses, family);
    const isWanted = options.family === undefined || options.family === family;
    return isWanted && source && destination ? [{ source, destination }] : [];
  });
  if (ways.length === 0) {
    const state =
      options.family === undefined
        ? "their addresses have no family in common"
        : `not both have an address of ${options.family}`;
    throw new Error(`Cannot trace from ${sender.text} to ${receiver.text}: ${state}`);
  }
  const reports: TraceReport[] = [];
  for (const { source, destination } of ways) {
    const place = senderPlace(places.all, { source, netns: options.netns });
    const probe = { protocol, source, destination, port, timeoutMs: options.timeout, from: place };
    const parts = {
      places: await places.around(place, { signal }),
      files: systemFiles,
      random: systemRandom,
      clock: systemClock,
    };
    reports.push(await tracePath(probe, parts, { signal }));
  }
  return explained(request, reports, [from, target.party]);
}

/** Adds what policies say, if the request names an object; addresses alone are traced without the API. */
async function explained(
  { options, env, signal }: Request,
  reports: readonly TraceReport[],
  parties: readonly PartyName[],
): Promise<readonly TraceReport[]> {
  if (!parties.some(({ kind }) => kind === "object")) return reports;
  const { client } = await openConnection(options, { component: "tandem-trace", env });
  try {
    return await withPolicies(reports, client, { signal });
  } finally {
    client.transport.close();
  }
}

/**
 * Whether this process runs inside of a cluster, where its own network is only the bridge and router between
 * hosts.
 */
async function isInsideCluster(): Promise<boolean> {
  const names = await systemFiles.list(namespaces);
  return names.some((name) => /^tandem_[^_]+_outside$/.test(name));
}

function senderPlace(
  places: readonly Place[],
  { source, netns }: { readonly source: Address; readonly netns: string | undefined },
): Place {
  const found = places.find(({ name, addresses }) =>
    netns === undefined ? addresses.some((one) => one.equals(source)) : name === netns,
  );
  if (found !== undefined) return found;
  throw new Error(
    `Cannot send from ${source.toString()}: no network namespace of this machine has it; ` +
      "run this on its node, or name the namespace with --netns",
  );
}

/** Resolves names of the request; the API is asked only if there are any. */
async function withNames(
  { options, env, signal }: Request,
  parties: readonly [PartyName, PartyName],
  places: readonly Place[],
): Promise<readonly [Resolved, Resolved]> {
  const isNamed = parties.some(({ kind }) => kind === "object");
  const connection = isNamed
    ? await openConnection(options, { component: "tandem-trace", env })
    : undefined;
  try {
    const resolver = connection && {
      client: connection.client,
      namespace: options.namespace ?? connection.access.namespace,
      signal,
    };
    const [sender, receiver] = parties;
    return [await resolve(sender, resolver, places), await resolve(receiver, resolver, places)];
  } finally {
    connection?.client.transport.close();
  }
}

async function resolve(
  party: PartyName,
  resolver: Resolver | undefined,
  places: readonly Place[],
): Promise<Resolved> {
  if (party.kind === "address") {
    return { text: party.address.toString(), addresses: [party.address], ports: [] };
  }
  if (party.kind === "outside") return outside(places);
  if (resolver === undefined) throw new Error(`Cannot find ${party.name}: there is no cluster`);
  return resolveObject(party, resolver);
}

/** Returns the host "outside", which stands for the rest of the world in clusters on one machine. */
function outside(places: readonly Place[]): Resolved {
  const found = places.find(({ name }) => name === "outside");
  if (found === undefined) {
    throw new Error(
      'Cannot use "outside": no namespace of this machine has that name; use an address',
    );
  }
  return { text: "outside", addresses: found.addresses, ports: [] };
}

function ofFamily(addresses: readonly Address[], family: Family): readonly Address[] {
  return addresses.filter((address) => address.family === family);
}

export { traceInside } from "./inside.ts";
export { meantCluster } from "./meant-cluster.ts";

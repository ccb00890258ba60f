// Runs many hollow nodes in one process.

import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Access } from "../../api/client/access.ts";
import { connect } from "../../api/client/connect.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { pause } from "../../base/host/clock.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { createBootstrapToken } from "../../control/apiserver/apiserver.ts";
import { publicKeyHash } from "../../node/join/join.ts";
import { readSystemInfo } from "../../node/status/status.ts";
import { becomeNode } from "../agent/agent.ts";
import { findAccess } from "../connect/connect.ts";
import { type HollowNode, runHollowNode } from "./node.ts";
import { drawn, seededRandom } from "./random.ts";
import type { HollowSettings } from "./settings.ts";
import { SharedObjects } from "./shared-objects.ts";
import type { Seen } from "./watches.ts";

export type { HollowSettings } from "./settings.ts";

const clock = systemClock;
const component = "tandem-agent";
/** Long enough for the last of ten thousand nodes to join, and no longer. */
const tokenLifetimeMs = 3_600_000;
const restartAfter = { from: 1_000, to: 5_000 };

/** How a node gets its client: as the kubeconfig's user, or with certificates of its own. */
type Enter = (
  node: Omit<HollowNode, "client" | "keep">,
  signal: AbortSignal,
) => Promise<Pick<HollowNode, "client" | "keep">>;

/** Runs the nodes until the signal aborts; `seen` is told of every object that a node's watches bring. */
export async function runHollow(
  settings: HollowSettings,
  signal: AbortSignal,
  seen?: Seen,
): Promise<void> {
  checkRanges(settings);
  const info = await readSystemInfo(systemFiles);
  const { read } = new SharedObjects();
  const enter = await entrance(settings, read, signal);
  const running: Promise<void>[] = [];
  for (let index = 0; index < settings.nodes && !signal.aborted; index++) {
    const node = { ...identityOf(settings, index), info, seen };
    running.push(keepRunning(settings, { node, enter }, signal));
    await pause(clock, 1_000 / settings.startRate, signal);
  }
  if (!signal.aborted)
    settings.log.info("all hollow nodes have been started", { nodes: running.length });
  await Promise.all(running);
}

/** Runs a node; one that fails is started again, and the others go on. */
async function keepRunning(
  settings: HollowSettings,
  { node, enter }: { readonly node: Omit<HollowNode, "client" | "keep">; readonly enter: Enter },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const entered = await enter(node, signal);
      try {
        await runHollowNode(settings, { ...node, ...entered }, signal);
      } finally {
        entered.client.transport.close();
      }
    } catch (error) {
      if (signal.aborted) return;
      settings.log.warn("Cannot keep a hollow node running; starting it again", {
        node: node.name,
        error,
      });
    }
    await pause(clock, drawn(restartAfter, node.random), signal);
  }
}

function identityOf(settings: HollowSettings, index: number) {
  const { nodePrefix, first, seed, nodeCidr, podCidr } = settings;
  const number = first + index;
  const name = `${nodePrefix}-${number}`;
  return {
    name,
    addresses: nodeCidr.map((range) => range.at(BigInt(number + 1))),
    podCidrs: podCidr.map((range) => partsOf(range).at(BigInt(number))),
    random: seededRandom(seed, name),
  };
}

function partsOf(range: Prefix) {
  return range.subdivide(range.family === "IPv4" ? 24 : 64);
}

/** Refuses ranges that have no address or no part for the last node. */
function checkRanges({ nodeCidr, podCidr, first, nodes }: HollowSettings): void {
  const last = BigInt(first + nodes);
  for (const range of nodeCidr) {
    if (range.size > last + 1n) continue;
    throw new UsageError(`Cannot use --node-cidr ${String(range)}: it has no ${last} addresses`);
  }
  for (const range of podCidr) {
    const count = partsOf(range).count;
    if (count >= last) continue;
    const state = `it has ${count} parts for nodes, and ${last} are needed`;
    throw new UsageError(`Cannot use --pod-cidr ${String(range)}: ${state}`);
  }
}

async function entrance(
  settings: HollowSettings,
  read: (text: string) => unknown,
  signal: AbortSignal,
): Promise<Enter> {
  const { log, env, token } = settings;
  if (!settings.join && token === undefined) {
    const access = await findAccess(settings, env);
    return async ({ random }) => ({
      client: connect(access, { component, clock, random, read }),
      keep: [],
    });
  }
  const invited = token === undefined ? await invite(settings, signal) : settings;
  await systemFiles.makePrivateDirectory(settings.dataDir);
  return async ({ name, addresses }, stop) => {
    const { server, caHash, token: shared } = invited;
    const own = { server, token: shared, caHash, dataDir: join(settings.dataDir, name), log, env };
    const membership = await becomeNode(own, { name, addresses, read }, stop);
    return { client: membership.client, keep: [membership.keep(() => undefined)] };
  };
}

/** Makes one token for all nodes, as the user of the kubeconfig. */
async function invite(
  settings: HollowSettings,
  signal: AbortSignal,
): Promise<Pick<HollowSettings, "server" | "token" | "caHash">> {
  const access: Access = await findAccess(settings, settings.env);
  const client = connect(access, { component, clock, random: seededRandom(settings.seed, "") });
  try {
    const expires = new Date(clock.now() + tokenLifetimeMs);
    const made = createBootstrapToken({ expires, description: "made for hollow nodes" });
    const { metadata, type, data } = made.secret;
    await client.resource("v1", "Secret").create({ metadata, type, data: { ...data } }, { signal });
    const caHash = publicKeyHash(new X509Certificate(access.authorities ?? ""));
    return { server: access.server.href, token: made.token, caHash };
  } finally {
    client.transport.close();
  }
}

// Wires `tandem up`.

import type { Invocation } from "../../base/command-line/command.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { UsageError } from "../../base/program/errors.ts";
import { formatDocument } from "../../base/program/output.ts";
import { createProgress } from "../../base/program/progress.ts";
import { connectToCluster } from "./api.ts";
import { bringUp, runningRecord } from "./bring-up.ts";
import { checkOwner } from "./check-owner.ts";
import { cleanHost } from "./clean-host.ts";
import { checkHostRoutes, grantHostAccess } from "./host-access.ts";
import { checkIngress } from "./lan-pool.ts";
import { type ClusterMachine, clusterMachine } from "./machine.ts";
import { dataPlaces } from "./places.ts";
import { checkInstalled } from "./prerequisites.ts";
import { firstChild } from "./processes.ts";
import { launcher } from "./programs.ts";
import type { ClusterRecord } from "./record.ts";
import {
  type ClusterSettings,
  type GivenSettings,
  readSettings,
  resolveSettings,
  settingsText,
} from "./settings.ts";
import { superviseCommand } from "./take-down.ts";

export interface UpOptions extends GivenSettings {
  readonly port?: number | undefined;
  readonly dataDir?: string | undefined;
  readonly kubeconfigOut?: string | undefined;
  readonly detach: boolean;
  readonly dryRun: boolean;
}

type Streams = Pick<Invocation, "stdout" | "stderr" | "env">;

const usualPort = 6443;

export async function runUp(
  { port, dataDir: wishedDir, kubeconfigOut, detach, dryRun, ...given }: UpOptions,
  { stdout, stderr, env }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const machine = await clusterMachine(env);
  const running = await runningRecord(machine.records, given.name);
  if (running !== undefined) {
    stdout.write(`Cluster ${given.name} is up already.\n${usage(running)}`);
    return 0;
  }
  const dataDir = wishedDir ?? machine.dataDirectory(given.name);
  const settings = resolveSettings(given, await storedSettings(machine, dataDir));
  if (settings.hostAccess) await checkHostAccess(settings, machine);
  if (settings.ingress) checkIngress(settings);
  await checkOwner(settings, machine);
  if (dryRun) return await printSettings(settings, stdout);
  await checkInstalled(settings, env["PATH"] ?? "/usr/bin:/bin");
  const progress = createProgress(stderr);
  const { record, enclosure } = await bringUp(
    {
      settings,
      namesVips: given.apiVips !== undefined || given.ingressVips !== undefined,
      dataDir,
      ports:
        port === undefined ? [...(await previousPort(machine, dataDir)), usualPort, 0] : [port],
      command: [launcher, superviseCommand],
      environment: { ...env },
      users: machine.users,
    },
    { ...machine, progress },
    signal,
  );
  if (settings.hostAccess) {
    await progress.step("host access", () => giveHostAccess({ settings, record }, machine, env));
  }
  await copyKubeconfig(machine, record, kubeconfigOut);
  stdout.write(`Cluster ${given.name} is up.\n${usage(record)}`);
  if (detach) {
    enclosure.release();
    return 0;
  }
  signal.addEventListener("abort", () => enclosure.close(), { once: true });
  if (signal.aborted) enclosure.close();
  await enclosure.exited;
  await using _ = await machine.records.lock();
  await cleanHost(machine, given.name);
  await machine.records.remove(given.name);
  if (signal.aborted) return 0;
  throw new Error(`Cannot keep cluster ${given.name} running: see ${dataPlaces(dataDir).logs}`);
}

async function checkHostAccess(settings: ClusterSettings, machine: ClusterMachine): Promise<void> {
  if (!machine.isRoot) throw new UsageError("Cannot use hostAccess=true: only root can");
  await checkHostRoutes(settings, systemIp(machine.commands));
}

async function giveHostAccess(
  { settings, record }: { settings: ClusterSettings; record: ClusterRecord },
  { commands }: ClusterMachine,
  env: Streams["env"],
): Promise<void> {
  const { kubeconfig } = dataPlaces(record.dataDir);
  const client = await connectToCluster(kubeconfig, { component: "tandem-up", env });
  const { items: nodes } = await client.resource("v1", "Node").list();
  client.transport.close();
  const init = await firstChild(record.pid);
  if (init === undefined) throw new Error("Cannot give access: the cluster has ended");
  await grantHostAccess({ settings, nodes, init }, commands);
}

async function printSettings(
  settings: ClusterSettings,
  stdout: Streams["stdout"],
): Promise<number> {
  stdout.write(await formatDocument(JSON.parse(settingsText(settings)) as object, "yaml"));
  return 0;
}

async function storedSettings({ files }: ClusterMachine, dataDir: string) {
  const text = await files.read(dataPlaces(dataDir).settings);
  return text === undefined ? undefined : readSettings(text);
}

/** Returns the previous port, if any: with the same one, copied kubeconfigs stay valid. */
async function previousPort({ files }: ClusterMachine, dataDir: string): Promise<number[]> {
  const kubeconfig = (await files.read(dataPlaces(dataDir).kubeconfig)) ?? "";
  return [...(/server: https:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig) ?? [])].slice(1).map(Number);
}

async function copyKubeconfig(
  { files }: ClusterMachine,
  { dataDir }: ClusterRecord,
  path: string | undefined,
): Promise<void> {
  const text = await files.read(dataPlaces(dataDir).kubeconfig);
  if (path !== undefined && text !== undefined) await files.write(path, text, { mode: 0o600 });
}

function usage({ dataDir, name }: ClusterRecord): string {
  const other = name === "tandem" ? "" : ` --name ${name}`;
  return [
    "",
    `  export KUBECONFIG=${dataPlaces(dataDir).kubeconfig}`,
    "  kubectl get nodes -o wide",
    "",
    `'tandem status${other}' shows how it is, 'tandem down${other}' removes it.`,
    "",
  ].join("\n");
}

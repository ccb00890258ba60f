// Wires `tandem dashboard` and `tandem map`.

import { join } from "node:path";
import { isInCluster } from "../../api/client/kubeconfig.ts";
import type { Invocation } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { ListenAddress } from "../../base/program/listen.ts";
import {
  dotOf,
  graphOf,
  openDashboard,
  readCluster,
  svgOf,
} from "../../inspect/dashboard/dashboard.ts";
import { type ConnectOptions, openConnection } from "../connect/connect.ts";

export interface DashboardOptions extends ConnectOptions {
  readonly namespace: string | undefined;
  readonly listen: readonly ListenAddress[];
}

type Surroundings = Pick<Invocation, "env" | "stdout" | "log" | "signal">;

const page = join(import.meta.dirname, "../../../build/dashboard");

export async function runDashboard(
  options: DashboardOptions,
  { env, stdout, log, signal }: Surroundings,
): Promise<void> {
  refuseInCluster(options, env);
  const [listen, ...more] = options.listen;
  if (listen === undefined || more.length > 0) {
    throw new UsageError(`Cannot listen on ${options.listen.length} addresses: name one`);
  }
  const { client, access } = await openConnection(options, { component: "tandem-dashboard", env });
  try {
    const { namespace } = options;
    const about = { server: access.server.host, namespace };
    const parts = { client, files: systemFiles, clock: systemClock, random: systemRandom, log };
    const dashboard = await openDashboard(parts, { listen, directory: page, about });
    stdout.write(`The dashboard of ${about.server} is at this link, for one browser and once:\n`);
    stdout.write(`  ${dashboard.link}\n`);
    await dashboard.run(signal);
  } finally {
    client.transport.close();
  }
}

export interface MapOptions extends ConnectOptions {
  readonly namespace: string | undefined;
  readonly service: string | undefined;
  readonly output: "svg" | "dot";
  readonly most: number;
}

/** Returns the picture of a cluster, and what is not in it. */
export async function drawMap(
  options: MapOptions,
  { env, signal }: Pick<Invocation, "env" | "signal">,
): Promise<{ readonly picture: string; readonly notes: readonly string[] }> {
  const { client, access } = await openConnection(options, { component: "tandem-map", env });
  try {
    const { most, output, namespace } = options;
    const within = options.service === undefined ? namespace : (namespace ?? access.namespace);
    const cluster = await readCluster(client, { namespace: within, signal });
    const service = options.service === undefined ? undefined : `${within}/${options.service}`;
    const graph = graphOf(cluster, { service, namespace: within, most });
    if (service !== undefined && graph.vertices.length === 0) {
      throw new UsageError(`Cannot draw service=${service}: there is none that you may read`);
    }
    const unread = [...cluster.unread].map((kind) => `${kind} are missing: you may not read them`);
    const left = graph.leftOut === 0 ? [] : [`${graph.leftOut} services are left out: see --most`];
    return { picture: output === "svg" ? svgOf(graph) : dotOf(graph), notes: [...unread, ...left] };
  } finally {
    client.transport.close();
  }
}

/**
 * In a pod everybody who reached the page would act as the pod's account: that needs a log-in by token first,
 * which is not there yet.
 */
function refuseInCluster({ kubeconfig }: ConnectOptions, env: Surroundings["env"]): void {
  const machine = {
    files: systemFiles,
    commands: systemCommands(),
    clock: systemClock,
    environment: env,
  };
  if (kubeconfig !== undefined || !isInCluster(machine)) return;
  throw new UsageError(
    "Cannot serve the dashboard in a pod: log-in by token is not there yet; " +
      "run it where your kubeconfig is, or name one with --kubeconfig",
  );
}

// Wires `tandem dashboard` and `tandem map`.

import { join } from "node:path";
import { type Access, staticCredentials } from "../../api/client/access.ts";
import { connect } from "../../api/client/connect.ts";
import { isInCluster } from "../../api/client/kubeconfig.ts";
import type { Invocation } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import {
  dotOf,
  graphOf,
  openDashboard,
  readCluster,
  svgOf,
  type User,
} from "../../inspect/dashboard/dashboard.ts";
import { type ConnectOptions, findAccess, openConnection } from "../connect/connect.ts";
import { type Allowed, actionsOf } from "./actions.ts";
import { placingBy } from "./placing.ts";

export { sizeText } from "../../inspect/dashboard/dashboard.ts";
export { runTop, type Top } from "./top.ts";

export interface DashboardOptions extends ConnectOptions, Allowed {
  readonly namespace: string | undefined;
  readonly listen: readonly ListenAddress[];
  readonly logIn: "link" | "token";
}

type Surroundings = Pick<Invocation, "env" | "stdout" | "log" | "signal">;

const component = "tandem-dashboard";
const page = join(import.meta.dirname, "../../../build/dashboard");

export async function runDashboard(
  options: DashboardOptions,
  { env, stdout, log, signal }: Surroundings,
): Promise<void> {
  refuseInCluster(options, env);
  refuseTraces(options);
  const [listen, ...more] = options.listen;
  if (listen === undefined || more.length > 0) {
    throw new UsageError(`Cannot listen on ${options.listen.length} addresses: name one`);
  }
  const access = await findAccess(options, env);
  const parts = { clock: systemClock, random: systemRandom, log, files: systemFiles };
  const connectAs = (as: Access): User => ({
    access: as,
    client: connect(as, { component, ...parts }),
  });
  const isByLink = options.logIn === "link";
  const { namespace } = options;
  const about = { server: access.server.host, namespace };
  const dashboard = await openDashboard(
    {
      ...parts,
      users: isByLink
        ? { user: connectAs(access) }
        : { logIn: (token) => connectAs(asBearer(access, token)) },
      actions: actionsOf(options, options, env),
      placing: placingBy(systemClock),
    },
    { listen, directory: page, about },
  );
  stdout.write(
    isByLink
      ? `The dashboard of ${about.server} is at this link, for one browser and once:\n`
      : `The dashboard of ${about.server} is here, for everybody with a token of the cluster:\n`,
  );
  stdout.write(`  ${dashboard.link}\n`);
  await dashboard.run(signal);
}

/** The same server, with nothing of the kubeconfig's user but the token that somebody has given us. */
function asBearer(access: Access, token: string): Access {
  const { server, authorities, serverName, insecure, namespace } = access;
  return {
    server,
    authorities,
    serverName,
    namespace,
    ...(insecure === undefined ? {} : { insecure }),
    credentials: staticCredentials({ authorization: `Bearer ${token}` }),
  };
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

/** In a pod everybody who reached the page by a link would act as the pod's account. */
function refuseInCluster({ kubeconfig, logIn }: DashboardOptions, env: Surroundings["env"]): void {
  const machine = {
    files: systemFiles,
    commands: systemCommands(),
    clock: systemClock,
    environment: env,
  };
  if (logIn === "token" || kubeconfig !== undefined || !isInCluster(machine)) return;
  throw new UsageError(
    "Cannot serve the dashboard by a link in a pod: whoever has it would act as the pod's account; " +
      "use --log-in=token, or run it where your kubeconfig is",
  );
}

/** Traces look into this machine's kernel with our own rights, which no token gives. */
function refuseTraces({ logIn, allowTrace }: DashboardOptions): void {
  if (logIn === "link" || !allowTrace) return;
  throw new UsageError(
    "Cannot use allow-trace with log-in=token: traces act with the rights of this process, not with " +
      "those of whoever logs in",
  );
}

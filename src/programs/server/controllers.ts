// Wires the controllers of a server: which ones there are, and how they reach the API.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Credentials } from "../../api/client/access.ts";
import { connect } from "../../api/client/connect.ts";
import { renewedCredentials } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { type NodeCidrSizes, nodeParts } from "../../base/net/node-cidr-sizes.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import type { Authority, DefaultRole } from "../../control/apiserver/apiserver.ts";
import {
  aborted,
  certificateSigner,
  controllersRole,
  controllersUser,
} from "../../control/apiserver/apiserver.ts";
import type { ControllerContext, ControllerEntry } from "../../control/controllers/controllers.ts";
import {
  accountControllers,
  autoscaling,
  BuiltInProvider,
  certificateControllers,
  chooseControllers,
  disruption,
  endpointsControllers,
  garbageCollection,
  namespaceDeletion,
  nodeControllers,
  quotaCounting,
  refuseOverlap,
  rightsOf,
  runElected,
  scheduling,
  serviceRanges,
  storageControllers,
  workloadControllers,
} from "../../control/controllers/controllers.ts";
import { loadBalancerControllers } from "../../edge/balancer/balancer.ts";
import {
  infrastructureController,
  infrastructureRights,
} from "../../install/infrastructure/infrastructure.ts";
import { Api, hasNamespace, kubernetesDatastore, Reconciler } from "../../node/ipam/ipam.ts";

export interface ControllersSettings {
  /** The controllers that `--controllers` names. */
  readonly wanted: readonly string[];
  /** The ranges from which nodes get their pod CIDRs; if empty, no node gets any. */
  readonly clusterCidrs: readonly Prefix[];
  readonly nodeCidrSizes: NodeCidrSizes;
  readonly serviceCidrs: readonly Prefix[];
  readonly nodeGraceMs: number;
}

export interface ControllersConnection {
  /**
   * The URL of this very server; `undefined` if it serves on no port, so that there is nothing to connect to.
   */
  readonly url: string | undefined;
  readonly authority: Authority;
  /** Whether no other server can serve the same cluster, so that controllers need no leader election. */
  readonly isAlone: boolean;
  readonly log: Log;
  readonly metrics: Registry;
}

export interface Controllers {
  /** The controllers that run here. */
  readonly chosen: readonly ControllerEntry[];
  /** The role that all controllers have, those that other servers run among them. */
  readonly role: DefaultRole;
}

/** Returns the chosen controllers. Throws if the settings make no sense, so call it before anything runs. */
export function chooseFrom(settings: ControllersSettings, authority: Authority): Controllers {
  const all = controllersOf(settings, authority);
  return {
    chosen: chooseControllers(all, settings.wanted),
    role: controllersRole(rightsOf(all)),
  };
}

export async function runServersControllers(
  entries: readonly ControllerEntry[],
  { url, authority, isAlone, log, metrics }: ControllersConnection,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined || entries.length === 0) {
    if (entries.length > 0) log.warn("No controllers run here: the server listens on no port");
    await aborted(signal);
    return;
  }
  const access = {
    server: new URL(url),
    authorities: authority.certificate,
    credentials: ownCredentials(authority),
    namespace: "default",
  };
  const parts = { clock: systemClock, random: systemRandom, metrics };
  const client = connect(access, { component: "tandem-controllers", ...parts });
  const identity = isAlone ? undefined : `${hostname()}_${randomUUID()}`;
  try {
    await runElected({ entries, identity, client, log, ...parts }, signal);
  } finally {
    client.transport.close();
  }
}

/** Certificates of controllers are renewed long before they expire, which a server may live to see. */
const renewAfterMs = 30 * 24 * 60 * 60 * 1000;

function ownCredentials(authority: Authority): Credentials {
  const obtain = async () => ({
    credential: await authority.issueClient({ commonName: controllersUser }),
    until: systemClock.now() + renewAfterMs,
  });
  return renewedCredentials(obtain, systemClock);
}

function controllersOf(
  settings: ControllersSettings,
  authority: Authority,
): readonly ControllerEntry[] {
  const { clusterCidrs, nodeCidrSizes, serviceCidrs, nodeGraceMs: graceMs } = settings;
  refuseOverlap(clusterCidrs, serviceCidrs);
  const parts = nodeParts(clusterCidrs, nodeCidrSizes);
  return [
    ...endpointsControllers,
    ...nodeControllers({
      openProvider: (context) => new BuiltInProvider(context, { parts }),
      clusterCidrs,
      graceMs,
    }),
    namespaceDeletion,
    garbageCollection,
    ...accountControllers({ authority: authority.certificate }),
    ...certificateControllers(certificateSigner(authority)),
    ...workloadControllers,
    ...storageControllers,
    autoscaling,
    disruption,
    serviceRanges,
    quotaCounting,
    scheduling,
    {
      name: "infrastructure",
      rights: infrastructureRights,
      create: (context) =>
        infrastructureController({
          ...context,
          podNetworks: clusterCidrs,
          serviceNetworks: serviceCidrs,
        }),
    },
    ...loadBalancerControllers,
    { name: "ipam-reservations", create: ipamReconciler },
  ];
}

/** The namespace in which the IPAM plugin keeps its pools by default. */
const poolNamespace = "kube-system";

function ipamReconciler({ client, clock, random, log }: ControllerContext): Part {
  const datastore = kubernetesDatastore(new Api(client.transport, poolNamespace), { random });
  // An empty node name reconciles the pods of all nodes: the API lists which of them are alive.
  const reconciler = new Reconciler({ datastore, node: "", hasNamespace, clock, log });
  return { name: "ipam-reservations", run: (signal) => reconciler.run(signal) };
}

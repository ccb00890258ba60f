// Wires the API server: store, secrets, certificates, access, listening, controllers.

import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { defined } from "../../base/json/defined.ts";
import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { usedOfEachFamily } from "../../base/program/first-of-each-family.ts";
import { boundAddress, type ListenAddress } from "../../base/program/listen.system.ts";
import type { Log } from "../../base/program/log.ts";
import { Registry } from "../../base/program/metrics.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { runAll } from "../../base/program/run-all.ts";
import type { ObjectReader } from "../../control/apiserver/apiserver.ts";
import {
  ApiServer,
  ApiVips,
  type Authority,
  aborted,
  changeCertificate,
  clusterSecrets,
  defaultPodSecurity,
  drain,
  hasClusterSecrets,
  type KeyPair,
  kubeconfig,
  listen,
  nodeStreaming,
  openAuthority,
  openFrontProxy,
  openGuard,
  type PodSecuritySettings,
  readPodSecurity,
  renewServerCertificate,
  runRepair,
  serverCertificate,
  type Tls,
} from "../../control/apiserver/apiserver.ts";
import type { EncryptedStore, Store } from "../../control/store/store.ts";
import { openStore } from "../../control/store/store.ts";
import { openAudit } from "./audit.ts";
import { type ControllersSettings, chooseFrom, runServersControllers } from "./controllers.ts";
import { rewriteStale, withEncryption } from "./encryption.ts";
import { renewEtcdCertificate } from "./etcd-certificate.ts";
import { openLogIn } from "./log-in.ts";
import { announcementOf, ownUrl, serverNames, urlOf } from "./places.ts";

export interface ServerSettings {
  readonly dataDir: string;
  readonly listen: readonly ListenAddress[];
  readonly bindAddress: readonly Address[];
  readonly securePort: number;
  readonly listenFd: readonly string[];
  readonly store: string;
  readonly etcdPki?: string | undefined;
  readonly serviceCidr: readonly Prefix[];
  readonly serviceClusterIpRange: readonly Prefix[];
  readonly kubeconfigOut?: string | undefined;
  readonly advertise?: string | undefined;
  readonly tlsSan: readonly string[];
  readonly tokenFile?: string | undefined;
  readonly auditLog?: string | undefined;
  readonly admissionControlConfigFile?: string | undefined;
  readonly authenticationConfig?: string | undefined;
  readonly authenticationTokenWebhookConfigFile?: string | undefined;
  readonly serviceAccountIssuer: string;
  readonly serviceAccountJwksUri?: string | undefined;
  readonly allowReservedServiceAddresses?: boolean | undefined;
  readonly encryptionProviderConfig?: string | undefined;
  readonly acceptStoreLoss?: boolean | undefined;
  readonly newCluster?: boolean | undefined;
  readonly auditLogPath?: string | undefined;
  readonly auditPolicyFile?: string | undefined;
  readonly auditLogMaxsize: number;
  readonly auditLogMaxbackup: number;
  readonly auditLogMaxage: number;
  readonly auditWebhookConfigFile?: string | undefined;
  readonly auditWebhookBatchMaxSize: number;
  readonly auditWebhookBatchMaxWait: number;
  readonly auditWebhookBatchBufferSize: number;
  readonly maxRequestsInflight: number;
  readonly maxMutatingRequestsInflight: number;
  readonly controllers: readonly string[];
  readonly clusterCidr: readonly Prefix[];
  readonly nodeCidrMaskSizeIpv4?: number | undefined;
  readonly nodeCidrMaskSizeIpv6?: number | undefined;
  readonly nodeMonitorGracePeriod: number;
  readonly log: Log;
}

const now = () => new Date();

export async function runServer(given: ServerSettings, signal: AbortSignal): Promise<void> {
  const settings = { ...given, listen: placesOf(given) };
  const { dataDir } = settings;
  const controlling = controllersSettings(settings);
  await systemFiles.makePrivateDirectory(dataDir);
  const opened = await openStore(
    settings.store === "embedded"
      ? {
          directory: join(dataDir, "store"),
          acceptLoss: settings.acceptStoreLoss,
          warn: (message) => settings.log.warn(message),
        }
      : settings.store,
  );
  try {
    const store = await withEncryption(opened, settings.encryptionProviderConfig);
    await serve(settings, { store, controlling }, signal);
  } finally {
    await opened.close();
  }
}

async function serve(
  settings: ServerSettings,
  { store, controlling }: { store: EncryptedStore; controlling: ControllersSettings },
  signal: AbortSignal,
): Promise<void> {
  const { log } = settings;
  await refuseNewCluster(settings, store);
  const secrets = await clusterSecrets(store, now);
  const authority = await openAuthority(secrets.authority, { now });
  const controllers = chooseFrom(controlling, authority);
  const certificate = { files: systemFiles, directory: join(settings.dataDir, "pki"), authority };
  let serving: KeyPair | undefined;
  const tokens = settings.tokenFile && (await systemFiles.read(settings.tokenFile));
  const podSecurity = await podSecurityOf(settings);
  const logIn = await openLogIn(settings);
  const fixedNames = serverNames(settings, controlling.serviceCidrs);
  const identity = { ...fixedNames, hostName: hostname() };
  const reserved = {
    isOpen: settings.allowReservedServiceAddresses === true,
    ranges: [
      ...controlling.serviceCidrs.map((cidr) => ({
        cidr: String(cidr),
        what: `in the service CIDR ${cidr}`,
      })),
      ...controlling.clusterCidrs.map((cidr) => ({
        cidr: String(cidr),
        what: `in the cluster CIDR ${cidr}`,
      })),
    ],
    own: fixedNames.addresses,
  };
  const guard = {
    ...secrets,
    issuer: settings.serviceAccountIssuer,
    jwksUri: settings.serviceAccountJwksUri,
    server: identity,
    podSecurity,
    reserved,
    ...(tokens ? { tokens } : {}),
  };
  const metrics = new Registry();
  registerProcessMetrics(metrics);
  const audit = await openAudit(settings);
  const server = await ApiServer.open({
    ...(audit === undefined ? {} : { audit: audit.write, auditPolicy: audit.policy }),
    seats: settings.maxRequestsInflight + settings.maxMutatingRequestsInflight,
    store,
    settings: { serviceCidrs: controlling.serviceCidrs.map(String), now },
    log,
    metrics,
    access: (objects, webhooks) => openGuard(objects, { ...guard, ...logIn, log, webhooks }),
    heavy: { guard },
    roles: [controllers.role],
    aggregation: {
      frontProxy: await openFrontProxy(store, now),
      clientAuthority: authority.certificate,
    },
    streaming: (objects: ObjectReader) =>
      nodeStreaming({
        objects,
        random: systemRandom,
        tls: () => ({
          ca: authority.certificate,
          ...(serving !== undefined && { cert: serving.certificate, key: serving.key }),
        }),
      }),
  });
  const vips = new ApiVips(server.core.cache);
  const names = () => ({
    ...fixedNames,
    addresses: [...new Set([...fixedNames.addresses, ...vips.addresses])],
  });
  // The server stops last, so that the parts that use it can shut down in order.
  const stop = new AbortController();
  const running = server.run(stop.signal);
  try {
    await Promise.race([server.ready, running, aborted(signal)]);
    if (signal.aborted) return;
    const current = await serverCertificate({ ...certificate, names: names(), now });
    serving = current;
    const servers = await listen(server, {
      addresses: settings.listen,
      inherited: settings.listenFd.map(Number),
      tls: tlsOf(current, authority),
    });
    stop.signal.addEventListener("abort", () => {
      for (const each of servers) each.close();
    });
    const bound = servers.map(boundAddress);
    server.announce(announcementOf(bound));
    const urls = bound.map(urlOf);
    await writeKubeconfig(settings, { authority, url: urls[0] ?? "" });
    log.info("serving", { urls: urls.join(", ") });
    const leaving = noticed(server, vips, signal);
    const isAlone = settings.store === "embedded";
    const connection = { url: ownUrl(bound), authority, isAlone, log, metrics };
    await runAll(
      [
        { name: "server", run: (until) => Promise.race([running, aborted(until)]) },
        {
          name: "certificate",
          run: (until) =>
            renewServerCertificate(
              {
                certificate,
                names,
                subscribe: (changed) => vips.subscribe(changed),
                clock: systemClock,
                log,
                current,
                renewed: (pair) => {
                  serving = pair;
                  changeCertificate(servers, tlsOf(pair, authority));
                },
              },
              until,
            ),
        },
        { name: "etcd-certificate", run: (until) => renewEtcdCertificate(settings, until) },
        {
          name: "encryption",
          run: async (until) => {
            await rewriteStale(store, log, until);
            await aborted(until);
          },
        },
        {
          name: "repair",
          run: (until) =>
            runRepair({ store, log, now, clock: systemClock, random: systemRandom }, until),
        },
        {
          name: "controllers",
          run: (until) => runServersControllers(controllers.chosen, connection, until),
        },
      ],
      signal,
    );
    // Another server may stand in: requests that have arrived here are answered first.
    await leaving;
    server.endWatches();
    const { arrivals } = server;
    await drain({ servers, arrivals, underWay: () => server.underWay, clock: systemClock });
  } finally {
    stop.abort();
    await running;
    await audit?.[Symbol.asyncDispose]();
  }
}

/** How long load balancers behind virtual addresses take to notice: their checks are a second apart. */
const noticeMs = 3_000;

/** Resolves when the server is to end and load balancers, where there are some, send it nothing new. */
async function noticed(server: ApiServer, vips: ApiVips, signal: AbortSignal): Promise<void> {
  await aborted(signal);
  server.giveNotice();
  if (vips.addresses.length > 0) await systemClock.sleep(noticeMs);
}

async function podSecurityOf(settings: ServerSettings): Promise<PodSecuritySettings> {
  const { admissionControlConfigFile: file } = settings;
  if (file === undefined) return defaultPodSecurity;
  const text = await systemFiles.read(file);
  if (text === undefined) throw new UsageError(`Cannot use ${file}: there is no such file`);
  return readPodSecurity(text, file);
}

/** Throws if the store holds no cluster though there was one: it was emptied, or is the wrong one. */
async function refuseNewCluster(settings: ServerSettings, store: Store): Promise<void> {
  const certificate = join(settings.dataDir, "pki", "ca.crt");
  if (settings.newCluster === true || (await hasClusterSecrets(store))) return;
  if ((await systemFiles.read(certificate)) === undefined) return;
  throw new Error(
    `Cannot start: the store has no cluster in it, but ${certificate} is of one. ` +
      "The store is empty or another one. With --new-cluster, a new cluster with a new root is made",
  );
}

/** The root is part of the chain, so that a joining node can check it against the hash it was given. */
function tlsOf(pair: KeyPair, authority: Authority): Tls {
  return {
    certificate: `${pair.certificate}\n${authority.certificate}`,
    key: pair.key,
    clientAuthorities: authority.certificate,
  };
}

async function writeKubeconfig(
  { kubeconfigOut, advertise }: ServerSettings,
  { authority, url }: { authority: Authority; url: string },
): Promise<void> {
  if (kubeconfigOut === undefined) return;
  const client = await authority.issueClient({
    commonName: "kubernetes-admin",
    organizations: ["system:masters"],
  });
  const text = kubeconfig({
    cluster: "tandem",
    user: "kubernetes-admin",
    server: advertise ?? url,
    authority: authority.certificate,
    client,
  });
  await systemFiles.write(kubeconfigOut, text, { mode: 0o600 });
}

function controllersSettings(settings: ServerSettings): ControllersSettings {
  const { log, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6 } = settings;
  return {
    wanted: settings.controllers,
    serviceCidrs: usedServiceCidrs(settings),
    clusterCidrs: usedOfEachFamily(settings.clusterCidr, { option: "--cluster-cidr", log }),
    nodeCidrSizes: defined({ IPv4: nodeCidrMaskSizeIpv4, IPv6: nodeCidrMaskSizeIpv6 }),
    nodeGraceMs: settings.nodeMonitorGracePeriod,
  };
}

/**
 * Returns the service ranges of --service-cluster-ip-range, Kubernetes' own name, which has no default, or
 * else of --service-cidr.
 */
function usedServiceCidrs({ serviceCidr, serviceClusterIpRange, log }: ServerSettings): Prefix[] {
  return serviceClusterIpRange.length === 0
    ? usedOfEachFamily(serviceCidr, { option: "--service-cidr", log })
    : usedOfEachFamily(serviceClusterIpRange, { option: "--service-cluster-ip-range", log });
}

/** The addresses of --bind-address with the port of --secure-port, or what --listen says. */
function placesOf(settings: ServerSettings): readonly ListenAddress[] {
  const { bindAddress, securePort, log } = settings;
  if (bindAddress.length === 0) return settings.listen;
  const used = usedOfEachFamily(bindAddress, { option: "--bind-address", log });
  return used.map((address) => ({ host: String(address), port: securePort }));
}

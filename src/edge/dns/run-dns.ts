// Wires the DNS server: the cluster's records, upstream servers, sockets, health.

import type { Client } from "../../api/client/client.ts";
import { Informers } from "../../api/client/informer.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Files } from "../../base/host/files.ts";
import type { Random } from "../../base/host/random.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { untilStopped } from "../../base/program/health.ts";
import { openHealthServer } from "../../base/program/health-server.system.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { HostPort } from "../../base/program/network-option-types.ts";
import { runAll } from "../../base/program/run-all.ts";
import { AnswerCache } from "./forward/cache.ts";
import { createExchange } from "./forward/exchange.system.ts";
import { Forwarder } from "./forward/forwarder.ts";
import { Recursion } from "./forward/recursion.ts";
import { nameServersOf } from "./forward/resolv-conf.ts";
import { reverseAddress } from "./kubernetes/address-names.ts";
import { ClusterRecords } from "./kubernetes/cluster-records.ts";
import { searchedNext } from "./kubernetes/search-list.ts";
import { dnsMetrics, registerState } from "./metrics.ts";
import { Resolver } from "./resolver.ts";
import { openListeners } from "./serve/listeners.ts";
import { createRespond } from "./serve/respond.ts";
import { type Name, nameOf } from "./wire/name.ts";
import { Zone } from "./zone/zone.ts";

export interface DnsSettings {
  readonly listen: readonly ListenAddress[];
  readonly healthAddress: readonly ListenAddress[];
  readonly clusterDomain: string;
  readonly ttl: number;
  readonly service: string;
  readonly reverseCidrs: readonly Prefix[];
  readonly upstream: readonly HostPort[];
  readonly resolvConf: string;
  readonly upstreamTimeout: number;
  readonly cacheSize: number;
  readonly serveStale: number;
  readonly queryLog: boolean;
  readonly autopath: boolean;
}

export interface DnsParts {
  readonly client: Client;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Registry;
  /** Called once, when the whole cluster has been read. */
  readonly onRead: () => void;
}

export async function runDns(
  settings: DnsSettings,
  parts: DnsParts,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, log, metrics: registry } = parts;
  const metrics = dnsMetrics(registry);
  const zone = new Zone({
    domain: nameOf(settings.clusterDomain),
    ttl: settings.ttl,
    serial: Math.floor(clock.now() / 1000),
  });
  const cache = new AnswerCache({
    clock,
    maximumBytes: settings.cacheSize * 1024 * 1024,
    staleMs: settings.serveStale,
  });
  registerState(registry, { zone, cache });
  const informers = new Informers(parts);
  const cluster = new ClusterRecords({
    client,
    informers,
    zone,
    ownService: settings.service,
    onRead: parts.onRead,
  });
  const servers = await upstreams(settings, parts);
  const exchange = createExchange({ ...parts, timeoutMs: settings.upstreamTimeout });
  const forwarder = new Forwarder({
    servers,
    exchange,
    clock,
    log,
    onOutcome: (to, outcome) => metrics.forwards.with(to, outcome).increment(),
  });
  const recursion = new Recursion({ ...parts, forwarder, cache, exchange, metrics });
  const resolver = new Resolver({
    zone,
    recursion,
    metrics,
    isReady: () => cluster.isReady,
    ...(settings.autopath
      ? { searchedNext: (name: Name, asker: string) => searchedNext(name, asker, zone) }
      : {}),
    isOurs: (name) => {
      const address = reverseAddress(name);
      return address !== undefined && settings.reverseCidrs.some((cidr) => cidr.contains(address));
    },
  });
  const respond = createRespond(resolver, { log, logsQueries: settings.queryLog });
  const listeners = await openListeners(settings.listen, { respond, log });
  const health = await openHealthServer({
    listen: settings.healthAddress,
    metrics: registry,
    ready: [untilStopped(signal), { name: "records", check: () => assertRead(cluster.isReady) }],
  });
  log.info("serving", {
    addresses: listeners.addresses.join(", "),
    upstreams: servers.map(({ host, port }) => `${host} port ${port}`).join(", "),
  });
  const loops = recursion.findLoops();
  await runAll(
    [
      listeners,
      health,
      { name: "informers", run: (stop) => informers.run(stop) },
      { name: "records", run: (stop) => cluster.run(stop) },
    ],
    signal,
  );
  await loops;
}

async function upstreams(
  { upstream, resolvConf }: DnsSettings,
  { files, log }: DnsParts,
): Promise<readonly HostPort[]> {
  if (upstream.length > 0 || resolvConf === "") return upstream;
  const text = await files.read(resolvConf);
  if (text === undefined) log.warn("There is no such file: nothing is forwarded", { resolvConf });
  return nameServersOf(text ?? "");
}

function assertRead(isReady: boolean): void {
  if (!isReady) throw new Error("the cluster's objects have not all been read yet");
}

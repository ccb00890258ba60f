// Wires the API server: store, secrets, certificates, access, listening.
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Node } from "../api/types/core.ts";
import { listen } from "../apiserver/listen.ts";
import type { ObjectReader } from "../apiserver/object-reader.ts";
import { openAuthority, type ServerNames } from "../apiserver/security/authority.ts";
import { clusterSecrets } from "../apiserver/security/cluster-secrets.ts";
import { createGuard } from "../apiserver/security/guard.ts";
import { kubeconfig } from "../apiserver/security/kubeconfig.ts";
import { serverCertificate } from "../apiserver/security/server-certificate.ts";
import type { Announcement } from "../apiserver/self/registry.ts";
import { ApiServer } from "../apiserver/server.ts";
import { nodeStreaming } from "../apiserver/streaming/nodes.ts";
import { systemFiles } from "../host/files.system.ts";
import { Address } from "../net/address.ts";
import { firstOfEachFamily } from "../net/list.ts";
import type { Prefix } from "../net/prefix.ts";
import { boundAddress, type ListenAddress } from "../program/listen.ts";
import type { Log } from "../program/log.ts";
import { Registry } from "../program/metrics.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";
import { openStore } from "../store/open.ts";

export interface ServerSettings {
  readonly dataDir: string;
  readonly listen: readonly ListenAddress[];
  readonly listenFd: readonly string[];
  readonly store: string;
  readonly serviceCidr: readonly Prefix[];
  readonly kubeconfigOut?: string | undefined;
  readonly advertise?: string | undefined;
  readonly tlsSan: readonly string[];
  readonly tokenFile?: string | undefined;
  readonly log: Log;
}

const issuer = "https://kubernetes.default.svc.cluster.local";
const ownNames = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];

export async function runServer(settings: ServerSettings, signal: AbortSignal): Promise<void> {
  const { dataDir, log } = settings;
  const files = systemFiles;
  const now = () => new Date();
  const cidrs = usedCidrs(settings);
  await files.makePrivateDirectory(dataDir);
  const store = await openStore(
    settings.store === "embedded" ? { directory: join(dataDir, "store") } : settings.store,
  );
  try {
    const secrets = await clusterSecrets(store, now);
    const authority = await openAuthority(secrets.authority, { now });
    const serving = await serverCertificate({
      files,
      directory: join(dataDir, "pki"),
      authority,
      names: serverNames(settings, cidrs),
      now,
    });
    const tokens = settings.tokenFile && (await files.read(settings.tokenFile));
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const server = await ApiServer.open({
      store,
      settings: { serviceCidrs: cidrs.map(String), now },
      log,
      metrics,
      access: (objects: ObjectReader) =>
        createGuard({
          objects,
          serviceAccountKey: secrets.serviceAccountKey,
          authority,
          issuer,
          now,
          ...(tokens ? { tokens } : {}),
        }),
      streaming: (objects: ObjectReader) =>
        nodeStreaming({
          nodeNamed: (name) => objects.get("nodes", "", name) as Node | undefined,
          tls: { ca: authority.certificate, cert: serving.certificate, key: serving.key },
        }),
    });
    const running = server.run(signal);
    await Promise.race([server.ready, running]);
    const servers = await listen(server, {
      addresses: settings.listen,
      inherited: settings.listenFd.map(Number),
      // With the root in the chain, a node that joins can check it against the hash it was given.
      tls: {
        certificate: `${serving.certificate}\n${authority.certificate}`,
        key: serving.key,
        clientAuthorities: authority.certificate,
      },
    });
    const bound = servers.map(boundAddress);
    server.announce(announcementOf(bound));
    const urls = bound.map(urlOf);
    if (settings.kubeconfigOut !== undefined) {
      const client = await authority.issueClient({
        commonName: "kubernetes-admin",
        organizations: ["system:masters"],
      });
      const text = kubeconfig({
        cluster: "tandem",
        user: "kubernetes-admin",
        server: settings.advertise ?? urls[0] ?? "",
        authority: authority.certificate,
        client,
      });
      await files.write(settings.kubeconfigOut, text, { mode: 0o600 });
    }
    log.info("serving", { urls: urls.join(", ") });
    await running;
    for (const each of servers) each.close();
  } finally {
    await store.close();
  }
}

/** Where pods reach the server: one address per family, none of them loopback. */
function announcementOf(bound: readonly ListenAddress[]): Announcement {
  const places = bound.filter((place) => "port" in place);
  const addresses = places
    .flatMap(({ host }) => {
      const address = Address.parse(host);
      return address.isUnspecified
        ? machineAddresses().map((text) => Address.parse(text))
        : [address];
    })
    .filter((address) => !address.isLoopback);
  const { used } = firstOfEachFamily(addresses);
  return { addresses: used.map(String), port: places[0]?.port ?? 0 };
}

function usedCidrs({ serviceCidr, log }: ServerSettings): Prefix[] {
  const { used, ignored } = firstOfEachFamily(serviceCidr);
  for (const prefix of ignored) {
    log.warn("ignored a service CIDR: there is one of its family before it", {
      cidr: prefix.toString(),
    });
  }
  return used;
}

/** Everything a client may call the server by. */
function serverNames(
  { listen: places, tlsSan }: ServerSettings,
  cidrs: readonly Prefix[],
): ServerNames {
  const dnsNames = new Set(["localhost", hostname(), ...ownNames, `${ownNames[2]}.cluster.local`]);
  const addresses = new Set(["127.0.0.1", "::1", ...cidrs.map((cidr) => String(cidr.at(1n)))]);
  for (const place of places) {
    if (!("host" in place) || place.host === "localhost") continue;
    const address = Address.tryParse(place.host);
    if (address === undefined || address.isUnspecified) {
      for (const one of machineAddresses()) addresses.add(one);
    } else {
      addresses.add(address.toString());
    }
  }
  for (const name of tlsSan.filter((each) => each !== "")) {
    const address = Address.tryParse(name);
    if (address === undefined) dnsNames.add(name);
    else addresses.add(address.toString());
  }
  return { dnsNames: [...dnsNames], addresses: [...addresses] };
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((infos) => infos ?? [])
    .map(({ address }) => Address.tryParse(address))
    .filter((address) => address !== undefined && !address.isLinkLocal)
    .map(String);
}

function urlOf(bound: ListenAddress): string {
  if (!("port" in bound)) return "";
  const host = bound.host.includes(":") ? `[${bound.host}]` : bound.host;
  return `https://${host}:${bound.port}`;
}

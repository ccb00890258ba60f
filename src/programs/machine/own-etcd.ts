// The etcd that install runs: its root, this machine's certificate, and its membership.

import { EtcdClient } from "../../base/etcd/client.ts";
import { isNotYet, isUnavailable, isUnknownOutcome } from "../../base/etcd/errors.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { until } from "../../base/host/until.ts";
import type { Address } from "../../base/net/address.ts";
import { hostPort } from "../../base/net/host-port.ts";
import {
  createAuthority,
  type KeyPair,
  openAuthority,
  serverCertificate,
} from "../../control/apiserver/apiserver.ts";
import {
  configPath,
  type EtcdPeer,
  etcdFiles,
  etcdPorts,
  machinePlaces,
  memberNames,
  peerUrl,
  readConfigValues,
  refused,
} from "../../install/machine/machine.ts";

const now = () => new Date();
/** How long etcd may take for a change of its members. */
const changeMs = 30_000;
/** How long a machine that is reset waits for members that may be lost. */
const leaveMs = 10_000;

/** The root of the members' certificates, and the members' addresses for clients. */
export interface EtcdAccess {
  readonly root: KeyPair;
  readonly endpoints: readonly string[];
}

export async function readRoot(): Promise<KeyPair | undefined> {
  const certificate = await systemFiles.read(etcdFiles.root);
  const key = await systemFiles.read(etcdFiles.rootKey);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** Writes the root, a new one unless it is given or there is one, and a certificate for this machine's member. */
export async function prepareMember(
  addresses: readonly Address[],
  given?: KeyPair,
): Promise<KeyPair> {
  await systemFiles.makePrivateDirectory(machinePlaces.server);
  await systemFiles.makePrivateDirectory(machinePlaces.etcdPki);
  const root = given ?? (await readRoot()) ?? (await createAuthority("etcd", { now }));
  await systemFiles.write(etcdFiles.rootKey, root.key, { mode: 0o600 });
  await systemFiles.write(etcdFiles.root, root.certificate);
  const authority = await openAuthority(root, { now });
  const names = memberNames(addresses.map(String));
  const about = { files: systemFiles, directory: machinePlaces.etcdPki, authority, names, now };
  return await serverCertificate(about);
}

/** Whether this machine's member has data: it has begun, and is known to the others. */
export async function hasData(): Promise<boolean> {
  return (await systemFiles.list(machinePlaces.etcd)).includes("member");
}

/** Returns the members besides this machine's, as the one that joins is told. Changes nothing. */
export async function otherMembers(
  access: EtcdAccess,
  own: readonly Address[],
  signal: AbortSignal,
): Promise<readonly EtcdPeer[]> {
  // A certificate for this question only: nothing is written before all is checked.
  const authority = await openAuthority(access.root, { now });
  const asking = await authority.issueClient({ commonName: "tandem-install" });
  const client = openClient(access, asking);
  try {
    const members = await client.members({ signal });
    return members.filter(({ peerUrls }) => !peerUrls.includes(peerUrl(own)));
  } finally {
    client.close();
  }
}

/**
 * Makes this machine a member that only follows, and returns the others. A member with this machine's address
 * that has lost its data is replaced: etcd lets no member begin twice.
 */
export async function addMember(
  access: EtcdAccess,
  { addresses, certificate }: { addresses: readonly Address[]; certificate: KeyPair },
  signal: AbortSignal,
): Promise<readonly EtcdPeer[]> {
  const own = peerUrl(addresses);
  const client = openClient(access, certificate);
  const isOwn = ({ peerUrls }: EtcdPeer) => peerUrls.includes(own);
  try {
    const former = (await client.members({ signal })).find(isOwn);
    if (former !== undefined) await client.removeMember(former.id, { signal });
    // Servers that join at the same time take turns: etcd has one learner at a time.
    const add = async () => {
      const members = await client.members({ signal });
      if (members.some(isOwn)) return members;
      return await unlessRefused(() => client.addLearner([own], { signal }));
    };
    const what = "etcd takes a further member";
    const waiting = { clock: systemClock, what, limitMs: changeMs, pauseMs: 200, signal };
    return (await until(add, waiting)).filter((each) => !isOwn(each));
  } finally {
    client.close();
  }
}

/** Gives this machine's member its vote once it has caught up. */
export async function promoteMember(
  access: EtcdAccess,
  { addresses, certificate }: { addresses: readonly Address[]; certificate: KeyPair },
  options: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const { signal } = options;
  const client = openClient(access, certificate);
  try {
    const promote = async () => {
      const members = await client.members({ signal });
      const own = members.find(({ peerUrls }) => peerUrls.includes(peerUrl(addresses)));
      if (own === undefined) {
        const hint = "If its data are of another cluster, 'tandem reset' removes them.";
        throw refused("the other servers' etcd does not know this machine's member", hint);
      }
      if (!own.isLearner) return true as const;
      await unlessRefused(() => client.promoteMember(own.id, { signal }));
      return undefined;
    };
    const what = "this machine's etcd has caught up ('journalctl -u tandem-etcd' has more)";
    await until(promote, { clock: systemClock, what, pauseMs: 200, ...options });
  } finally {
    client.close();
  }
}

/** Takes the member with this URL out of the cluster, if there are others. */
export async function removeMember(url: string, signal: AbortSignal): Promise<void> {
  const root = await readRoot();
  if (root === undefined) return;
  const authority = await openAuthority(root, { now });
  const certificate = await authority.issueClient({ commonName: "tandem-reset" });
  const configured = readConfigValues(await systemFiles.read(configPath("etcd")));
  const urls = configured["advertise-client-urls"];
  if (typeof urls !== "string") return;
  const endpoints = urls.split(",");
  const members = await asked({ root, endpoints }, certificate, (client) =>
    client.members({ signal, timeoutMs: leaveMs }),
  );
  const own = members.find(({ peerUrls }) => peerUrls.includes(url));
  const others = members.filter((each) => each !== own);
  if (own === undefined || others.length === 0) return;
  // The others are asked, since a member that is removed stops before it answers.
  const elsewhere = { root, endpoints: others.flatMap(({ clientUrls }) => clientUrls) };
  await asked(elsewhere, certificate, (client) =>
    client.removeMember(own.id, { signal, timeoutMs: leaveMs }),
  );
}

/** The addresses at which the members on these machines serve clients. */
export function clientEndpoints(addresses: readonly Address[]): readonly string[] {
  return addresses.map((address) => `https://${hostPort(address, etcdPorts.client)}`);
}

async function asked<T>(
  access: EtcdAccess,
  certificate: KeyPair,
  ask: (client: EtcdClient) => Promise<T>,
): Promise<T> {
  const client = openClient(access, certificate);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

function openClient({ root, endpoints }: EtcdAccess, { certificate, key }: KeyPair): EtcdClient {
  return new EtcdClient({ endpoints, tls: { ca: root.certificate, cert: certificate, key } });
}

/** Returns `undefined` if etcd answers that it cannot do this now. */
async function unlessRefused<T>(change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await change();
  } catch (error) {
    if (isUnavailable(error) || isUnknownOutcome(error) || isNotYet(error)) return undefined;
    throw error;
  }
}

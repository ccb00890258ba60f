// Gives the agent the identity of a node: from its kept certificates, with a token, or with a kubeconfig
// whose user may create tokens.
import { lookup } from "node:dns/promises";
import { join } from "node:path";
import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { Address } from "../../base/net/address.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { createBootstrapToken } from "../../control/apiserver/apiserver.ts";
import {
  enrol,
  type Identity,
  type Invitation,
  keepIdentity,
  openIdentityStore,
} from "../../node/join/join.ts";

export interface JoinSettings {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly caHash?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly dataDir: string;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Membership {
  readonly client: Client;
  readonly identity: Identity;
  readonly server: URL;
  /** The path of the certificate by which the server is known. */
  readonly authority: string;
  /** Renews the certificates before they expire and passes each new identity to `onRenewed`. */
  keep(onRenewed: (identity: Identity) => void): Part;
}

const parts = { clock: systemClock, random: systemRandom };
const component = "tandem-agent";
const tokenLifetimeMs = 120_000;

export async function becomeNode(
  settings: JoinSettings,
  node: {
    readonly name: string;
    readonly addresses: readonly Address[];
    readonly metrics?: Registry | undefined;
    /** Decodes what the server answers, for nodes that share a process. */
    readonly read?: ((text: string) => unknown) | undefined;
  },
  signal: AbortSignal,
): Promise<Membership> {
  const { log, caHash: pin } = settings;
  const store = openIdentityStore(systemFiles, join(settings.dataDir, "identity"));
  const server = await serverOf(settings, store.kubeconfig);
  const wish = { server, nodeName: node.name, addresses: node.addresses };
  const invitation = () => invitationOf(settings, server, signal);
  const identity = await enrol({ ...parts, wish, store, invitation, pin, log, signal });
  const access = await loadAccess(machineOf(settings), { file: store.kubeconfig });
  const client = connect(access, { ...parts, component, metrics: node.metrics, read: node.read });
  return {
    client,
    identity,
    server,
    authority: store.authority,
    keep: (onRenewed) =>
      keepIdentity({
        ...parts,
        identity,
        wish,
        store,
        transport: client.transport,
        onRenewed,
        log,
      }),
  };
}

/** Returns the addresses of the API server, as far as they are known before the node has joined. */
export async function serverAddresses(settings: JoinSettings): Promise<readonly Address[]> {
  const store = openIdentityStore(systemFiles, join(settings.dataDir, "identity"));
  const { hostname } = await serverOf(settings, store.kubeconfig);
  const address = Address.tryParse(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (address !== undefined) return [address];
  try {
    const found = await lookup(hostname, { all: true });
    return found.flatMap(({ address: text }) => Address.tryParse(text) ?? []);
  } catch (error) {
    settings.log.debug("Cannot tell the address of the server", { error });
    return [];
  }
}

async function serverOf(settings: JoinSettings, kept: string): Promise<URL> {
  if (settings.server !== undefined) return serverUrl(settings.server);
  const file = settings.kubeconfig ?? kept;
  if (settings.kubeconfig === undefined && (await systemFiles.read(kept)) === undefined) {
    throw new UsageError("Cannot join a cluster: --server is not given", { hint: joinHint });
  }
  return (await loadAccess(machineOf(settings), { file })).server;
}

function serverUrl(text: string): URL {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (url?.protocol === "https:") return url;
  throw new UsageError(`Cannot use --server "${text}": it is no https:// address`);
}

const joinHint =
  "'tandem token create --print-join-command' on a machine with the administrator's kubeconfig prints how.";

async function invitationOf(
  settings: JoinSettings,
  server: URL,
  signal: AbortSignal,
): Promise<Invitation> {
  const { token, caHash, kubeconfig } = settings;
  if (kubeconfig !== undefined && token === undefined)
    return await invite(settings, server, signal);
  if (token === undefined) {
    throw new UsageError("Cannot join a cluster: --token is not given", { hint: joinHint });
  }
  if (caHash === undefined) {
    const message =
      "Cannot join a cluster: --ca-hash is not given, so that anyone could be the server";
    throw new UsageError(message, { hint: joinHint });
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(caHash)) {
    throw new UsageError(`Cannot use --ca-hash "${caHash}": it is not sha256: and 64 digits`);
  }
  return { token, pin: caHash };
}

/**
 * Creates a bootstrap token as the user of the kubeconfig: whoever may create tokens may let a machine join.
 */
async function invite(
  settings: JoinSettings,
  server: URL,
  signal: AbortSignal,
): Promise<Invitation> {
  const access = await loadAccess(machineOf(settings), { file: settings.kubeconfig });
  const client = connect({ ...access, server }, { ...parts, component });
  try {
    const expires = new Date(systemClock.now() + tokenLifetimeMs);
    const { token, secret } = createBootstrapToken({ expires, description: "made by an agent" });
    const { metadata, type, data } = secret;
    await client.resource("v1", "Secret").create({ metadata, type, data: { ...data } }, { signal });
    return { token, pin: { authority: access.authorities ?? "" } };
  } finally {
    client.transport.close();
  }
}

function machineOf({ env }: JoinSettings) {
  const commands = systemCommands();
  return { files: systemFiles, commands, clock: systemClock, environment: env };
}

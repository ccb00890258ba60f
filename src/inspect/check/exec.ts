// Runs a command in a container, as `kubectl exec` does.

import { WebSocket } from "ws";
import type { Access } from "../../api/client/access.ts";
import { defined } from "../../base/json/defined.ts";

export interface RemoteCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  /** Ends the command. */
  readonly signal: AbortSignal;
}

export interface RemoteOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The channel of a message, which is its first byte. */
const channels = { stdout: 1, stderr: 2, status: 3 } as const;
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

export async function execute(access: Access, call: RemoteCall): Promise<RemoteOutput> {
  const { signal } = call;
  signal.throwIfAborted();
  const socket = await open(access, call);
  const onAbort = () => socket.terminate();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const said = await conversation(socket);
    signal.throwIfAborted();
    const status = said.get(channels.status);
    if (status === undefined) throw new Error("the connection was lost");
    return {
      exitCode: exitCodeOf(status),
      stdout: said.get(channels.stdout) ?? "",
      stderr: said.get(channels.stderr) ?? "",
    };
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new Error(`Cannot execute in pod ${call.pod}`, { cause });
  } finally {
    signal.removeEventListener("abort", onAbort);
    socket.terminate();
  }
}

async function open(access: Access, call: RemoteCall): Promise<WebSocket> {
  const { server, authorities, serverName, insecure = false, impersonation, credentials } = access;
  const { authorization, certificate, key } = await credentials.current(call.signal);
  return new WebSocket(addressOf(server, call), protocols, {
    headers: { ...impersonation, ...defined({ authorization }) },
    rejectUnauthorized: !insecure,
    ...defined({ ca: authorities, servername: serverName, cert: certificate, key }),
  });
}

function addressOf(server: URL, { namespace, pod, container, command }: RemoteCall): URL {
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec`;
  const url = new URL(server.pathname.replace(/\/$/, "") + path, server);
  url.protocol = server.protocol === "http:" ? "ws:" : "wss:";
  const words = command.map((word) => ["command", word]);
  url.search = new URLSearchParams([
    ["container", container],
    ["stdout", "true"],
    ["stderr", "true"],
    ...words,
  ]).toString();
  return url;
}

/** Collects everything that was received, by channel. */
async function conversation(socket: WebSocket): Promise<ReadonlyMap<number, string>> {
  const said = new Map<number, string>();
  await new Promise<void>((resolve, reject) => {
    socket.on("message", (message: Buffer) => {
      const channel = message[0] ?? 0;
      said.set(channel, (said.get(channel) ?? "") + message.subarray(1).toString());
    });
    socket.once("close", () => resolve());
    socket.once("error", reject);
  });
  return said;
}

interface ExitStatus {
  readonly status?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

function exitCodeOf(text: string): number {
  const { status, message, details } = JSON.parse(text) as ExitStatus;
  if (status === "Success") return 0;
  const exit = details?.causes?.find(({ reason }) => reason === "ExitCode");
  if (exit === undefined) throw new Error(message ?? text);
  return Number(exit.message);
}

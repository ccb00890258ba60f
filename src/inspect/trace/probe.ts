// Sends one real packet from inside of a namespace by socat(1), and returns its outcome.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import { CommandError } from "../../base/host/error.ts";
import { defined } from "../../base/json/defined.ts";
import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import type { Protocol } from "../../node/proxy/proxy.ts";
import type { ProbeMark } from "./marks.ts";
import { initPacket, readSctpAnswer } from "./sctp-packet.ts";

export interface Probe {
  readonly protocol: Protocol;
  /** The source address; the kernel chooses it if not given. */
  readonly source: Address | undefined;
  readonly destination: Address;
  readonly port: number;
  readonly timeoutMs: number;
}

export type ProbeOutcome = "answered" | "refused" | "unreachable" | "unsendable" | "silent";

export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  /** The kernel's error message: `Connection refused`. */
  readonly detail: string | undefined;
}

export async function sendProbe(
  mark: ProbeMark,
  probe: Probe,
  { commands, signal }: CallOptions & { readonly commands: Commands },
): Promise<ProbeResult> {
  const seconds = (probe.timeoutMs / 1000).toFixed(3);
  const { words, stdin } = methods[probe.protocol](probe, { seconds, mark });
  const serviceField = `${serviceFields[probe.destination.family]}=${mark.codePoint << 2}`;
  const command = ["socat", "-d", ...words.slice(0, -1), `${words.at(-1)},${serviceField}`];
  try {
    const output = await commands.run(command, {
      signal,
      timeoutMs: probe.timeoutMs + 30_000,
      ...defined({ stdin }),
    });
    return heard(probe.protocol, output.stdout, output.stderr);
  } catch (error) {
    if (error instanceof CommandError && error.exitCode !== undefined) return failed(error.stderr);
    throw error;
  }
}

const serviceFields: Readonly<Record<Family, string>> = {
  IPv4: "ip-tos",
  IPv6: "ipv6-tclass",
};

interface Method {
  /** The arguments of socat; options can be appended to the last one. */
  readonly words: readonly string[];
  readonly stdin?: string | Uint8Array;
}

interface Terms {
  readonly seconds: string;
  readonly mark: ProbeMark;
}

const methods: Readonly<Record<Protocol, (probe: Probe, terms: Terms) => Method>> = {
  tcp: (probe, { seconds }) => ({
    words: [
      "-u",
      "OPEN:/dev/null,rdonly",
      `TCP${digit(probe)}-CONNECT:${target(probe)},connect-timeout=${seconds}${from(probe)}`,
    ],
  }),
  udp: (probe, { seconds }) => ({
    words: [
      "-t",
      seconds,
      "-",
      `UDP${digit(probe)}-CONNECT:${target(probe)},readbytes=1${from(probe)}`,
    ],
    stdin: "tandem trace\n",
  }),
  // SCTP is sent as raw packets, since not every kernel has SCTP sockets.
  sctp: (probe, { seconds, mark }) => ({
    words: [
      "-t",
      seconds,
      "-x",
      "-",
      `IP${digit(probe)}-SENDTO:${host(probe.destination)}:132${from(probe)}`,
    ],
    stdin: initPacket({ source: mark.rawPort, destination: probe.port }),
  }),
};

function heard(protocol: Protocol, stdout: string, stderr: string): ProbeResult {
  if (protocol === "tcp") return { outcome: "answered", detail: undefined };
  if (protocol === "sctp") return { outcome: readSctpAnswer(stderr), detail: undefined };
  return { outcome: stdout === "" ? "silent" : "answered", detail: undefined };
}

function failed(stderr: string): ProbeResult {
  const detail = /^\S+ \S+ socat\[\d+\] E .*?\)?: (.*)$/m.exec(stderr)?.[1] ?? stderr.trim();
  const outcome = phrases.find(([phrase]) => phrase.test(detail))?.[1] ?? "unsendable";
  return { outcome, detail };
}

const phrases: readonly (readonly [RegExp, ProbeOutcome])[] = [
  [/timed out/i, "silent"],
  [/refused|reset by peer/i, "refused"],
  [/unreachable|no route to host|permission denied/i, "unreachable"],
];

function digit({ destination }: Probe): string {
  return destination.family === "IPv4" ? "4" : "6";
}

function target({ destination, port }: Probe): string {
  return `${host(destination)}:${port}`;
}

function from({ source }: Probe): string {
  return source === undefined ? "" : `,bind=${host(source)}`;
}

function host(address: Address): string {
  return address.family === "IPv4" ? address.toString() : `[${address.toString()}]`;
}

// Reads nft's trace of denied packets, and formats denials.

import { defined } from "../../../base/json/defined.ts";
import { type Protocol, protocols } from "../plan/model.ts";

export interface TracedPacket {
  readonly source: string;
  readonly destination: string;
  /** The protocol: tcp, udp or sctp, else the name that nft gives it. */
  readonly protocol: string;
  readonly port: number;
}

export interface Denial extends TracedPacket {
  readonly time: string;
  readonly from?: string;
  readonly to?: string;
  readonly direction: string;
  readonly by: string;
  readonly isAudited: boolean;
}

/** Parses a line of `nft monitor trace` that shows a packet in our chain `denied`. */
export function readTraceLine(line: string): TracedPacket | undefined {
  const match = /^trace id \S+ (ip6?) tandem-policy denied packet: (.*)$/.exec(line.trim());
  const [, ip, text = ""] = match ?? [];
  if (ip === undefined) return undefined;
  const value = (name: string): string | undefined =>
    new RegExp(`(?:^| )${name} (\\S+)`).exec(text)?.[1];
  const source = value(`${ip} saddr`);
  const destination = value(`${ip} daddr`);
  if (source === undefined || destination === undefined) return undefined;
  const protocol =
    protocols.find((one) => value(`${one} dport`) !== undefined) ??
    value(ip === "ip" ? "ip protocol" : "ip6 nexthdr") ??
    "";
  return { source, destination, protocol, port: Number(value(`${protocol} dport`) ?? 0) };
}

export function trafficOf({ protocol, port }: TracedPacket) {
  const known = protocols.find((one): one is Protocol => one === protocol);
  return { port, ...defined({ protocol: known }) };
}

export function denialText(denial: Denial): string {
  const { time, direction, by, isAudited, protocol, port } = denial;
  const place = port === 0 ? protocol : `${port}/${protocol}`;
  const verdict = isAudited ? "would be denied" : "denied";
  return `${time} ${endText(denial.source, denial.from)} to ${endText(denial.destination, denial.to)} ${place} ${direction} ${verdict}: ${by}`;
}

function endText(address: string, pod: string | undefined): string {
  return pod === undefined ? address : `${pod} (${address})`;
}

// Parses the lines of `nft monitor trace`.

/** The parts of a packet's header that tell where it is going. */
export interface Header {
  readonly source: string;
  readonly destination: string;
  /** The port; `undefined` in later fragments of a datagram, and for protocols without ports. */
  readonly sourcePort: number | undefined;
  readonly destinationPort: number | undefined;
  /** The TTL or hop limit. */
  readonly hopsLeft: number;
  readonly inDevice: string | undefined;
  readonly outDevice: string | undefined;
}

interface Located {
  /** The trace id, the same for all lines about one packet. */
  readonly id: string;
  /** The table's family and name: `inet filter`. */
  readonly table: string;
  readonly chain: string;
}

export type TraceLine = Located &
  (
    | { readonly kind: "packet"; readonly header: Header }
    | { readonly kind: "rule"; readonly rule: string; readonly verdict: string }
    | { readonly kind: "policy"; readonly verdict: string }
  );

/** Parses a line; returns `undefined` if it is about something else. */
export function readTraceLine(line: string): TraceLine | undefined {
  const [, id, table, chain, rest] = pattern.exec(line) ?? [];
  if (id === undefined || table === undefined || chain === undefined || rest === undefined) {
    return undefined;
  }
  const located = { id, table, chain };
  if (rest.startsWith("packet: ")) return { ...located, kind: "packet", header: header(rest) };
  const [, policy] = /^policy (\S+)/.exec(rest) ?? [];
  if (policy !== undefined) return { ...located, kind: "policy", verdict: policy };
  const [, rule, verdict] = /^(?:unknown )?rule (.*) \(verdict (.*)\)$/.exec(rest) ?? [];
  if (rule === undefined || verdict === undefined) return undefined;
  return { ...located, kind: "rule", rule, verdict };
}

const pattern = /^trace id (\S+) (\S+ \S+) (\S+) (.*?)\s*$/;

function header(text: string): Header {
  const field = (name: string): string | undefined =>
    new RegExp(`(?:^|\\s)(?:${name}) (\\S+)`).exec(text)?.[1];
  const port = (name: string): number | undefined => {
    const value = field(`(?:tcp|udp|sctp) ${name}`);
    return value === undefined ? undefined : Number(value);
  };
  return {
    source: field("ip6? saddr") ?? "",
    destination: field("ip6? daddr") ?? "",
    sourcePort: port("sport"),
    destinationPort: port("dport"),
    hopsLeft: Number(field("ip ttl|ip6 hoplimit")),
    inDevice: field("iif")?.replaceAll('"', ""),
    outDevice: field("oif")?.replaceAll('"', ""),
  };
}

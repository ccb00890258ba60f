// What a page asks to be traced, and the command that does the same.

import { type Family, families } from "../../../base/net/family.ts";
import { shellWord } from "../../../base/program/shell-word.ts";

export interface TraceRequest {
  /** A pod, node, address or "outside", as `tandem trace` reads them. */
  readonly from: string;
  /** The same, or a service, with its port: `shop/web:80`. */
  readonly to: string;
  /** Without one it is that of the service's port, or TCP. */
  readonly protocol: (typeof traceProtocols)[number] | undefined;
  readonly family: Family | undefined;
}

/** The way of one family's packet, as pages draw it. */
export interface TracedWay {
  readonly family: Family;
  readonly from: string;
  readonly to: string;
  readonly isDelivered: boolean;
  readonly verdict: string;
  /** Why, in a sentence without its full stop. */
  readonly text: string;
  readonly hops: readonly { readonly place: string; readonly lines: readonly string[] }[];
  readonly notes: readonly string[];
}

/** Returns the index of the first hop at which two ways are not in the same place, pods of a service aside. */
export function firstPartedHop(ways: readonly TracedWay[]): number | undefined {
  const [one, other] = ways;
  if (one === undefined || other === undefined) return undefined;
  const shortest = Math.min(one.hops.length, other.hops.length);
  for (let at = 0; at < shortest; at++) {
    if (kindOfPlace(one.hops[at]) !== kindOfPlace(other.hops[at])) return at;
  }
  // Where one ends and the other goes on, they part in the last place that both have seen.
  const isSame = one.hops.length === other.hops.length && one.verdict === other.verdict;
  return isSame ? undefined : shortest - 1;
}

/** Pods are alike here: a service sends each connection to any of its own. */
function kindOfPlace(hop: TracedWay["hops"][number] | undefined): string | undefined {
  return hop?.place.startsWith("pod ") === true ? "pod" : hop?.place;
}

export const traceProtocols = ["tcp", "udp", "sctp"] as const;

/** Names, addresses and ports; no option of a command begins like that. */
const party = /^[\w[][\w.:/[\]-]{0,300}$/;

/** Reads what a page sent; undefined if it is no request. */
export function readTraceRequest(text: string): TraceRequest | undefined {
  const value = parsed(text);
  const { from, to, protocol, family } = value;
  if (typeof from !== "string" || !party.test(from)) return undefined;
  if (typeof to !== "string" || !party.test(to)) return undefined;
  return {
    from,
    to,
    protocol: traceProtocols.find((one) => one === protocol),
    family: families.find((one) => one === family),
  };
}

export function traceCommand({ from, to, protocol, family }: TraceRequest): string {
  const flags = [
    ...(protocol === undefined ? [] : [`--protocol ${protocol}`]),
    ...(family === undefined ? [] : [`--family ${family}`]),
  ];
  return ["tandem trace", shellWord(from), shellWord(to), ...flags].join(" ");
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

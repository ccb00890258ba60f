// The cells of a check of policies: who is tried with whom, on which ports, and what policies say of it.

import type { Family } from "../../../base/net/family.ts";
import { explain, type Policy, type PolicyState } from "../../../node/policy/policy.ts";
import type { Witness, WitnessPlan } from "./witnesses.ts";

export interface TriedPort {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
}

export interface Cell extends TriedPort {
  readonly from: Witness;
  readonly to: Witness;
  readonly family: Family;
  readonly destination: string;
  /** Whether the policies let it pass. */
  readonly passes: boolean;
  /** The rules that decide, or what no rule allows. */
  readonly by: string;
}

const mostPorts = 12;
/** Ports that hardly any policy is about. */
const otherPorts = [9, 11, 13, 17, 19];

/** Returns the ports at which rules begin and end, and one that they are not about. */
export function portsOf(
  policies: readonly Policy[],
  { ports: named }: Pick<WitnessPlan, "ports">,
): readonly TriedPort[] {
  const rules = policies.flatMap((policy) => Object.values(policy.rules).flat());
  const matches = rules.flatMap(({ ports = [] }) => ports);
  const found = matches.flatMap((match): TriedPort[] => {
    if ("name" in match) return [];
    const { protocol, from, to } = match;
    return protocol === "sctp" ? [] : [from, to].map((port) => ({ protocol, port }));
  });
  const ofNames = named.flatMap(({ protocol, port }) =>
    protocol === "sctp" ? [] : [{ protocol, port }],
  );
  const all = [...found, ...ofNames].filter(({ port }) => port > 0);
  const others = (["tcp", "udp"] as const).flatMap((protocol) => {
    const isFree = (port: number) =>
      !all.some((one) => one.protocol === protocol && one.port === port);
    return otherPorts
      .filter(isFree)
      .slice(0, 1)
      .map((port) => ({ protocol, port }));
  });
  const distinct = new Map([...others, ...all].map((one) => [`${one.protocol} ${one.port}`, one]));
  return [...distinct.values()].slice(0, mostPorts);
}

export interface CellOptions {
  readonly namespace: string;
  readonly witnesses: readonly Witness[];
  readonly ports: readonly TriedPort[];
  readonly families: readonly Family[];
}

/** Returns the cells of all pairs of which one is in the namespace. */
export function cellsOf(
  state: PolicyState,
  { namespace, witnesses, ports, families }: CellOptions,
): readonly Cell[] {
  const addressOf = (one: Witness, family: Family): string | undefined =>
    state
      .pod(`${one.namespace}/${one.name}`)
      ?.addresses.find((address) => address.family === family)?.text;
  return witnesses.flatMap((from) =>
    witnesses.flatMap((to) => {
      if (from === to || ![from.namespace, to.namespace].includes(namespace)) return [];
      return families.flatMap((family) => {
        const [source, destination] = [addressOf(from, family), addressOf(to, family)];
        if (source === undefined || destination === undefined) return [];
        return ports.map((port) => {
          const said = explain(state, { source, destination, ...port });
          const denial = said.find(({ isAllowed, isAudited }) => !isAllowed && !isAudited);
          const by = denial?.by ?? (said.map((one) => one.by).join(" and ") || "no policy");
          return { from, to, family, destination, ...port, passes: denial === undefined, by };
        });
      });
    }),
  );
}

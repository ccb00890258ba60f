// Reads the frontends of a service from iptables chains, which src/node/proxy/iptables/rules.ts writes.

import type { Iptables } from "../../../base/host/iptables.ts";
import { isOwnedBy, type KernelPlace, type Lead, type ReadPlaces } from "./kernel-place.ts";

/** The longest comment of iptables, which is longer than any name of a service and its port. */
const longestComment = 255;

export function iptablesReader(iptables: Iptables): ReadPlaces {
  return async (service) => {
    const nat = parse(await iptables.save("nat"));
    const filter = parse(await iptables.save("filter"));
    const isOwn = ({ comment }: Rule): boolean => isOwnedBy(comment, service, longestComment);
    const dispatched = nat.rules.filter((rule) => isOwn(rule) && rule.target !== "");
    const translated = dispatched.map((rule) => translatedPlace(rule, { iptables, nat }));
    const isTranslated = (rule: Rule): boolean =>
      translated.some((place) => placeText(place) === placeText(rule));
    const refused = filter.rules.filter((rule) => isOwn(rule) && !isTranslated(rule));
    return [...translated, ...refusedPlaces(refused, iptables)];
  };
}

interface Rule {
  readonly chain: string;
  readonly address: string | undefined;
  readonly source: string | undefined;
  readonly protocol: string;
  readonly port: number;
  readonly comment: string;
  readonly target: string;
  readonly text: string;
}

interface Saved {
  readonly rules: readonly Rule[];
  readonly chains: ReadonlyMap<string, readonly Rule[]>;
}

function parse(saved: string): Saved {
  const chains = new Map<string, Rule[]>();
  for (const line of saved.split("\n")) {
    const [, chain, text = ""] = /^-A (TANDEM-\S+) (.*)$/.exec(line) ?? [];
    if (chain === undefined) continue;
    const word = (pattern: RegExp): string | undefined => pattern.exec(text)?.[1];
    const rules = chains.get(chain) ?? [];
    chains.set(chain, rules);
    rules.push({
      chain,
      address: word(/(?:^| )-d (\S+)\/(?:32|128)(?: |$)/),
      source: word(/(?:^| )-s (\S+)/),
      protocol: word(/(?:^| )-p (\S+)/) ?? "",
      port: Number(word(/--dport (\d+)/)),
      comment: word(/--comment "?([^" ]+)"?/) ?? "",
      target: word(/-[jg] (\S+)/) ?? "",
      text,
    });
  }
  return { rules: [...chains.values()].flat(), chains };
}

function translatedPlace(
  rule: Rule,
  { iptables, nat }: { readonly iptables: Iptables; readonly nat: Saved },
): KernelPlace {
  const rulesOf = (chain: string): readonly Rule[] => nat.chains.get(chain) ?? [];
  const first = rulesOf(rule.target);
  // The first chain may only check the source, and go on to the one that translates.
  const guards = first.filter(({ text }) => / -g TANDEM-A-/.test(` ${text}`));
  const main = guards[0] === undefined ? first : rulesOf(guards[0].target);
  const inside = main.find(({ text }) => / -g TANDEM-I-/.test(` ${text}`))?.target;
  const lead = (clients: Lead["clients"], rules: readonly Rule[]): Lead => {
    const endpoints = rules.flatMap((each) => [each, ...rulesOf(each.target)]).flatMap(endpointOf);
    const verdict = endpoints.length > 0 ? "translate" : "drop";
    return { clients, endpoints: [...new Set(endpoints)].toSorted(), verdict };
  };
  const others = main.filter(({ target }) => !target.startsWith("TANDEM-I-"));
  const all = [...main, ...(inside === undefined ? [] : rulesOf(inside))];
  const seconds = all.map(({ text }) => /--seconds (\d+)/.exec(text)?.[1]).find(Boolean);
  return {
    ...placeOf(rule, iptables),
    leads:
      inside === undefined
        ? [lead("all", main)]
        : [lead("inside", rulesOf(inside)), lead("outside", others)],
    affinitySeconds: seconds === undefined ? undefined : Number(seconds),
    allowedSources: guards.length === 0 ? undefined : guards.map(({ source = "" }) => source),
  };
}

function endpointOf({ text }: Rule): readonly string[] {
  const [, endpoint] = /--to-destination (\S+)/.exec(text) ?? [];
  return endpoint === undefined ? [] : [endpoint];
}

/** Returns the frontends that have no endpoints. */
function refusedPlaces(rules: readonly Rule[], iptables: Iptables): readonly KernelPlace[] {
  const byPlace = Map.groupBy(rules, placeText);
  return [...byPlace.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const allowed = of.flatMap(({ source }) => source ?? []);
    const verdict = first.target === "REJECT" ? "refuse" : "drop";
    return [
      {
        ...placeOf(first, iptables),
        leads: [{ clients: "all", endpoints: [], verdict } as const],
        affinitySeconds: undefined,
        allowedSources: allowed.length === 0 ? undefined : allowed,
      },
    ];
  });
}

function placeOf({ comment, address, protocol, port }: Rule, { family }: Iptables) {
  return { family, owner: comment, address, protocol, port };
}

function placeText({
  address = "*",
  protocol,
  port,
}: Pick<KernelPlace, "address" | "protocol" | "port">): string {
  return `${address} ${protocol} ${port}`;
}

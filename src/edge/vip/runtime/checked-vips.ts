// Validates the VIPs of a status before they reach keepalived: anyone who can write the status could
// otherwise move or drop the VIP that everybody uses.

import { Address } from "../../../base/net/address.ts";
import { firstOfEachFamily } from "../../../base/net/list.ts";
import { type VipCluster, type VipUse, vipUses } from "../cluster.ts";

type Vips = VipCluster["vips"];

export interface VipsToCheck {
  /** The VIPs as written in the status. */
  readonly given: Readonly<Record<VipUse, readonly string[]>>;
  /** The VIPs in force on this node, if there are any. */
  readonly known: Vips | undefined;
  /** The nodes' own addresses, each with the name of its node. */
  readonly nodes: readonly { readonly node: string; readonly address: Address }[];
  /** The field in which the VIPs of a use are written, for messages. */
  readonly fieldOf: (use: VipUse) => string;
}

export interface CheckedVips {
  readonly vips: Vips;
  /** The reasons why some VIPs differ from those in the status. */
  readonly problems: readonly string[];
}

/** Checks the VIPs; an invalid list leaves those in force, or if there are none, uses its valid entries. */
export function checkedVips({ given, known, nodes, fieldOf }: VipsToCheck): CheckedVips {
  const problems: string[] = [];
  const check = (use: VipUse): readonly Address[] => {
    const parsed = given[use].flatMap((text) => Address.tryParse(text) ?? []);
    const inForce = known?.[use] ?? [];
    const others = vipUses.filter((other) => other !== use).flatMap((other) => given[other]);
    const wrong = (vip: Address): string | undefined => {
      if (inForce.some((one) => one.equals(vip))) return undefined;
      const owner = nodes.find(({ address }) => address.equals(vip));
      if (owner !== undefined) return `VIP '${vip}' is the address of node ${owner.node}`;
      const isShared = others.some((other) => Address.tryParse(other)?.equals(vip));
      return isShared ? `VIPs cannot be equal, got '${vip}' for API and Ingress` : undefined;
    };
    const problem =
      notAddress(given[use]) ??
      tooMany(parsed) ??
      firstChanged(parsed, inForce) ??
      parsed.map(wrong).find((one) => one !== undefined);
    if (problem === undefined) return parsed;
    problems.push(`${fieldOf(use)}: ${problem}`);
    if (inForce.length > 0) return inForce;
    return firstOfEachFamily(parsed.filter((vip) => wrong(vip) === undefined)).used;
  };
  return { vips: { api: check("api"), ingress: check("ingress") }, problems };
}

function notAddress(texts: readonly string[]): string | undefined {
  const wrong = texts.find((text) => Address.tryParse(text) === undefined);
  return wrong === undefined ? undefined : `'${wrong}' is not an address`;
}

function tooMany(vips: readonly Address[]): string | undefined {
  const [further] = firstOfEachFamily(vips).ignored;
  return further && `VIP '${further}' is not the first of its family`;
}

/** The problem of a changed first VIP, which is not allowed. */
function firstChanged(vips: readonly Address[], inForce: readonly Address[]): string | undefined {
  const [requested] = vips;
  const [have] = inForce;
  if (have === undefined || requested?.equals(have) === true) return undefined;
  return `first VIP cannot be modified, have '${have}' and requested '${requested ?? ""}'`;
}

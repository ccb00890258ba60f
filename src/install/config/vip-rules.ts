import type { FieldError } from "../../api/fields/field-error.ts";
import { invalid, required } from "../../api/fields/field-errors.ts";
import { tooMany } from "../../api/kinds/checks.ts";
import { Address } from "../../base/net/address.ts";
import { nodeAddresses } from "./hosts.ts";
import type { Host } from "./install-config.ts";
import { familiesOf } from "./network-rules.ts";
import { type NetworkKind, type Networks, networkKinds } from "./networks.ts";
import { type VipUse, vipUses } from "./platforms.ts";
import { type Taken, vipConflict } from "./vip-conflicts.ts";
import type { GivenVips } from "./vips.ts";

interface Surroundings {
  readonly networks: Networks;
  readonly hosts: readonly Host[];
  /** Whether VIPs must be given, and lie in a machine network. */
  readonly isRequired: boolean;
  /** Whether the user runs the load balancer, whose VIPs may be equal for both uses, and from anywhere. */
  readonly hasOwnLoadBalancer: boolean;
}

/** The installer's rules for VIPs, with its messages; API and ingress may differ in number. */
export function vipErrors(
  vips: Readonly<Record<VipUse, GivenVips>>,
  around: Surroundings,
): FieldError[] {
  return vipUses.flatMap((use) => {
    const { field, texts } = vips[use];
    const { title, whenAlone } = words[use];
    if (texts.length === 0) {
      const other = vips[use === "api" ? "ingress" : "api"];
      return [
        ...(around.isRequired
          ? [required(field, `must specify at least one VIP for the ${title}`)]
          : []),
        ...(other.texts.length > 0 ? [required(field, whenAlone)] : []),
      ];
    }
    if (texts.length > 2) return tooMany(field, texts.length, 2);
    const taken = use === "api" ? vips.ingress.texts : [];
    return [
      ...texts.flatMap((text) => addressErrors(field, text, { ...around, taken })),
      ...pairErrors(vips[use], title),
      ...primaryFamilyErrors(vips[use], title, around.networks),
    ];
  });
}

const words: Readonly<Record<VipUse, { readonly title: string; readonly whenAlone: string }>> = {
  api: { title: "API", whenAlone: "must specify VIP for API, when VIP for ingress is set" },
  ingress: {
    title: "Ingress",
    whenAlone: "must specify VIP for ingress, when VIP for API is set",
  },
};

function addressErrors(
  field: string,
  text: string,
  around: Surroundings & { readonly taken: readonly string[] },
): FieldError[] {
  const address = Address.tryParse(text);
  if (address === undefined) {
    return [invalid(field, text, `${JSON.stringify(text)} is not a valid IP`)];
  }
  const conflict = vipConflict(address, takenBy(around));
  const errors = conflict === undefined ? [] : [invalid(field, text, `VIP ${conflict}`)];
  if (around.hasOwnLoadBalancer) return errors;
  if (around.taken.some((other) => Address.tryParse(other)?.equals(address))) {
    errors.push(invalid(field, text, "VIP for API must not be one of the Ingress VIPs"));
  }
  const machineNetworks = around.networks.machineNetwork.map(({ prefix }) => prefix);
  if (around.isRequired && !machineNetworks.some((network) => network.contains(address))) {
    const detail = `IP expected to be in one of the machine networks: ${machineNetworks.join(",")}`;
    errors.push(invalid(field, text, detail));
  }
  return errors;
}

function takenBy({ networks, hosts }: Surroundings): Taken {
  const prefixes = (kind: NetworkKind) => networks[kind].map(({ prefix }) => prefix);
  return {
    nodes: nodeAddresses(hosts),
    machineNetworks: prefixes("machineNetwork"),
    podNetworks: prefixes("clusterNetwork"),
    serviceNetworks: prefixes("serviceNetwork"),
  };
}

function pairErrors({ field, texts }: GivenVips, title: string): FieldError[] {
  if (texts.length !== 2) return [];
  const [first, second] = texts.map(Address.tryParse);
  if (first === undefined || second === undefined || first.family !== second.family) return [];
  const detail = `If two ${title} VIPs are given, one must be an IPv4 address, the other an IPv6`;
  return [invalid(field, texts, detail)];
}

/** Checks the family of a first VIP; a cluster is dual-stack when its service networks are. */
function primaryFamilyErrors(
  { field, texts: [text = ""] }: GivenVips,
  title: string,
  networks: Networks,
): FieldError[] {
  const address = Address.tryParse(text);
  if (address === undefined || familiesOf(networks.serviceNetwork).length < 2) return [];
  return networkKinds.flatMap((kind) => {
    if (familiesOf(networks[kind])[0] === address.family) return [];
    const detail = `${kind} primary IP Family and primary IP family for the ${title} VIP should match`;
    return [invalid(field, text, detail)];
  });
}

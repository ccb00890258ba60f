import type { FieldError } from "../../api/fields/field-error.ts";
import { invalid } from "../../api/fields/field-errors.ts";
import { bitsOf, type Family, families } from "../../base/net/family.ts";
import { type Network, type NetworkKind, type Networks, networkKinds } from "./networks.ts";
import type { Platform } from "./platforms.ts";

/** The installer's rules for sizes, overlaps and the order of families, with its messages. */
export function networkErrors(
  networks: Networks,
  options: { readonly networkType: string; readonly platform: Platform | undefined },
): FieldError[] {
  return [
    ...networkKinds.flatMap((kind) => overlapErrors(networks, kind)),
    ...hostPrefixErrors(networks.clusterNetwork, options.networkType),
    ...familyErrors(networks, options.platform),
  ];
}

/** The families of a list, in order of their first appearance. */
export function familiesOf(networks: readonly Network[]): Family[] {
  return [...new Set(networks.map(({ prefix }) => prefix.family))];
}

interface Overlap {
  readonly with: NetworkKind;
  readonly detail: (index: number) => string;
}

/** The kinds that a kind must not overlap with; within its own, a network is compared with those before. */
const overlaps: Readonly<Record<NetworkKind, readonly Overlap[]>> = {
  clusterNetwork: [
    {
      with: "machineNetwork",
      detail: () => "cluster network must not overlap with any of the machine networks",
    },
    {
      with: "serviceNetwork",
      detail: (index) => `cluster network must not overlap with service network ${index}`,
    },
    {
      with: "clusterNetwork",
      detail: (index) => `cluster network must not overlap with cluster network ${index}`,
    },
  ],
  machineNetwork: [
    {
      with: "machineNetwork",
      detail: (index) => `machine network must not overlap with machine network ${index}`,
    },
  ],
  serviceNetwork: [
    {
      with: "machineNetwork",
      detail: () => "service network must not overlap with any of the machine networks",
    },
    {
      with: "serviceNetwork",
      detail: (index) => `service network must not overlap with service network ${index}`,
    },
  ],
};

function overlapErrors(networks: Networks, kind: NetworkKind): FieldError[] {
  return networks[kind].flatMap((network, position) =>
    overlaps[kind].flatMap((rule) => {
      const others = rule.with === kind ? networks[kind].slice(0, position) : networks[rule.with];
      return others.flatMap((other, index) =>
        network.prefix.overlaps(other.prefix)
          ? [invalid(network.path, network.prefix.toString(), rule.detail(index))]
          : [],
      );
    }),
  );
}

/** The network plugins that give each node a prefix of its own. */
const pluginsWithHostPrefix = ["OVNKubernetes", "OpenShiftSDN", "Tandem"];

function hostPrefixErrors(networks: readonly Network[], networkType: string): FieldError[] {
  const isNeeded = pluginsWithHostPrefix.includes(networkType);
  const firstHostPrefix = networks.find(({ prefix }) => prefix.family === "IPv4")?.hostPrefix;
  return networks.flatMap(({ path, prefix, hostPrefix }) => {
    const length = hostPrefix ?? 0;
    if (length === 0 && !isNeeded) return [];
    const problem = hostPrefixProblem({ length, prefix, firstHostPrefix });
    return problem === undefined ? [] : [invalid(`${path}.hostPrefix`, length, problem)];
  });
}

function hostPrefixProblem(given: {
  length: number;
  prefix: Network["prefix"];
  firstHostPrefix: number | undefined;
}): string | undefined {
  const { length, prefix, firstHostPrefix } = given;
  const subnetwork = "cluster network host subnetwork prefix";
  if (length < 0) return "hostPrefix must be positive";
  if (length < prefix.length) return `${subnetwork} must not be larger size than CIDR ${prefix}`;
  if (length > bitsOf(prefix.family)) {
    return `${subnetwork} must not be longer than ${bitsOf(prefix.family)} for ${prefix.family} networks`;
  }
  if (prefix.family === "IPv6") {
    return length === 64 ? undefined : `${subnetwork} must be 64 for IPv6 networks`;
  }
  return length === firstHostPrefix
    ? undefined
    : `${subnetwork} must be the same value for IPv4 networks`;
}

function familyErrors(networks: Networks, platform: Platform | undefined): FieldError[] {
  const present = new Set(networkKinds.flatMap((kind) => familiesOf(networks[kind])));
  const written = (kind: NetworkKind) => networks[kind].map(({ prefix }) => prefix).join(", ");
  const service = networks.serviceNetwork;
  if (present.size < 2) {
    const detail = "only one service network can be specified";
    const isIPv4 = present.has("IPv4");
    return isIPv4 && service.length > 1
      ? [invalid("networking.serviceNetwork", written("serviceNetwork"), detail)]
      : [];
  }
  const errors: FieldError[] = [];
  if (service.length !== 2) {
    const detail =
      "when installing dual-stack IPv4/IPv6 you must provide two service networks, one for each IP address type";
    errors.push(invalid("networking.serviceNetwork", written("serviceNetwork"), detail));
  }
  for (const kind of networkKinds) {
    const found = familiesOf(networks[kind]);
    const missing = families.find((family) => !found.includes(family));
    if (missing !== undefined) {
      const detail = `dual-stack IPv4/IPv6 requires an ${missing} network in this list`;
      errors.push(invalid(`networking.${kind}`, written(kind), detail));
    } else if (platform?.isIPv4First === true && found[0] !== "IPv4") {
      const detail = "IPv4 addresses must be listed before IPv6 addresses";
      errors.push(invalid(`networking.${kind}`, written(kind), detail));
    }
  }
  return errors;
}

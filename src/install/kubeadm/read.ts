// Reads kubeadm's configuration, in its current versions and in the one that dual stack was first designed
// for.

import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import { parseAddressList, parsePrefixList } from "../../base/net/list.ts";
import type { NodeCidrSizes } from "../../base/net/node-cidr-sizes.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { messageOf, UsageError } from "../../base/program/errors.ts";
import { checkRanges } from "../ranges/ranges.ts";
import { argumentsOf, fieldOf, isMapping, type Mapping } from "./fields.ts";

export interface KubeadmConfiguration {
  /** The addresses to advertise: at most one per family, as in all lists below. */
  readonly advertiseAddresses: readonly Address[];
  readonly bindPort: number;
  readonly podSubnets: readonly Prefix[];
  readonly serviceSubnets: readonly Prefix[];
  readonly nodeCidrSizes: NodeCidrSizes;
  readonly certificateNames: readonly string[];
  readonly version?: string | undefined;
  readonly imageRepository?: string | undefined;
}

const group = "kubeadm.k8s.io";
const versions = ["v1alpha1", "v1alpha2", "v1alpha3", "v1beta1", "v1beta2", "v1beta3", "v1beta4"];
/** The former kind, which combined the later two documents. */
const oldKind = "MasterConfiguration";

/** Reads the documents; undefined when they are of other kinds. A UsageError names field and value. */
export function readKubeadm(documents: readonly unknown[]): KubeadmConfiguration | undefined {
  const mappings = documents.filter(isMapping);
  const cluster = mappings.find((each) => isOf(each, ["ClusterConfiguration", oldKind]));
  const init = mappings.find((each) => isOf(each, ["InitConfiguration", oldKind]));
  if (cluster === undefined && init === undefined) return undefined;
  const apiServer = argumentsOf(cluster, "apiServer.extraArgs", "apiServerExtraArgs");
  const controllers = argumentsOf(
    cluster,
    "controllerManager.extraArgs",
    "controllerManagerExtraArgs",
  );
  const configuration = {
    advertiseAddresses: [
      ...addresses(init, "localAPIEndpoint.advertiseAddress"),
      ...addresses(init, "api.advertiseAddress"),
    ],
    bindPort: port(init, "localAPIEndpoint.bindPort") ?? port(init, "api.bindPort") ?? 6443,
    podSubnets: prefixes(cluster, "networking.podSubnet", controllers.get("cluster-cidr")),
    serviceSubnets: prefixes(
      cluster,
      "networking.serviceSubnet",
      apiServer.get("service-cluster-ip-range"),
    ),
    nodeCidrSizes: Object.fromEntries(
      (["IPv4", "IPv6"] as const).flatMap((family) => {
        const size = controllers.get(`node-cidr-mask-size-${family.toLowerCase()}`);
        return size === undefined ? [] : [[family, Number(size)] satisfies [Family, number]];
      }),
    ),
    certificateNames:
      texts(cluster, "apiServer.certSANs") ?? texts(cluster, "apiServerCertSANs") ?? [],
    version: text(cluster, "kubernetesVersion"),
    imageRepository: text(cluster, "imageRepository"),
  };
  check(configuration);
  return configuration;
}

function check(configuration: KubeadmConfiguration): void {
  const { advertiseAddresses, podSubnets, serviceSubnets, nodeCidrSizes } = configuration;
  const [first, second] = advertiseAddresses;
  if (first !== undefined && first.family === second?.family) {
    const state = `${first} and ${second} are both ${first.family}`;
    throw new UsageError(`Cannot use advertiseAddress=${advertiseAddresses.join(",")}: ${state}`);
  }
  checkRanges(
    {
      ...(podSubnets.length === 0 ? {} : { podCidr: podSubnets }),
      ...(serviceSubnets.length === 0 ? {} : { serviceCidr: serviceSubnets }),
    },
    {
      nodes: 1,
      sizes: nodeCidrSizes,
      names: {
        podCidr: "networking.podSubnet",
        serviceCidr: "networking.serviceSubnet",
        nodeCidr: "advertiseAddress",
      },
    },
  );
}

/** Whether a document is of one of the kinds; the oldest examples name neither group nor kind. */
function isOf(document: Mapping, kinds: readonly string[]): boolean {
  const { apiVersion, kind } = document;
  if (apiVersion === undefined && kind === undefined) {
    return kinds.includes(oldKind) && isMapping(document["networking"]);
  }
  const [found, version = ""] = String(apiVersion).split("/");
  if (found !== group || typeof kind !== "string" || !kinds.includes(kind)) return false;
  if (versions.includes(version)) return true;
  throw new UsageError(
    `Cannot use apiVersion=${String(apiVersion)}: known are ${versions.join(", ")}`,
  );
}

function addresses(document: Mapping | undefined, field: string): readonly Address[] {
  const value = text(document, field);
  return value === undefined ? [] : parsed(field, value, parseAddressList);
}

function prefixes(
  document: Mapping | undefined,
  field: string,
  argument: string | undefined,
): readonly Prefix[] {
  const value = text(document, field) ?? argument;
  return value === undefined ? [] : parsed(field, value, parsePrefixList);
}

function parsed<T>(field: string, value: string, parse: (value: string) => T): T {
  try {
    return parse(value);
  } catch (cause) {
    throw new UsageError(`Cannot use ${field}=${value}: ${messageOf(cause)}`, { cause });
  }
}

function port(document: Mapping | undefined, field: string): number | undefined {
  const value = fieldOf(document, field);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536) {
    return value;
  }
  throw new UsageError(`Cannot use ${field}=${JSON.stringify(value)}: expected a port`);
}

function text(document: Mapping | undefined, field: string): string | undefined {
  const value = fieldOf(document, field);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  // A list is accepted as the text of its elements joined by commas.
  const list = Array.isArray(value) ? texts(document, field) : undefined;
  if (list !== undefined) return list.join(",");
  throw new UsageError(`Cannot use ${field}=${JSON.stringify(value)}: expected a text`);
}

function texts(document: Mapping | undefined, field: string): readonly string[] | undefined {
  const value = fieldOf(document, field);
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new UsageError(`Cannot use ${field}=${JSON.stringify(value)}: expected a list of texts`);
}

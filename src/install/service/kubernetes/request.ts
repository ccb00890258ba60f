import { defined } from "../../../base/json/defined.ts";
import { misspelledNames } from "../clusters/misspelled.ts";
import type { AgentClusterInstall, ClusterDeployment } from "./objects.ts";

/**
 * The request that a REST client would make for such an object. It contains every field, so that what is
 * removed from the object is removed from the cluster.
 */
export function requestOf(
  install: AgentClusterInstall,
  deployment: ClusterDeployment | undefined,
): object {
  const { spec = {} } = install;
  const { networking = {} } = spec;
  return {
    name: deployment?.spec?.clusterName ?? "",
    base_dns_domain: deployment?.spec?.baseDomain ?? "",
    openshift_version: versionOf(spec.imageSetRef?.name ?? ""),
    ...defined({ api_vip: spec.apiVIP }),
    api_vips: (spec.apiVIPs ?? single(spec.apiVIP)).map((ip) => ({ ip })),
    ...defined({ ingress_vip: spec.ingressVIP }),
    ingress_vips: (spec.ingressVIPs ?? single(spec.ingressVIP)).map((ip) => ({ ip })),
    machine_networks: networking.machineNetwork ?? [],
    cluster_networks: (networking.clusterNetwork ?? []).map(({ cidr, hostPrefix }) => ({
      cidr,
      host_prefix: hostPrefix,
    })),
    service_networks: (networking.serviceNetwork ?? []).map((cidr) => ({ cidr })),
    user_managed_networking: networking.userManagedNetworking ?? false,
  };
}

/** The problem of an object from which no request can be made. */
export function requestProblem(
  { metadata, spec = {} }: AgentClusterInstall,
  deployment: ClusterDeployment | undefined,
): string | undefined {
  const { name = "" } = spec.clusterDeploymentRef ?? {};
  if (name === "") return "spec.clusterDeploymentRef.name: Required value";
  if (deployment === undefined) {
    return `spec.clusterDeploymentRef.name: ClusterDeployment ${metadata.namespace}/${name} was not found`;
  }
  const [misspelled] = misspelledNames(Object.keys(spec), knownFields);
  return misspelled && `spec.${misspelled.given}: unknown field, did you mean ${misspelled.known}?`;
}

const knownFields = ["apiVIP", "apiVIPs", "ingressVIP", "ingressVIPs", "networking"];

function single(text = ""): string[] {
  return text === "" ? [] : [text];
}

/** The version in the name of an image set: "openshift-v4.16.0", "img4.16". */
function versionOf(imageSet: string): string {
  return /\d+\.\d+(\.\d+)?/.exec(imageSet)?.[0] ?? "";
}

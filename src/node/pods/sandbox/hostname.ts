import type { Pod } from "../../../api/types/core.ts";

const longestLabel = 63;
/** What the kernel takes. */
const longestHostname = 64;

export interface PodName {
  readonly hostname: string;
  /** With the subdomain, when there is one. */
  readonly fqdn?: string;
}

export function podNameOf({ metadata, spec }: Pod, domain: string): PodName {
  const { namespace, name } = metadata;
  const { hostname = "", subdomain = "", hostnameOverride = "" } = spec;
  if (hostnameOverride !== "") return { hostname: hostnameOverride };
  const own = hostname === "" ? shortened(name) : hostname;
  if (subdomain === "") return { hostname: own };
  return { hostname: own, fqdn: `${own}.${subdomain}.${namespace}.svc.${domain}` };
}

/** What `hostname` prints in the pod: in the node's network, the name of the node. */
export function kernelHostname(pod: Pod, domain: string): string {
  const { hostNetwork = false, nodeName = "" } = pod.spec;
  if (hostNetwork && nodeName !== "") return fitting(nodeName);
  const { hostname, fqdn = hostname } = podNameOf(pod, domain);
  if (pod.spec.setHostnameAsFQDN !== true) return hostname;
  if (fqdn.length <= longestHostname) return fqdn;
  const state = `it has ${fqdn.length} characters, ${longestHostname} is the most`;
  throw new Error(`Cannot set spec.setHostnameAsFQDN with ${JSON.stringify(fqdn)}: ${state}`);
}

/** A name of several labels that is too long for the kernel is cut to its first. */
function fitting(name: string): string {
  return name.length <= longestHostname ? name : shortened(name.split(".")[0] ?? "");
}

function shortened(name: string): string {
  return name.slice(0, longestLabel).replace(/[.-]+$/, "");
}

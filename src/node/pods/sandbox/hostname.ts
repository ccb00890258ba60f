import type { Pod } from "../../../api/types/core.ts";

const longestLabel = 63;
/** The longest hostname the kernel accepts. */
const longestHostname = 64;

export interface PodName {
  readonly hostname: string;
  /** The name with the subdomain and the cluster's domain, when the pod has a subdomain. */
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

/** Returns what `hostname` prints in the pod; with hostNetwork, the node's name. */
export function kernelHostname(pod: Pod, domain: string): string {
  const { hostNetwork = false, nodeName = "" } = pod.spec;
  if (hostNetwork && nodeName !== "") return fitting(nodeName);
  const { hostname, fqdn = hostname } = podNameOf(pod, domain);
  if (pod.spec.setHostnameAsFQDN !== true) return hostname;
  if (fqdn.length <= longestHostname) return fqdn;
  const state = `it has ${fqdn.length} characters, ${longestHostname} is the most`;
  throw new Error(`Cannot set spec.setHostnameAsFQDN with ${JSON.stringify(fqdn)}: ${state}`);
}

/** Cuts a name that is too long for the kernel to its first label. */
function fitting(name: string): string {
  return name.length <= longestHostname ? name : shortened(name.split(".")[0] ?? "");
}

function shortened(name: string): string {
  return name.slice(0, longestLabel).replace(/[.-]+$/, "");
}

import { defined } from "../../../../base/json/defined.ts";
import type { Attached } from "../attached.ts";

/** The annotation of a pod that says which networks it is attached to. */
const networkStatusAnnotation = "k8s.v1.cni.cncf.io/network-status";

/** Returns the annotation and its value, to be set on the pod. */
export function networkStatus(attached: readonly Attached[]): Readonly<Record<string, string>> {
  return { [networkStatusAnnotation]: JSON.stringify(attached.map(statusOf)) };
}

function statusOf(attached: Attached): object {
  const { network, result, isDefault } = attached;
  const link = result.interfaces.find(
    ({ name, sandbox }) => name === attached.interface && sandbox !== undefined,
  );
  const gateways = result.ips.flatMap(({ gateway }) => (gateway === undefined ? [] : [gateway]));
  const { nameservers, domain, search, options } = result.dns;
  return {
    name: network,
    interface: attached.interface,
    ips: result.ips.map(({ address }) => address),
    ...defined({ mac: link?.mac, mtu: link?.mtu }),
    ...(isDefault && { default: true }),
    dns: {
      ...(nameservers.length > 0 && { nameservers }),
      ...defined({ domain }),
      ...(search.length > 0 && { search }),
      ...(options.length > 0 && { options }),
    },
    ...(gateways.length > 0 && { gateway: gateways }),
  };
}

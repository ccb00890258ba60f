// The cluster's DNS: a Deployment of this program behind the usual kube-dns Service.

import type { Client } from "../../api/client/client.ts";
import { dnsAddresses } from "../../install/ranges/ranges.ts";
import type { ClusterSettings } from "./settings.ts";

const namespace = "kube-system";
const labels = { "k8s-app": "kube-dns" };
const place = { namespace, name: "tandem-dns" };
const healthPort = 9153;

export interface DnsSettings extends Pick<ClusterSettings, "podCidr" | "serviceCidr"> {
  /** Whether DNS asks the servers of its node about names outside of the cluster. */
  readonly hasUpstream: boolean;
}

/** Creates or updates the objects of the cluster's DNS. */
export async function applyDns(client: Client, settings: DnsSettings): Promise<void> {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: place.name };
  const { name } = place;
  await Promise.all([
    client.resource("v1", "ServiceAccount").apply({ metadata: place }),
    client.resource("rbac.authorization.k8s.io/v1", "ClusterRole").apply({
      metadata: { name },
      rules: [
        rule("", ["services", "endpoints", "namespaces", "pods"]),
        rule("discovery.k8s.io", ["endpointslices"]),
      ],
    }),
    client.resource("rbac.authorization.k8s.io/v1", "ClusterRoleBinding").apply({
      metadata: { name },
      roleRef,
      subjects: [{ kind: "ServiceAccount", ...place }],
    }),
    client.resource("v1", "Service").apply(service(settings)),
  ]);
  await client.resource("apps/v1", "Deployment").apply(deployment(settings));
}

function rule(group: string, resources: string[]) {
  return { apiGroups: [group], resources, verbs: ["get", "list", "watch"] };
}

function service(settings: DnsSettings) {
  const clusterIPs = [...dnsAddresses(settings)];
  return {
    metadata: { namespace, name: "kube-dns", labels },
    spec: {
      selector: labels,
      clusterIP: clusterIPs[0] ?? "",
      clusterIPs,
      ipFamilies: settings.serviceCidr.map(({ family }) => family),
      ipFamilyPolicy:
        clusterIPs.length > 1 ? ("RequireDualStack" as const) : ("SingleStack" as const),
      ports: [
        { name: "dns", port: 53, protocol: "UDP" as const },
        { name: "dns-tcp", port: 53, protocol: "TCP" as const },
        { name: "metrics", port: healthPort, protocol: "TCP" as const },
      ],
    },
  };
}

function deployment({ podCidr, serviceCidr, hasUpstream }: DnsSettings) {
  return {
    metadata: { ...place, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: place.name,
          // With "ClusterFirst" the DNS server would resolve through itself.
          dnsPolicy: "Default" as const,
          priorityClassName: "system-cluster-critical",
          containers: [
            {
              name: "dns",
              image: "tandem.internal/tandem",
              // The compile cache lets the restarted process run without the compiler in memory.
              env: [{ name: "XDG_CACHE_HOME", value: "/tmp" }],
              args: [
                "dns",
                "--listen=:53",
                `--reverse-cidrs=${[...podCidr, ...serviceCidr].join(",")}`,
                `--health-address=:${healthPort}`,
                ...(hasUpstream ? [] : ["--resolv-conf="]),
              ],
              readinessProbe: {
                httpGet: { path: "/readyz", port: healthPort },
                periodSeconds: 1,
              },
            },
          ],
        },
      },
    },
  };
}

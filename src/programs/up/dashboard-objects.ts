// The dashboard in the cluster: a pod without rights of its own, in which people log in by a token. It
// listens on the pod's loopback, so that it is reached by port-forwarding alone.

import type { Client } from "../../api/client/client.ts";
import { hostPort } from "../../base/net/host-port.ts";
import type { ClusterSettings } from "./settings.ts";

const place = { namespace: "kube-system", name: "tandem-dashboard" };
const labels = { "app.kubernetes.io/name": place.name };
const directory = "/tmp/tandem-dashboard";

/** The port in the pod, and on the machine of whoever forwards it: the page must be asked by this name. */
const dashboardPort = 8888;

/** Creates or updates the objects of the dashboard. */
export async function applyDashboard(client: Client, settings: ClusterSettings): Promise<void> {
  await client.resource("v1", "ServiceAccount").apply({ metadata: place });
  await client
    .resource("v1", "ConfigMap")
    .apply({ metadata: place, data: { kubeconfig: kubeconfig(settings) } });
  await client.resource("apps/v1", "Deployment").apply(deployment);
}

/** Where the API is, without anybody to ask it as. */
function kubeconfig({ serviceCidr }: ClusterSettings): string {
  const [first] = serviceCidr;
  const server = first === undefined ? "" : `https://${hostPort(first.at(1n), 443)}`;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "here", cluster: { server, "certificate-authority": `${directory}/ca.crt` } },
    ],
    contexts: [{ name: "here", context: { cluster: "here", user: "" } }],
    "current-context": "here",
    users: [],
  });
}

/** Asks for the page from within: nobody else reaches the pod's loopback. */
const probe = {
  exec: {
    command: ["/opt/tandem/build/tandem-echo", "get", `http://localhost:${dashboardPort}/`],
  },
  timeoutSeconds: 5,
};

const deployment = {
  metadata: { ...place, labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: place.name,
        automountServiceAccountToken: false,
        containers: [
          {
            name: "dashboard",
            image: "tandem.internal/tandem",
            env: [{ name: "XDG_CACHE_HOME", value: "/tmp" }],
            args: [
              "dashboard",
              "--log-in=token",
              `--kubeconfig=${directory}/kubeconfig`,
              `--listen=localhost:${dashboardPort}`,
            ],
            startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 120 },
            readinessProbe: { ...probe, periodSeconds: 10 },
            volumeMounts: [{ name: "connection", mountPath: directory, readOnly: true }],
          },
        ],
        volumes: [
          {
            name: "connection",
            projected: {
              sources: [
                { configMap: { name: place.name } },
                { configMap: { name: "kube-root-ca.crt" } },
              ],
            },
          },
        ],
      },
    },
  },
};

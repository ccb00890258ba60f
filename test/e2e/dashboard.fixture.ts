// `tandem dashboard` on a cluster of a test, and a cluster with something to see.

import { systemCommands } from "../../src/base/host/command.system.ts";
import type { TestCluster } from "./cluster.fixture.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;

export interface RunningDashboard extends AsyncDisposable {
  readonly link: string;
  readonly pid: number;
}

/** Starts the dashboard and waits for its link. */
export async function startDashboard(
  kubeconfig: string,
  flags: readonly string[] = [],
): Promise<RunningDashboard> {
  const link = Promise.withResolvers<string>();
  const said: string[] = [];
  const running = await systemCommands().start(
    [launcher, "dashboard", `--kubeconfig=${kubeconfig}`, ...flags],
    {
      diesWithParent: true,
      onLine: (line) => {
        said.push(line);
        const [url] = /http:\/\/\S+/.exec(line) ?? [];
        if (url !== undefined) link.resolve(url);
      },
    },
  );
  void running.exited.then(() => link.reject(new Error(said.join("\n"))));
  return {
    link: await link.promise,
    pid: running.pid,
    [Symbol.asyncDispose]: async () => {
      await running.stop();
    },
  };
}

/** A shop: pods behind a service of both families with addresses of a load balancer, and a policy. */
export const shop = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: main, image: tandem.internal/echo, ports: [{ containerPort: 8080 }] }]
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec:
  type: LoadBalancer
  ipFamilyPolicy: PreferDualStack
  selector: { app: web }
  ports: [{ port: 80, targetPort: 8080 }]
---
apiVersion: v1
kind: Pod
metadata: { name: client, namespace: shop, labels: { app: client } }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: tandem.internal/echo }]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web-only, namespace: shop }
spec:
  podSelector: { matchLabels: { app: web } }
  ingress:
    - ports: [{ port: 8080 }]
`;

/** Makes the shop and waits until all of it is ready. */
export async function openShop(cluster: Pick<TestCluster, "kubectl">): Promise<void> {
  const { kubectl } = cluster;
  await kubectl.run("create", "namespace", "shop");
  await kubectl.pipe(shop, "-n", "shop", "apply", "-f", "-");
  await kubectl.run("-n", "shop", "rollout", "status", "deployment/web", "--timeout=60s");
  await kubectl.run("-n", "shop", "wait", "--for=condition=Ready", "pod/client", "--timeout=60s");
}

/** A pod of the shop, with more fields of its container and its spec. */
export function podOf(name: string, container = "", spec = ""): string {
  return `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: shop }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: tandem.internal/echo, ${container} }]
  ${spec}
`;
}

/** An account that may read the pods of the shop, and nothing else. */
export const reader = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: reader, namespace: shop }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: shop }
rules: [{ apiGroups: [""], resources: [pods], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: shop }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: ServiceAccount, name: reader, namespace: shop }]
`;

/** A second network of the shop, whose addresses IPAM hands out from a slice of each node, and a pod on it. */
export const guestNetwork = `
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: guests, namespace: shop }
spec:
  config: |
    {
      "cniVersion": "1.0.0",
      "name": "guests",
      "type": "macvlan",
      "master": "eth0",
      "mode": "bridge",
      "ipam": {
        "type": "tandem-ipam",
        "network_name": "guests",
        "ipRanges": [{ "range": "10.60.0.0/24" }, { "range": "fd60::/120" }],
        "node_slice_size": "/28"
      }
    }
---
apiVersion: v1
kind: Pod
metadata:
  name: guest
  namespace: shop
  annotations: { k8s.v1.cni.cncf.io/networks: guests }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: tandem.internal/echo }]
`;

/** A pod that writes a line, and another one when it has the file /tmp/go. */
export const talker = `
apiVersion: v1
kind: Pod
metadata: { name: talker, namespace: shop }
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - name: main
      image: tandem.internal/host
      command: [sh, -c, "echo first words; until test -e /tmp/go; do sleep 0.1; done; echo last words; sleep 600"]
    - { name: beside, image: tandem.internal/host, command: [sh, -c, "echo I am beside; sleep 600"] }
`;

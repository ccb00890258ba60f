import type { Pod } from "../../../api/types/core.ts";

/** The static pod that runs a node's part of the VIPs, for nodes whose kubelet reads manifests. */
export function vipPod(options: { readonly node: string; readonly image: string }): Pod {
  const { node, image } = options;
  const kubeconfig = "/etc/kubernetes/kubelet.conf";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "tandem-vip", namespace: "kube-system", labels: { app: "tandem-vip" } },
    spec: {
      hostNetwork: true,
      priorityClassName: "system-node-critical",
      containers: [
        {
          name: "vip",
          image,
          command: ["tandem", "vip", "run", "--node", node, "--kubeconfig", kubeconfig],
          securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
          volumeMounts: [
            { name: "kubeconfig", mountPath: kubeconfig, readOnly: true },
            { name: "credentials", mountPath: "/var/lib/kubelet/pki", readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: "kubeconfig", hostPath: { path: kubeconfig, type: "File" } },
        { name: "credentials", hostPath: { path: "/var/lib/kubelet/pki", type: "Directory" } },
      ],
      tolerations: [{ operator: "Exists" }],
    },
  };
}

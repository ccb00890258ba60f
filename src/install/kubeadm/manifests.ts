// The static pods of a control plane, with the flags that make a Kubernetes cluster dual-stack.

import { families } from "../../base/net/family.ts";
import type { KubeadmConfiguration } from "./read.ts";

export interface ManifestFile {
  readonly name: string;
  readonly object: object;
}

export function kubeadmManifests(configuration: KubeadmConfiguration): readonly ManifestFile[] {
  const { advertiseAddresses, bindPort, podSubnets, serviceSubnets } = configuration;
  const services = flag("service-cluster-ip-range", serviceSubnets);
  const pods = flag("cluster-cidr", podSubnets);
  const hasIpv6 = [...advertiseAddresses, ...podSubnets].some(({ family }) => family === "IPv6");
  return [
    staticPod(configuration, "kube-apiserver", [
      ...flag("advertise-address", advertiseAddresses.slice(0, 1)),
      ...(hasIpv6 ? ["--bind-address=::"] : []),
      `--secure-port=${bindPort}`,
      ...services,
    ]),
    staticPod(configuration, "kube-controller-manager", [
      ...(pods.length === 0 ? [] : ["--allocate-node-cidrs=true"]),
      ...pods,
      ...services,
      ...nodeCidrFlags(configuration),
    ]),
    staticPod(configuration, "kube-proxy", [...pods, ...(hasIpv6 ? ["--bind-address=::"] : [])]),
  ];
}

function flag(name: string, values: readonly { toString(): string }[]): readonly string[] {
  return values.length === 0 ? [] : [`--${name}=${values.join(",")}`];
}

function nodeCidrFlags({ nodeCidrSizes }: KubeadmConfiguration): readonly string[] {
  return families.flatMap((family) => {
    const size = nodeCidrSizes[family];
    return size === undefined ? [] : [`--node-cidr-mask-size-${family.toLowerCase()}=${size}`];
  });
}

function staticPod(
  { imageRepository, version }: KubeadmConfiguration,
  name: string,
  flags: readonly string[],
): ManifestFile {
  const image = [...(imageRepository === undefined ? [] : [imageRepository]), name].join("/");
  const metadata = {
    name,
    namespace: "kube-system",
    labels: { component: name, tier: "control-plane" },
  };
  return {
    name: `${name}.yaml`,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: {
        hostNetwork: true,
        priorityClassName: "system-node-critical",
        containers: [
          {
            name,
            image: version === undefined ? image : `${image}:${version}`,
            command: [name, ...flags],
          },
        ],
      },
    },
  };
}

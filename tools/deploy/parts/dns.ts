import { rule } from "../../../src/api/kinds/rbac.ts";
import {
  account,
  clusterRights,
  labelsOf,
  namespace,
  onSomeNodes,
  type Program,
  selectorOf,
} from "../objects.ts";
import type { About, DeployedPart } from "../part.ts";

const healthPort = 9153;

/** The DNS server, in place of CoreDNS. */
export const dns: DeployedPart = {
  name: "dns",
  definitions: [],
  objects: ({ image }: About) => {
    const program: Program = {
      name: "tandem-dns",
      command: ["dns"],
      flags: ["--listen=:53"],
      service: "dns",
      image,
      healthPort,
      ports: [
        { name: "dns", containerPort: 53, protocol: "UDP" },
        { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
      ],
      memory: "70Mi",
      isUnprivileged: true,
      // Port 53 without a capability.
      podSecurity: { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] },
    };
    return {
      programs: [program],
      rights: [
        account(program.name),
        ...clusterRights(program.name, [
          rule("list watch", "core", "services endpoints namespaces pods"),
          rule("list watch", "discovery.k8s.io", "endpointslices"),
        ]),
      ],
      workload: [onSomeNodes(program, 2)],
      metrics: [
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: program.name, namespace, labels: labelsOf(program.name) },
          spec: {
            ipFamilyPolicy: "PreferDualStack",
            selector: selectorOf(program.name),
            ports: [
              { name: "dns", port: 53, targetPort: 53, protocol: "UDP" },
              { name: "dns-tcp", port: 53, targetPort: 53, protocol: "TCP" },
              { name: "metrics", port: healthPort, targetPort: healthPort, protocol: "TCP" },
            ],
          },
        },
      ],
    };
  },
};
